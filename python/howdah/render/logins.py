"""Login configurations of Java: how daemons prove to ZooKeeper who they are, and ZooKeeper to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from howdah.model.plan import Plan, Role
from howdah.model.value import value_text

_OPTION = re.compile(r"-Djava\.security\.auth\.login\.config=(\S+)")
_SERVERS_FILE = "/etc/zookeeper/conf/jaas.conf"
_SERVERS_KEYTAB = "/etc/security/keytabs/zookeeper.service.keytab"


class _User(NamedTuple):
    """Whose options name a login configuration, and the keytab and principal that it is made of."""

    options: str
    role: Role
    keytab: str
    principal: str


_USERS = (
    _User(
        "HDFS_ZKFC_OPTS",
        Role.FAILOVER_CONTROLLER,
        "dfs.namenode.keytab.file",
        "dfs.namenode.kerberos.principal",
    ),
    _User(
        "YARN_RESOURCEMANAGER_OPTS",
        Role.RESOURCEMANAGER,
        "yarn.resourcemanager.keytab",
        "yarn.resourcemanager.principal",
    ),
    _User("HBASE_MASTER_OPTS", Role.HMASTER, "hbase.master.keytab.file", "hbase.master.kerberos.principal"),
    _User(
        "HBASE_REGIONSERVER_OPTS",
        Role.REGIONSERVER,
        "hbase.regionserver.keytab.file",
        "hbase.regionserver.kerberos.principal",
    ),
)


class Login(NamedTuple):
    """A login configuration: on which hosts it lies, its path and its lines."""

    where: str
    path: str
    lines: tuple[str, ...]


def logins(plan: Plan, on: Mapping[str, Sequence[str]]) -> Iterator[Login]:
    """Every login configuration that the plan's options name, and ZooKeeper's own if there is any."""
    values = {setting.key: value_text(setting.value) for setting in plan.settings}
    realm = ""
    for user in _USERS:
        named = _OPTION.search(values.get(user.options, ""))
        if named is None or not {user.keytab, user.principal} <= values.keys():
            continue
        principal = values[user.principal]
        realm = principal.rpartition("@")[2]
        hosts = on[user.role.value]
        where = f"{user.role.value}: {', '.join(hosts)}" if hosts else "every worker"
        yield Login(where, named.group(1), _lines("Client", values[user.keytab], principal))
    if realm:
        where = f"{Role.ZOOKEEPER.value}: {', '.join(on[Role.ZOOKEEPER.value])}"
        yield Login(where, _SERVERS_FILE, _lines("Server", _SERVERS_KEYTAB, f"zookeeper/_HOST@{realm}"))


def _lines(entry: str, keytab: str, principal: str) -> tuple[str, ...]:
    # Java knows no _HOST: each host has its own name there.
    return (
        f"{entry} {{",
        "  com.sun.security.auth.module.Krb5LoginModule required",
        "  useKeyTab=true storeKey=true useTicketCache=false",
        f'  keyTab="{keytab}" principal="{principal.replace("_HOST", "HOST")}";',
        "};",
    )
