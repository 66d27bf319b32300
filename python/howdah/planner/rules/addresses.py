"""Rules about addresses: where clients, workers and masters find the masters."""

from __future__ import annotations

from collections.abc import Callable

from howdah.model.plan import Role, Value
from howdah.planner.conditions import is_paired, runs
from howdah.planner.facts import CannotTell, Facts
from howdah.planner.rule import Decision, SettingRule, Severity
from howdah.planner.values import Accepts, set_at_all

NAMENODE_PORT = 8020
_EVERYWHERE = ("0.0.0.0", "localhost", "127.0.0.1", "")


def _first(role: Role, facts: Facts) -> str:
    addresses = facts.cluster.addresses(role)
    if not addresses:
        raise CannotTell(f"where the {role} runs: give a plan")
    return addresses[0]


def _at(role: Role, port: int | None = None) -> Callable[[Facts], Decision]:
    def decide(facts: Facts) -> Decision:
        host = _first(role, facts)
        return Decision(host if port is None else f"{host}:{port}", f"the {role} is on {host}")

    return decide


def _job_logs(facts: Facts) -> Decision:
    host = _first(Role.JOB_HISTORY, facts)
    page = f"https://{host}:19890" if facts.request.secure else f"http://{host}:19888"
    return Decision(
        f"{page}/jobhistory/logs",
        f"once collected they are not on the worker: the JobHistoryServer on {host} shows them",
    )


def _file_system(facts: Facts) -> Decision:
    if is_paired(Role.NAMENODE)(facts):
        return Decision(
            f"hdfs://{facts.cluster.name}", "a name service: clients find whichever NameNode is active"
        )
    host = _first(Role.NAMENODE, facts)
    return Decision(f"hdfs://{host}:{NAMENODE_PORT}", f"the NameNode is on {host}")


def _is_hdfs(value: Value, decision: Decision, facts: Facts) -> bool:
    scheme, _, rest = str(value).partition("://")
    return scheme in ("hdfs", "viewfs") and bool(rest)


def _reachable() -> Accepts:
    """Accept any host that other hosts can reach; a single host may call itself anything."""

    def accepts(value: Value, decision: Decision, facts: Facts) -> bool:
        host = str(value).rpartition(":")[0] or str(value)
        return facts.cluster.hosts == 1 or host not in _EVERYWHERE

    return accepts


RULES: tuple[SettingRule, ...] = (
    SettingRule(
        id="addresses.file-system",
        says="The default file system is the cluster's HDFS.",
        sources=("Hadoop 3.5.0",),
        severity=Severity.MUST,
        key="fs.defaultFS",
        file="core-site.xml",
        decide=_file_system,
        accepts=_is_hdfs,
    ),
    SettingRule(
        id="addresses.namenode",
        says="The only NameNode is found at its host.",
        sources=("Hadoop 3.5.0",),
        severity=Severity.MUST,
        condition="with one NameNode; a pair has rules of its own",
        applies=runs(Role.NAMENODE, at_most=1),
        key="dfs.namenode.rpc-address",
        file="hdfs-site.xml",
        decide=_at(Role.NAMENODE, NAMENODE_PORT),
        accepts=_reachable(),
    ),
    SettingRule(
        id="addresses.secondary-namenode",
        says="The NameNode finds its checkpoints at the SecondaryNameNode's host.",
        sources=("D2 157", "D4 137", "Hadoop 3.5.0"),
        condition="with one NameNode",
        applies=runs(Role.SECONDARY_NAMENODE),
        key="dfs.namenode.secondary.http-address",
        file="hdfs-site.xml",
        decide=_at(Role.SECONDARY_NAMENODE, 9868),
        accepts=_reachable(),
    ),
    SettingRule(
        id="addresses.resourcemanager",
        says="NodeManagers and clients find the only ResourceManager at its host.",
        sources=("Hadoop 3.5.0",),
        severity=Severity.MUST,
        condition="with one ResourceManager; a pair has rules of its own",
        applies=runs(Role.RESOURCEMANAGER, at_most=1),
        key="yarn.resourcemanager.hostname",
        file="yarn-site.xml",
        decide=_at(Role.RESOURCEMANAGER),
        accepts=_reachable(),
    ),
    SettingRule(
        id="addresses.job-history",
        says="Clients find finished jobs at the JobHistoryServer's host.",
        sources=("Hadoop 3.5.0",),
        condition="MapReduce runs on the cluster",
        applies=runs(Role.JOB_HISTORY),
        key="mapreduce.jobhistory.address",
        file="mapred-site.xml",
        decide=_at(Role.JOB_HISTORY, 10020),
        accepts=_reachable(),
    ),
    SettingRule(
        id="addresses.job-history-pages",
        says="The ResourceManager's links to finished jobs lead to the JobHistoryServer's host.",
        sources=("Hadoop 3.5.0",),
        condition="MapReduce runs on the cluster",
        applies=runs(Role.JOB_HISTORY),
        key="mapreduce.jobhistory.webapp.address",
        file="mapred-site.xml",
        decide=_at(Role.JOB_HISTORY, 19888),
        accepts=_reachable(),
    ),
    SettingRule(
        id="addresses.job-history-tls",
        says="In a secure cluster the links to finished jobs lead to the JobHistoryServer's TLS port.",
        sources=("Hadoop 3.5.0",),
        condition="MapReduce runs on the cluster and it is secure",
        applies=lambda facts: facts.request.secure and runs(Role.JOB_HISTORY)(facts),
        key="mapreduce.jobhistory.webapp.https.address",
        file="mapred-site.xml",
        decide=_at(Role.JOB_HISTORY, 19890),
        accepts=_reachable(),
    ),
    SettingRule(
        id="addresses.job-logs",
        says="A NodeManager leads to the JobHistoryServer for logs that were collected.",
        sources=("Hadoop 3.5.0: yarn-default.xml", "howdah"),
        severity=Severity.MAY,
        condition="MapReduce runs on the cluster",
        applies=runs(Role.JOB_HISTORY),
        key="yarn.log.server.url",
        file="yarn-site.xml",
        decide=_job_logs,
        accepts=set_at_all,
    ),
)
