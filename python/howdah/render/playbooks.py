"""Playbooks of Ansible: manifests first, then daemons in order, with a barrier after each kind.

They start a cluster's daemons from the bottom up, and restart them a few at a time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import jinja2

from howdah.hadoop.daemons import DAEMONS
from howdah.hadoop.readers import RESTARTING, UPGRADING, at_once
from howdah.model.plan import Role
from howdah.render.daemons import HdfsDirectory

_BOOKS = (
    "look", "apply", "start", "upgrade", "downgrade", "finalize", "prove", "site", "leave", "stop",
    "downtime",
)  # fmt: skip


class _Daemon(NamedTuple):
    """A kind of daemon in playbooks: its group, its name, its hosts, and those restarted at once."""

    name: str
    title: str
    count: int
    at_once: int
    leads: bool  # Whether one of a pair is active.


def playbooks(
    present: Mapping[Role, Sequence[str]],
    directories: Sequence[HdfsDirectory],
    port: int,
    replication: int,
    *,
    fencing: str = "",
    secure: bool = False,
) -> dict[str, str]:
    """Every playbook by its name; ``present`` names the hosts of each daemon, ``port`` is the NameNodes'.

    ``fencing`` is the key with which NameNodes stop one another; empty where there is one NameNode. With
    ``secure``, hosts are handed keytabs and key stores too.
    """
    daemons = {
        role: _Daemon(
            kind.name, role.value, len(present[role]), at_once(role, replication), bool(kind.page.active)
        )
        for role, kind in DAEMONS.items()
        if present.get(role)
    }
    books: Any = _template().make_module(
        {
            "daemons": tuple(daemons.values()),
            "directories": f"[{', '.join(map(_directory, directories))}]",
            "fencing": _plain(fencing) if fencing else "",
            "port": port,
            "secure": secure,
        }
    )
    steps = {
        name: [members for step in order if (members := [daemons[role] for role in step if role in daemons])]
        for name, order in (("restart", RESTARTING), ("restart-upgraded", UPGRADING))
    }
    texts = {name: getattr(books, name)() for name in _BOOKS}
    return {**texts, **{name: books.restart(members) for name, members in steps.items()}}


def inventory(manifests: Mapping[str, str], present: Mapping[Role, Sequence[str]]) -> str:
    """Ansible's inventory: every system with its manifest, and the hosts of each daemon."""
    roles = (Role.NAMENODE, Role.RESOURCEMANAGER, Role.HMASTER, Role.ZOOKEEPER, Role.JOURNALNODE)
    masters = list(dict.fromkeys(name for role in roles for name in present[role]))
    systems = [(json.dumps(name), json.dumps(manifest)) for name, manifest in manifests.items()]
    groups = [(DAEMONS[role].name, map(json.dumps, names)) for role, names in present.items() if names]
    books: Any = _template().make_module()
    return str(books.inventory(json.dumps(masters), systems, groups))


def _directory(directory: HdfsDirectory) -> str:
    policy = f", policy: {directory.policy}" if directory.policy else ""
    mode = json.dumps(directory.mode)
    return f"{{path: {_plain(directory.path)}, owner: {directory.owner}, mode: {mode}{policy}}}"


def _plain(text: str) -> str:
    """A value of the plan's in a playbook; Ansible would evaluate what stands in double braces."""
    return f"!unsafe {json.dumps(text)}"


@cache
def _template() -> jinja2.Template:
    return jinja2.Environment(
        block_start_string="[%",
        block_end_string="%]",
        variable_start_string="[[",
        variable_end_string="]]",
        comment_start_string="[#",
        comment_end_string="#]",
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.PackageLoader("howdah.render"),
    ).get_template("playbooks.yaml.j2")
