"""What Kerberos adds to a host's manifest: secrets, tickets, and login configurations of Java."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.hadoop.daemons import DAEMONS
from howdah.model.plan import Plan, Role
from howdah.render.logins import logins
from howdah.render.secrets import AUTHORITY, host_secrets, is_secure


def kerberos_parts(plan: Plan, roles: Sequence[Role]) -> dict[str, object]:
    """The parts of a manifest that only a plan with Kerberos has; none without.

    ``secrets`` are files that are handed over apart, by name, path and rights. ``kerberos`` says with which
    keytab each user of the host gets a ticket, and by whose certificate pages are believed.
    """
    if not is_secure(plan):
        return {}
    held = host_secrets(plan, roles)
    keytabs = [secret for secret in held if secret.principals]
    users: dict[str, dict[str, str]] = {}
    # ZooKeeper's asks nobody; HDFS's, who may ask it everything, comes first.
    for user in dict.fromkeys(kind.user for role, kind in DAEMONS.items() if role is not Role.ZOOKEEPER):
        for secret in keytabs:
            own = next((name for name in secret.principals if name.startswith(f"{user}/")), None)
            if own and user in secret.users:
                users.setdefault(user, {"keytab": secret.path, "principal": own})
    fields = ("name", "path", "owner", "group", "mode", "principals")
    return {
        "secrets": [{field: getattr(secret, field) for field in fields} for secret in held],
        "kerberos": {"users": users, "authority": AUTHORITY},
    }


def secrets_of(plan: Plan, role: Role) -> list[str]:
    """The names of the secrets that one daemon reads."""
    return [secret.name for secret in host_secrets(plan, [role]) if DAEMONS[role].user in secret.users]


def login_files(plan: Plan, roles: Sequence[Role]) -> Iterator[dict[str, object]]:
    """The login configurations of a host's daemons; ``host`` says that _HOST is its own name there."""
    if not is_secure(plan):
        return
    made = {login.path: login for login in logins(plan) if login.role in roles}
    for path, login in made.items():
        content = "\n".join(login.lines("_HOST")) + "\n"
        yield {"path": path, "mode": "0644", "content": content, "host": True}
