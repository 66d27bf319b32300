"""Login configurations of Java: how daemons prove to ZooKeeper who they are, and ZooKeeper to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from howdah.hadoop.daemons import DAEMONS
from howdah.model.plan import Plan, Role
from howdah.model.value import value_text

_OPTION = re.compile(r"-Djava\.security\.auth\.login\.config=(\S+)")
SERVERS_FILE = "/etc/zookeeper/conf/jaas.conf"
"""Where ZooKeeper's own login configuration is."""
_SERVERS_ENTRIES = ("Server", "QuorumServer", "QuorumLearner")
_SERVERS_KEYTAB = "/etc/security/keytabs/zookeeper.service.keytab"


class Login(NamedTuple):
    """A login configuration: whose it is, its path, and the keytab and principal that it is made of."""

    role: Role
    path: str
    entries: tuple[str, ...]
    """What readers look for in it: ``Client``, or ``Server`` and what its peers are to it."""
    keytab: str
    principal: str
    """With ``_HOST`` for the host's own name."""

    def lines(self, host: str) -> tuple[str, ...]:
        """Its lines on a host: Java knows no _HOST."""
        return tuple(line for entry in self.entries for line in self._of(entry, host))

    def _of(self, entry: str, host: str) -> tuple[str, ...]:
        return (
            f"{entry} {{",
            "  com.sun.security.auth.module.Krb5LoginModule required",
            "  useKeyTab=true storeKey=true useTicketCache=false",
            f'  keyTab="{self.keytab}" principal="{self.principal.replace("_HOST", host)}";',
            "};",
        )


def logins(plan: Plan) -> Iterator[Login]:
    """Every login configuration that the plan's options name, and ZooKeeper's own, last, if there is any."""
    values = {setting.key: value_text(setting.value) for setting in plan.settings}
    realm = ""
    for role, kind in DAEMONS.items():
        named = _OPTION.search(values.get(kind.options, ""))
        own = next(iter(kind.keytabs), None)
        if named is None or own is None or not {own.file, own.principal} <= values.keys():
            continue
        principal = values[own.principal]
        realm = principal.rpartition("@")[2]
        yield Login(role, named.group(1), ("Client",), values[own.file], principal)
    if realm:
        principal = f"zookeeper/_HOST@{realm}"
        yield Login(Role.ZOOKEEPER, SERVERS_FILE, _SERVERS_ENTRIES, _SERVERS_KEYTAB, principal)
