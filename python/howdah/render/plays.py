"""Plays that start a cluster's daemons from the bottom up, and restart them a few at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from howdah.hadoop.daemons import DAEMONS
from howdah.hadoop.readers import at_once
from howdah.model.plan import Role
from howdah.render.daemons import HdfsDirectory


def play(name: str, hosts: str, tasks: str, *keywords: str) -> str:
    """A play on some hosts; keywords are lines such as ``serial: 1``."""
    head = ("", f"- name: {name}", f"  hosts: {hosts}", "  gather_facts: false")
    return "\n".join((*head, *(f"  {line}" for line in keywords), "  tasks:", tasks))


def daemon_task(name: str, daemon: str, state: str, more: str = "") -> str:
    """The task that brings a daemon of a host into a state; ``more`` are lines that follow."""
    return f"""\
    - name: {name}
      howdah_daemon:
        host: "{{{{ inventory_hostname }}}}"
        daemon: {daemon}
        state: {state}
{more}"""


def books(*names: str) -> str:
    """The lines that play other playbooks."""
    return "".join(f"\n- import_playbook: {name}.yaml\n" for name in names)


def pages(port: int) -> str:
    """An expression: where all NameNodes show their pages."""
    return f"\"{{{{ groups.namenode | map('regex_replace', '$', ':{port}') }}}}\""


def _check(name: str, task: str, condition: str, message: str, when: str = "") -> str:
    return play(
        name,
        "cluster",
        f"""\
    - name: {task}
      assert:
        that: >-
          {condition}
        fail_msg: {message}
        quiet: true
{when}      run_once: true
""",
    )


_DATANODES_WITH_BLOCKS = (
    "{{ groups.cluster | map('extract', hostvars) | selectattr('howdah.holds', 'defined') "
    "| map(attribute='howdah.holds') | flatten }}"
)
_LISTS_CHANGED = (
    "howdah.changes | select('search', '/etc/hadoop/conf/(dfs|yarn)[.](in|ex)clude') | list | length > 0"
)
_NAMENODE_RUNS = (
    "howdah.daemons | selectattr('name', 'eq', 'namenode') | selectattr('active', 'eq', 'active') "
    "| list | length > 0"
)
STARTED = (
    "{{ groups.datanode | map('extract', hostvars) | selectattr('started_datanode.host', 'defined') "
    "| map(attribute='inventory_hostname') }}"
)
NAMENODES = " + ".join(
    f"groups.namenode | map('extract', hostvars) | selectattr('{register}_namenode.host', 'defined') "
    "| list | length"
    for register in ("started", "followed")
)
_DISPENSABLE = (Role.SECONDARY_NAMENODE, Role.JOB_HISTORY)
_FIRST = {
    # Arguments of the first start: of the first daemon, then of the others.
    Role.NAMENODE: (
        # Without manifests that were just applied, the hosts with data are unknown.
        "first: \"{{ 'format' if howdah is defined else '' }}\"\n"
        '        holders: "{{ howdah_holders | default([]) + held }}"',
        "first: bootstrap",
    ),
    Role.FAILOVER_CONTROLLER: ("first: formatzk", ""),
}
_NO_FURTHER = _check(
    "End the deployment if no NameNode runs",
    "Check that one was started",
    f"{NAMENODES} > 0",
    "No NameNode runs, so nothing that needs one was started",
    "      # Hosts without a NameNode may be started alone, with --limit.\n"
    "      when: groups.namenode | intersect(ansible_play_hosts_all) | length > 0\n",
)


def starts(
    present: Mapping[Role, Sequence[str]], directories: Sequence[HdfsDirectory], port: int, fencing: str
) -> str:
    """The plays that start what does not run, from the bottom up; see ``playbooks.start``."""
    parts = [_fencing(fencing)] if fencing else []
    for role in (role for role in DAEMONS if present.get(role)):
        if role is Role.DATANODE:
            parts.append(_REFRESH)
        parts += _of_kind(role, len(present[role]))
        if role is Role.DATANODE:
            parts.append(_hdfs(directories, port))
    return "".join(parts)


def _of_kind(role: Role, count: int) -> Iterator[str]:
    """The plays that start one kind of daemon, where it does not run."""
    name, title = DAEMONS[role].name, f"Start every {role.value}"
    if role not in _FIRST:
        # Ansible ends if all hosts of a play fail, so dispensable daemons share a play with others.
        lone = count == 1 and role in _DISPENSABLE
        task = _start(name, "it", "", f"'{name}' in group_names" if lone else "")
        yield play(title, f"{name}:datanode[0:1]" if lone else name, task)
        return
    first, other_starts = _FIRST[role]
    # One play: if one host is lost, the other one continues.
    tasks = _start(name, "the first", first, f"inventory_hostname == groups.{name}[0]")
    if count > 1:
        tasks += _start(
            name, "the others", other_starts, f"inventory_hostname != groups.{name}[0]", "followed"
        )
    if role is Role.NAMENODE:
        yield play(title, name, tasks, "vars:", f'  held: "{_DATANODES_WITH_BLOCKS}"')
        yield _NO_FURTHER
    else:
        yield play(title, name, tasks)


def _start(daemon: str, subject: str, first: str, condition: str, register: str = "started") -> str:
    lines = f"        {first}\n" if first else ""
    lines += f"      when: {json.dumps(condition)}\n" if condition else ""
    lines += f"      register: {register}_{daemon}\n"
    return daemon_task(
        f"Start {subject} if it does not run, and wait until it works", daemon, "started", lines
    )


def _fencing(key: str) -> str:
    return play(
        "Let NameNodes log in to each other for fencing",
        "namenode",
        f"""\
    - name: Have a key
      howdah_key:
        user: hdfs
        key: {_plain(key)}
      register: fencing
    - name: Authorize the others' keys
      howdah_key:
        user: hdfs
        authorized: "{{{{ ansible_play_hosts | map('extract', hostvars, ['fencing', 'public']) | list }}}}"
""",
    )


_REFRESH = play(
    "Let running masters read the lists of hosts again",
    "namenode",
    f"""\
    - name: Refresh
      run_once: true
      howdah_hdfs:
        namenodes: []
        refresh: true
        yarn: "{{{{ groups.resourcemanager is defined }}}}"
      when:
        - howdah is defined
        - {_NAMENODE_RUNS}
        - {_LISTS_CHANGED}
""",
)


def _hdfs(directories: Sequence[HdfsDirectory], port: int) -> str:
    listed = ", ".join(
        f"{{path: {_plain(directory.path)}, owner: {directory.owner}, mode: {json.dumps(directory.mode)}"
        + (f", policy: {directory.policy}}}" if directory.policy else "}")
        for directory in directories
    )
    return play(
        "Wait for HDFS, and create the directories of other services",
        "namenode",
        f"""\
    - name: Wait for HDFS
      run_once: true
      howdah_hdfs:
        namenodes: {pages(port)}
        datanodes: "{STARTED}"
        directories: [{listed}]
        homes: "{{{{ howdah_homes | default([]) }}}}"
""",
    )


def _plain(text: str) -> str:
    """A value of the plan's in a playbook; Ansible would evaluate what stands in double braces."""
    return f"!unsafe {json.dumps(text)}"


_OF_HDFS = (Role.DATANODE, Role.NAMENODE, Role.JOURNALNODE)
ROLL = """\
    - name: Start a new segment of edits on every JournalNode
      howdah_hdfs:
        namenodes: []
        roll: true
"""
"""A NameNode writes no more of a segment to a JournalNode that was away; without most of them it ends."""
_EVERY_NAMENODE = _check(
    "End the deployment if a NameNode does not run",
    "Check that every one was started",
    f"{NAMENODES} == groups.namenode | length",
    "A NameNode does not run, and nothing is restarted with another release until it does",
)
"""Elsewhere the others go on without it; here it could be the release that keeps it from starting."""
_GROUPS = play(
    "Group hosts by daemons to restart",
    "cluster",
    """\
    - name: Group by what is stale
      group_by:
        key: "stale_{{ item }}"
      loop: "{{ howdah.stale | default([]) }}"
      when: howdah is defined
      changed_when: false
""",
)


class Rolling(NamedTuple):
    """The facts of a plan that restarts need."""

    present: Mapping[Role, Sequence[str]]
    replication: int
    whole: str  # The task that waits until HDFS misses nothing.


def restart(plan: Rolling, order: Sequence[Sequence[Role]]) -> str:
    """Restart what has to read what was changed, in this order."""
    return _GROUPS + "".join(text for step in order for text in _step(plan, step))


def upgrade() -> str:
    """Upgrade to another release without a moment in which HDFS cannot be written to."""
    return _as_upgrade("upgrading") + _change_release("restart-upgraded")


def downgrade() -> str:
    """Go back to the release that an upgrade began from, as long as it was not finalized."""
    return _change_release("restart")


def _change_release(restarts: str) -> str:
    started = books("apply") + _as_upgrade("upgrading") + books("start")
    return started + _EVERY_NAMENODE + books(restarts, "prove")


def upgrade_task(namenodes: str, state: str, words: str) -> str:
    """The play that prepares HDFS's rolling upgrade, or finalizes it; ``namenodes`` is an expression."""
    task = f"""\
    - name: Ask HDFS
      run_once: true
      howdah_hdfs:
        namenodes: {namenodes}
        upgrade: {state}
        patience_s: 3600
"""
    return play(words, "namenode", task, "any_errors_fatal: true")


def as_ever() -> str:
    """Let NameNodes be started as ever, once an upgrade is finalized."""
    return _as_upgrade("upgraded")


def _as_upgrade(state: str) -> str:
    """All NameNodes, or nothing further: one that is started otherwise would not follow the other."""
    words = "as of a rolling upgrade" if state == "upgrading" else "as ever again"
    task = daemon_task("Change their units", "namenode", state)
    return play(f"Let NameNodes be started {words}", "namenode", task, "any_errors_fatal: true")


def _step(plan: Rolling, step: Sequence[Role]) -> Iterator[str]:
    """Yield the plays that restart daemons of one kind, together with those on the same hosts."""
    roles = [role for role in step if plan.present.get(role)]
    if not roles:
        return
    role = roles[-1]
    name = DAEMONS[role].name
    stale = ":".join(f"stale_{DAEMONS[member].name}" for member in roles)
    if not (DAEMONS[role].page.active and len(plan.present[role]) > 1):
        yield _play(plan, roles, f"Restart every {role.value} that reads changed values", stale)
        return
    grouped = f"""\
      register: asked_{name}
    - name: Group by the answer
      group_by:
        key: active_{name}
      when: asked_{name}.leads
      changed_when: false
"""
    title = f"Find the active {role.value} among those that read changed values"
    yield play(title, stale, daemon_task("Ask it", name, "asked", grouped))
    standing = f"Restart every standby {role.value} that reads changed values"
    yield _play(plan, roles, standing, f"{stale}:!active_{name}")
    leading = f"Fail over from the active {role.value}, then restart it"
    yield _play(plan, roles, leading, f"active_{name}", first=len(roles) > 1)


def _play(plan: Rolling, roles: Sequence[Role], name: str, hosts: str, first: bool = False) -> str:
    role = roles[-1]
    roll = ROLL if role is Role.JOURNALNODE else ""
    restarts = (
        daemon_task("Restart it, and wait until it works", DAEMONS[member].name, "fresh") for member in roles
    )
    # Before the restart of its failover controller, which would cause an uncontrolled failover.
    begin = daemon_task("Fail over to another one", DAEMONS[role].name, "follows") if first else ""
    tasks = "".join((begin, roll, *restarts, roll, plan.whole if role in _OF_HDFS else ""))
    return play(name, hosts, tasks, f"serial: {at_once(role, plan.replication)}", "max_fail_percentage: 0")
