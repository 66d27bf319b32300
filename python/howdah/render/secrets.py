"""A host's secrets for Kerberos and TLS, which the administrator provides: paths and modes, no content."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from howdah.errors import UserError
from howdah.hadoop.daemons import DAEMONS, conf_folder
from howdah.model.placement import PlacedHost, placed_systems
from howdah.model.plan import ClusterPlan, Role, planned_text, value_text

_OPTION = re.compile(r"-Djava\.security\.auth\.login\.config=(\S+)")
SERVERS_FILE = f"{conf_folder('zookeeper')}/jaas.conf"
_SERVERS_ENTRIES = ("Server", "QuorumServer", "QuorumLearner")
_SERVERS_KEYTAB = "/etc/security/keytabs/zookeeper.service.keytab"


class Login(NamedTuple):
    """A login configuration: its daemon, its path, its keytab and principal."""

    role: Role
    path: str
    entries: tuple[str, ...]  # Its sections: ``Client``, or ``Server`` and that of its peers.
    keytab: str
    principal: str  # With ``_HOST`` for the host's own name.

    def lines(self, host: str) -> tuple[str, ...]:
        """Return its lines on a host, because Java does not replace _HOST."""
        section = (
            "  com.sun.security.auth.module.Krb5LoginModule required",
            "  useKeyTab=true storeKey=true useTicketCache=false",
            f'  keyTab="{self.keytab}" principal="{self.principal.replace("_HOST", host)}";',
            "};",
        )
        return tuple(line for entry in self.entries for line in (f"{entry} {{", *section))


def logins(plan: ClusterPlan) -> Iterator[Login]:
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


AUTHORITY = "/etc/security/tls/ca.pem"  # The hosts' authority for programs that are not Java; no secret.
_SHOWN = 3
_STORE = "localjceks://file"


class HostSecret(NamedTuple):
    """A file that the administrator provides: its path on a host, and the users that may read it."""

    name: str
    path: str
    owner: str
    group: str
    mode: str
    users: tuple[str, ...]  # The users of daemons that read it; these are restarted after it has changed.
    principals: tuple[str, ...] = ()  # Those of a keytab's keys; ``_HOST`` is the host's own name.


_Secrets = tuple[HostSecret, ...]


def host_secrets(plan: ClusterPlan, roles: Sequence[Role]) -> _Secrets:
    """The secrets of a host with these daemons, sorted by name; none for a plan without Kerberos.

    Raises UserError if a planned path is not one, or if two of them have the same file name.
    """
    if not plan.cluster.request.secure or not roles:
        return ()
    secrets = {secret.path: secret for secret in (*_keytabs(plan, roles), *_stores(plan, roles))}
    named: dict[str, HostSecret] = {}
    for secret in secrets.values():
        existing = named.setdefault(secret.name, secret)
        if existing is not secret:
            problem = f"has the same file name as {existing.path}, and both come from one folder"
            raise UserError(secret.path, problem, "give one of them another name with --set")
    return tuple(named[name] for name in sorted(named))


def secret_groups(plan: ClusterPlan, hosts: Sequence[PlacedHost]) -> Iterator[tuple[str, _Secrets]]:
    """Hosts that are handed the same files, all in one line, and what these are."""
    systems_by_secrets: dict[_Secrets, list[str]] = {}
    for system in placed_systems(plan, hosts):
        if secrets := host_secrets(plan, system.roles):
            systems_by_secrets.setdefault(secrets, []).append(system.name)
    for secrets, names in systems_by_secrets.items():
        more = f" and {len(names) - _SHOWN} more like them" if len(names) > _SHOWN else ""
        yield ", ".join(names[:_SHOWN]) + more, secrets


def _keytabs(plan: ClusterPlan, roles: Sequence[Role]) -> Iterator[HostSecret]:
    principals: dict[str, set[str]] = {}
    users: dict[str, set[str]] = {}
    for role in (role for role in DAEMONS if role in roles):
        keytabs = DAEMONS[role].keytabs
        keys = [(planned_text(plan, keytab.file), planned_text(plan, keytab.principal)) for keytab in keytabs]
        if role is Role.ZOOKEEPER:
            keys += ((login.keytab, login.principal) for login in logins(plan) if login.role is role)
        for path, principal in keys:
            if path and principal:
                principals.setdefault(path, set()).add(principal)
                users.setdefault(path, set()).add(DAEMONS[role].user)
    for path, names in principals.items():
        readers = tuple(sorted(users[path]))
        web = any(principal.startswith("HTTP/") for principal in names)
        # A file that daemons of several users read belongs to root and the group, others to their reader.
        shared = web or len(readers) > 1
        owner, mode = ("root", "0440") if shared else (readers[0], "0400")
        yield _secret(path, owner, mode, readers, tuple(sorted(names)))


def _stores(plan: ClusterPlan, roles: Sequence[Role]) -> Iterator[HostSecret]:
    users = tuple(sorted({DAEMONS[role].user for role in roles if role is not Role.ZOOKEEPER}))
    if not users:
        return
    provider = planned_text(plan, "hadoop.security.credential.provider.path")
    private = (
        planned_text(plan, "ssl.server.keystore.location"),
        provider.removeprefix(_STORE) if provider.startswith(f"{_STORE}/") else "",
        planned_text(plan, "hadoop.http.authentication.signature.secret.file"),
    )
    trusted = (
        planned_text(plan, "ssl.server.truststore.location"),
        planned_text(plan, "ssl.client.truststore.location"),
    )
    modes = dict.fromkeys(filter(None, private), "0440") | dict.fromkeys(filter(None, trusted), "0444")
    yield from (_secret(path, "root", mode, users) for path, mode in modes.items())
    yield _secret(AUTHORITY, "root", "0444", ())


def _secret(
    path: str, owner: str, mode: str, users: tuple[str, ...], principals: tuple[str, ...] = ()
) -> HostSecret:
    """A secret that is named after its path; raises UserError where that is no plain absolute path."""
    pure = PurePosixPath(path)
    if not pure.is_absolute() or ".." in pure.parts or not pure.name:
        hint = "give an absolute path without .."
        raise UserError(path, "is not a valid path of a keytab or a key store", hint)
    return HostSecret(pure.name, path, owner, "hadoop", mode, users, principals)
