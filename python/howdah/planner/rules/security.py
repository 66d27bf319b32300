"""A secure cluster: principals, rights, TLS, the container executor; without it, a trusted network."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.hadoop.daemons import CLIENT_USERS, DAEMONS, OF_HBASE, is_https_only
from howdah.model.hostname import port_number
from howdah.model.plan import Role
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rule import Decision, in_pair, realm, secured_hbase, secured_mapreduce, secured_pair
from howdah.planner.rules.consistency.queues import uses_fair
from howdah.planner.rules.declare import protected, read_rules

rules = read_rules("security.toml")

_PROTECTION = "dfs.data.transfer.protection"
_POLICY = "dfs.http.policy"
_DATA, _PAGES = "dfs.datanode.address", "dfs.datanode.http.address"
_ANY_PORTS = "ignore.secure.ports.for.testing"
_OF_DATANODES = ("dfs.datanode.kerberos.principal", "dfs.datanode.keytab.file", "dfs.datanode.data.dir")
_FIRST_OF_USERS = 1024
_RUNS_TASKS = "YARN_NODEMANAGER_USER"
_PROTOCOLS = "hadoop.ssl.enabled.protocols"
_DEAD = r"SSLv2Hello|SSLv2|SSLv3|TLSv1(?:\.1)?"
_PRINCIPAL = r"(?:dfs|yarn|hbase)\..*principal"
_OF_MANY = r"(?:dfs|yarn|hbase)\.(?:datanode|journalnode|nodemanager|regionserver)\..*principal"
"""Principals of daemons that run on several hosts with one configuration."""
_POLICIES = ("dfs.http.policy", "yarn.http.policy", "mapreduce.jobhistory.http.policy")


def login(role: Role, facts: Facts) -> tuple[str, ...]:
    """The option by which a daemon proves to ZooKeeper who it is, on a secure cluster."""
    if not secured_pair(facts) and not secured_hbase(facts):
        return ()
    return (f"-Djava.security.auth.login.config=/etc/security/jaas/{DAEMONS[role].user}.conf",)


rules.accepts("integrity, privacy or encryption")(
    lambda value, decision, facts: (
        protected(value, decision, facts) or facts.decided.get("dfs.encrypt.data.transfer") is True
    )
)


@rules.when("with --secure and MapReduce, if access lists are checked")
def _checks_yarn_lists(facts: Facts) -> bool:
    """Whether YARN checks lists at all; a separate rule reports that it does not."""
    return secured_mapreduce(facts) and (facts.planned or facts.decided.get("yarn.acl.enable") is True)


rules.advises("security.preparations")(lambda facts: {"realm": realm(facts)})


def _of_root(reading: Inspected, key: str) -> bool:
    """Whether an address has a port that only root opens."""
    return (port_number(reading.text(key) or "") or _FIRST_OF_USERS) < _FIRST_OF_USERS


@rules.inspects("security.startable-datanodes")
def _startable(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    of_datanodes = any(map(reading.text, _OF_DATANODES))
    if not reading.has("hdfs-site.xml") or not of_datanodes or reading.truth(_ANY_PORTS) is True:
        return
    if not _of_root(reading, _DATA):
        ok = bool(reading.text(_PROTECTION))
        yield reading.verdict(_PROTECTION, ok, elsewhere="hdfs-site.xml", words="data")
    if not _of_root(reading, _PAGES):
        ok = is_https_only(reading.text(_POLICY))
        yield reading.verdict(_POLICY, ok, default="HTTP_ONLY", elsewhere="hdfs-site.xml", words="pages")


@rules.inspects("security.queue-rights")
def _queue_rights(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    # Without Kerberos users are whoever they claim to be, and lists of them keep no user out.
    if not facts.request.secure or not reading.has("capacity-scheduler.xml") or uses_fair(reading):
        return
    if reading.has("yarn-site.xml") and reading.truth("yarn.acl.enable") is not True:
        # No list is checked then, which is a rule of its own.
        return
    key = "yarn.scheduler.capacity.root.acl_administer_queue"
    text = reading.text(key)
    ok, shown = text is not None and "*" not in text, "not set, which is *" if text is None else text
    yield reading.verdict(key, ok, found=shown, elsewhere="capacity-scheduler.xml")


@rules.inspects("security.proxy-users")
def _proxies(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    proxies: dict[str, dict[str, str]] = {}
    for entry in reading.effective:
        if match := re.fullmatch(r"hadoop\.proxyuser\.([^.]+)\.(hosts|groups|users)", entry.name):
            proxies.setdefault(match[1], {})[match[2]] = entry.text.strip()
    for user, limits in proxies.items():
        everybody = "*" in (limits.get("groups"), limits.get("users"))
        ok = not (everybody and limits.get("hosts") == "*")
        shown = ", ".join(f"{kind} {text}" for kind, text in sorted(limits.items()))
        yield reading.verdict(f"hadoop.proxyuser.{user}.hosts", ok, found=shown, user=user)


@rules.inspects("security.daemon-users")
def _daemon_users(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    # What the NodeManager's user does to jobs stands first where several daemons are reported together.
    for entry in sorted(reading.environment, key=lambda entry: entry.name != _RUNS_TASKS):
        # A DataNode with ports of root's starts as root and then runs as its secure user.
        secure_user = reading.variable(entry.name.replace("_USER", "_SECURE_USER"))
        if re.fullmatch(r"(HDFS|YARN|MAPRED)_[A-Z]+_USER", entry.name) and not secure_user:
            user = entry.name.partition("_")[0].lower()
            words = "tasks" if entry.name == _RUNS_TASKS and not _as_users(facts) else "daemon"
            yield entry_verdict(entry, entry.text != "root", words=words, user=user)


@rules.inspects("security.tls-protocols")
def _protocols(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    named = reading.parts(_PROTOCOLS)
    if named:
        dead = [protocol for protocol in named if re.fullmatch(_DEAD, protocol)]
        yield reading.verdict(_PROTOCOLS, not dead, found=", ".join(named))


# The file may be there on the hosts and not among those that were given.
@rules.inspects("security.key-store")
def _server_store(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    encrypted = [key for key in _POLICIES if is_https_only(reading.text(key))]
    if encrypted:
        file = reading.text("hadoop.ssl.server.conf") or "ssl-server.xml"
        shown, values = "there" if reading.has(file) else "not given", {"encrypted": encrypted}
        yield Observation(reading.has(file), file, shown, where=file, values=values)


def _principals(reading: Inspected) -> dict[str, str]:
    entries = {entry.name: entry.text for entry in reading.effective if re.fullmatch(_PRINCIPAL, entry.name)}
    return {name: text for name, text in entries.items() if "/" in text and "@" in text}


@rules.inspects("security.own-principals")
def _own_host(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for key, text in _principals(reading).items() if reading.has_several_hosts else ():
        if re.fullmatch(_OF_MANY, key):
            service, _, instance = text.partition("/")
            host, _, realm = instance.partition("@")
            yield reading.verdict(key, host == "_HOST", found=text, service=service, realm=realm)


@rules.inspects("security.one-realm")
def _one_realm(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    realms: dict[str, list[str]] = {}
    for key, text in _principals(reading).items():
        realms.setdefault(text.rpartition("@")[2], []).append(key)
    if len(realms) > 1:
        most = max(realms, key=lambda realm: len(realms[realm]))
        for realm in realms.keys() - {most}:
            shown = f"realm {realm}; {len(realms[most])} other principals are of {most}"
            yield reading.verdict(realms[realm][0], False, found=shown, most=most)


_SECONDARY = "dfs.namenode.secondary.http-address"


@rules.when("with --secure, without ha, if a SecondaryNameNode has a host")
def _has_secondary(facts: Facts) -> bool:
    """Whether the cluster is planned with a SecondaryNameNode, or a configuration names its host."""
    named = facts.planned or not str(facts.decided.get(_SECONDARY, "0.0.0.0")).startswith("0.0.0.0")
    return facts.request.secure and not secured_pair(facts) and named


_COPROCESSORS = "org.apache.hadoop.hbase.security"
_ACCESS = f"{_COPROCESSORS}.access.AccessController"
rules.when("with --secure and ha or HBase")(lambda facts: secured_pair(facts) or secured_hbase(facts))


@rules.when("with --secure and HBase, if rights are checked")
def _checks_rights(facts: Facts) -> bool:
    """Whether HBase checks rights at all; a separate rule reports that it does not."""
    checked = str(facts.decided.get("hbase.security.authorization")).lower() == "true"
    return secured_hbase(facts) and (facts.planned or checked)


def _only(role: Role, facts: Facts) -> Decision:
    """An ACL for the user that ZooKeeper takes from a daemon's principal, ``nn`` of ``nn/_HOST@REALM``."""
    user = DAEMONS[role].user
    name = re.match(r"[\w-]+", str(facts.decided.get(DAEMONS[role].keytabs[0].principal) or user))
    return Decision(f"sasl:{name[0] if name else user}:rwcda")


rules.decides("rights.failover-acl")(lambda facts: _only(Role.FAILOVER_CONTROLLER, facts))
rules.decides("rights.yarn-acl")(lambda facts: _only(Role.RESOURCEMANAGER, facts))


@rules.when("with --secure, MapReduce and ha")
def _yarn_in_zookeeper(facts: Facts) -> bool:
    """Whether ResourceManagers are a pair, or keep their state in ZooKeeper."""
    if not (secured_pair(facts) and facts.request.mapreduce):
        return False
    if facts.planned:
        return True
    store = str(facts.decided.get("yarn.resourcemanager.store.class") or "")
    return in_pair(Role.RESOURCEMANAGER)(facts) or "ZKRMStateStore" in store


rules.accepts("HBase's access controller, or Ranger's")(
    lambda value, decision, facts: _ACCESS in str(value) or "RangerAuthorizationCoprocessor" in str(value)
)


FILE = "container-executor.cfg"
_CLASS = "yarn.nodemanager.container-executor.class"
_DAEMONS = frozenset(CLIENT_USERS).difference(DAEMONS[role].user for role in OF_HBASE)
"""Users that no task may run as; the least user id excludes other users of the system."""


@rules.when("with --secure and MapReduce: NodeManagers run LinuxContainerExecutor")
def _in_use(facts: Facts) -> bool:
    """Whether NodeManagers start tasks by this program: a file as it is shipped lies in every release."""
    return secured_mapreduce(facts) and (facts.planned or _as_users(facts))


def _as_users(facts: Facts) -> bool:
    """Whether a configuration lets tasks run as their users."""
    return str(facts.decided.get(_CLASS)).endswith(".LinuxContainerExecutor")


rules.accepts("all daemons")(
    lambda value, decision, facts: isinstance(value, tuple) and set(value) >= _DAEMONS
)
