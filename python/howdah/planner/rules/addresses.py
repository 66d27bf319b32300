"""Rules about addresses: where clients, workers and masters find the masters."""

from __future__ import annotations

from collections.abc import Callable

from howdah.model.plan import Role, Value
from howdah.planner.conditions import is_paired, runs
from howdah.planner.facts import Facts, MissingFact
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import Accepts, read_rules

rules = read_rules("addresses.toml")

NAMENODE_PORT = 8020
_EVERYWHERE = ("0.0.0.0", "localhost", "127.0.0.1", "")


@rules.accepts("a file system of several hosts")
def _is_hdfs(value: Value, decision: Decision, facts: Facts) -> bool:
    scheme, _, address = str(value).partition("://")
    return scheme in ("hdfs", "viewfs") and bool(address)


def _first(role: Role, facts: Facts) -> str:
    addresses = facts.cluster.addresses(role)
    if not addresses:
        raise MissingFact(f"where the {role} runs: give a plan")
    return addresses[0]


@rules.decides("addresses.file-system")
def _file_system(facts: Facts) -> Decision:
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


rules.when("with one NameNode; a pair has its own rules")(runs(Role.NAMENODE, at_most=1))
rules.accepts("reachable")(_reachable())
rules.decides("addresses.namenode")(_at(Role.NAMENODE, NAMENODE_PORT))
rules.when("with one NameNode")(runs(Role.SECONDARY_NAMENODE))
rules.decides("addresses.secondary-namenode")(_at(Role.SECONDARY_NAMENODE, 9868))
rules.when("with one ResourceManager; a pair has its own rules")(runs(Role.RESOURCEMANAGER, at_most=1))
rules.decides("addresses.resourcemanager")(_at(Role.RESOURCEMANAGER))

rules.when("MapReduce runs on the cluster")(runs(Role.JOB_HISTORY))

rules.decides("addresses.job-history")(_at(Role.JOB_HISTORY, 10020))
rules.decides("addresses.job-history-pages")(_at(Role.JOB_HISTORY, 19888))
rules.when("MapReduce runs on the cluster and it is secure")(
    lambda facts: facts.request.secure and runs(Role.JOB_HISTORY)(facts)
)
rules.decides("addresses.job-history-tls")(_at(Role.JOB_HISTORY, 19890))


@rules.decides("addresses.job-logs")
def _job_logs(facts: Facts) -> Decision:
    host = _first(Role.JOB_HISTORY, facts)
    page = f"https://{host}:19890" if facts.request.secure else f"http://{host}:19888"
    return Decision(
        f"{page}/jobhistory/logs",
        f"after collection they are no longer on the worker; the JobHistoryServer on {host} shows them",
    )
