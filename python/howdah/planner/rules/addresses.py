"""Rules about addresses: where clients, workers and masters find the masters."""

from __future__ import annotations

from collections.abc import Callable

from howdah.model.plan import Role, Value
from howdah.planner.conditions import is_paired, runs
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.rule import MAY, MUST, Decision
from howdah.planner.rules.declare import Accepts, Condition, Rules, set_at_all

NAMENODE_PORT = 8020
_EVERYWHERE = ("0.0.0.0", "localhost", "127.0.0.1", "")
rules = Rules(file="mapred-site.xml")


def _is_hdfs(value: Value, decision: Decision, facts: Facts) -> bool:
    scheme, _, address = str(value).partition("://")
    return scheme in ("hdfs", "viewfs") and bool(address)


def _first(role: Role, facts: Facts) -> str:
    addresses = facts.cluster.addresses(role)
    if not addresses:
        raise MissingFact(f"where the {role} runs: give a plan")
    return addresses[0]


@rules.setting(
    "addresses.file-system",
    "fs.defaultFS",
    MUST,
    sources="Hadoop 3.5.0",
    file="core-site.xml",
    accepts=_is_hdfs,
)
def _file_system(facts: Facts) -> Decision:
    """The default file system is the cluster's HDFS."""
    if is_paired(Role.NAMENODE)(facts):
        return Decision(
            f"hdfs://{facts.cluster.name}", "a name service: clients find whichever NameNode is active"
        )
    host = _first(Role.NAMENODE, facts)
    return Decision(f"hdfs://{host}:{NAMENODE_PORT}", f"the NameNode is on {host}")


def _at(role: Role, port: int | None = None) -> Callable[[Facts], Decision]:
    def decide(facts: Facts) -> Decision:
        host = _first(role, facts)
        return Decision(host if port is None else f"{host}:{port}", f"the {role} is on {host}")

    return decide


def _reachable() -> Accepts:
    """Accept any host that other hosts can reach; a single host may call itself anything."""

    def accepts(value: Value, decision: Decision, facts: Facts) -> bool:
        host = str(value).rpartition(":")[0] or str(value)
        return facts.cluster.hosts == 1 or host not in _EVERYWHERE

    return accepts


rules.setting(
    "addresses.namenode",
    "dfs.namenode.rpc-address",
    MUST,
    sources="Hadoop 3.5.0",
    when=Condition("with one NameNode; a pair has its own rules", runs(Role.NAMENODE, at_most=1)),
    file="hdfs-site.xml",
    accepts=_reachable(),
).by("The only NameNode is found at its host.", _at(Role.NAMENODE, NAMENODE_PORT))
rules.setting(
    "addresses.secondary-namenode",
    "dfs.namenode.secondary.http-address",
    sources="D2 157, D4 137, Hadoop 3.5.0",
    when=Condition("with one NameNode", runs(Role.SECONDARY_NAMENODE)),
    file="hdfs-site.xml",
    accepts=_reachable(),
).by(
    "The NameNode finds its checkpoints at the SecondaryNameNode's host.", _at(Role.SECONDARY_NAMENODE, 9868)
)
rules.setting(
    "addresses.resourcemanager",
    "yarn.resourcemanager.hostname",
    MUST,
    sources="Hadoop 3.5.0",
    when=Condition(
        "with one ResourceManager; a pair has its own rules", runs(Role.RESOURCEMANAGER, at_most=1)
    ),
    file="yarn-site.xml",
    accepts=_reachable(),
).by("NodeManagers and clients find the only ResourceManager at its host.", _at(Role.RESOURCEMANAGER))

_CONDITION = Condition("MapReduce runs on the cluster", runs(Role.JOB_HISTORY))

rules.setting(
    "addresses.job-history",
    "mapreduce.jobhistory.address",
    sources="Hadoop 3.5.0",
    when=_CONDITION,
    accepts=_reachable(),
).by("Clients find finished jobs at the JobHistoryServer's host.", _at(Role.JOB_HISTORY, 10020))
rules.setting(
    "addresses.job-history-pages",
    "mapreduce.jobhistory.webapp.address",
    sources="Hadoop 3.5.0",
    when=_CONDITION,
    accepts=_reachable(),
).by(
    "The ResourceManager's links to finished jobs lead to the JobHistoryServer's host.",
    _at(Role.JOB_HISTORY, 19888),
)
rules.setting(
    "addresses.job-history-tls",
    "mapreduce.jobhistory.webapp.https.address",
    sources="Hadoop 3.5.0",
    when=Condition(
        "MapReduce runs on the cluster and it is secure",
        lambda facts: facts.request.secure and runs(Role.JOB_HISTORY)(facts),
    ),
    accepts=_reachable(),
).by(
    "In a secure cluster the links to finished jobs lead to the JobHistoryServer's TLS port.",
    _at(Role.JOB_HISTORY, 19890),
)


@rules.setting(
    "addresses.job-logs",
    "yarn.log.server.url",
    MAY,
    sources="Hadoop 3.5.0: yarn-default.xml, howdah",
    when=_CONDITION,
    file="yarn-site.xml",
    accepts=set_at_all,
)
def _job_logs(facts: Facts) -> Decision:
    """A NodeManager leads to the JobHistoryServer for logs that were collected."""
    host = _first(Role.JOB_HISTORY, facts)
    page = f"https://{host}:19890" if facts.request.secure else f"http://{host}:19888"
    return Decision(
        f"{page}/jobhistory/logs",
        f"after collection they are no longer on the worker; the JobHistoryServer on {host} shows them",
    )
