"""Plays that start a cluster's daemons from the bottom up, and restart them a few at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from howdah.hadoop.daemons import DAEMONS
from howdah.hadoop.readers import at_once
from howdah.model.plan import Role
from howdah.render.daemons import HdfsDirectory

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
"""The hosts of DataNodes that were started or already ran."""
NAMENODES = " + ".join(
    f"groups.namenode | map('extract', hostvars) | selectattr('{register}_namenode.host', 'defined') "
    "| list | length"
    for register in ("started", "followed")
)
"""Number of NameNodes that were started or already ran."""
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
_NO_FURTHER = f"""
- name: End the deployment if no NameNode runs
  hosts: cluster
  gather_facts: false
  tasks:
    - name: Check that one was started
      assert:
        that: >-
          {NAMENODES} > 0
        fail_msg: No NameNode runs, so nothing that needs one was started
        quiet: true
      # Hosts without a NameNode may be started alone, with --limit.
      when: groups.namenode | intersect(ansible_play_hosts_all) | length > 0
      run_once: true
"""


def starts(
    present: Mapping[Role, Sequence[str]], directories: Sequence[HdfsDirectory], port: int, fencing: str
) -> str:
    """The plays that start what does not run, from the bottom up; see ``playbooks.start``."""
    parts = [_fencing(fencing)] if fencing else []
    for role in (role for role in DAEMONS if present.get(role)):
        if role is Role.DATANODE:
            parts.append(_refresh())
        parts += _of_kind(role, len(present[role]))
        if role is Role.DATANODE:
            parts.append(_hdfs(directories, port))
    return "".join(parts)


def pages(port: int) -> str:
    """An expression: where all NameNodes show their pages."""
    return f"\"{{{{ groups.namenode | map('regex_replace', '$', ':{port}') }}}}\""


def _of_kind(role: Role, count: int) -> Iterator[str]:
    """The plays that start one kind of daemon, where it does not run."""
    name = DAEMONS[role].name
    if role not in _FIRST:
        # Ansible ends if all hosts of a play fail, so dispensable daemons share a play with others.
        lone = count == 1 and role in _DISPENSABLE
        task = _start(name, "it", "", f"'{name}' in group_names" if lone else "")
        yield _start_play(role, f"{name}:datanode[0:1]" if lone else name, [task])
        return
    first, other_starts = _FIRST[role]
    tasks = [_start(name, "the first", first, f"inventory_hostname == groups.{name}[0]")]
    if count > 1:
        condition = f"inventory_hostname != groups.{name}[0]"
        tasks.append(_start(name, "the others", other_starts, condition, "followed"))
    # One play: if one host is lost, the other one continues.
    yield _start_play(role, name, tasks, waits_for_data=role is Role.NAMENODE)
    if role is Role.NAMENODE:
        yield _NO_FURTHER


def _start_play(role: Role, hosts: str, tasks: Sequence[str], waits_for_data: bool = False) -> str:
    return (
        f"""
- name: Start every {role.value}
  hosts: {hosts}
  gather_facts: false
"""
        + (f'  vars:\n    held: "{_DATANODES_WITH_BLOCKS}"\n' if waits_for_data else "")
        + "  tasks:\n"
        + "".join(tasks)
    )


def _start(daemon: str, subject: str, more: str, condition: str, register: str = "started") -> str:
    return (
        f"""\
    - name: Start {subject} if it does not run, and wait until it works
      howdah_daemon:
        host: "{{{{ inventory_hostname }}}}"
        daemon: {daemon}
        state: started
"""
        + (f"        {more}\n" if more else "")
        + (f"      when: {json.dumps(condition)}\n" if condition else "")
        + f"      register: {register}_{daemon}\n"
    )


def _fencing(key: str) -> str:
    return f"""
- name: Let NameNodes log in to each other for fencing
  hosts: namenode
  gather_facts: false
  tasks:
    - name: Have a key
      howdah_key:
        user: hdfs
        key: {_plain(key)}
      register: fencing
    - name: Authorize the others' keys
      howdah_key:
        user: hdfs
        authorized: "{{{{ ansible_play_hosts | map('extract', hostvars, ['fencing', 'public']) | list }}}}"
"""


def _refresh() -> str:
    return f"""
- name: Let running masters read the lists of hosts again
  hosts: namenode
  gather_facts: false
  tasks:
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
"""


def _hdfs(directories: Sequence[HdfsDirectory], port: int) -> str:
    listed = ", ".join(
        f"{{path: {_plain(directory.path)}, owner: {directory.owner}, mode: {json.dumps(directory.mode)}"
        + (f", policy: {directory.policy}}}" if directory.policy else "}")
        for directory in directories
    )
    return f"""
- name: Wait for HDFS, and create the directories of other services
  hosts: namenode
  gather_facts: false
  tasks:
    - name: Wait for HDFS
      run_once: true
      howdah_hdfs:
        namenodes: {pages(port)}
        datanodes: "{STARTED}"
        directories: [{listed}]
        homes: "{{{{ howdah_homes | default([]) }}}}"
"""


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
_EVERY_NAMENODE = f"""
- name: End the deployment if a NameNode does not run
  hosts: cluster
  gather_facts: false
  tasks:
    - name: Check that every one was started
      assert:
        that: >-
          {NAMENODES} == groups.namenode | length
        fail_msg: A NameNode does not run, and nothing is restarted with another release until it does
        quiet: true
      run_once: true
"""
"""Elsewhere the others go on without it; here it could be the release that keeps it from starting."""


class Rolling(NamedTuple):
    """The facts of a plan that restarts need."""

    present: Mapping[Role, Sequence[str]]
    """The hosts of each daemon."""
    replication: int
    whole: str
    """The task that waits until HDFS misses nothing."""


def restart(plan: Rolling, order: Sequence[Sequence[Role]]) -> str:
    """Restart what has to read what was changed, in this order."""
    return _groups() + "".join(text for step in order for text in _step(plan, step))


def upgrade() -> str:
    """Upgrade to another release without a moment in which HDFS cannot be written to."""
    return _as_upgrade("upgrading") + _change_release("restart-upgraded")


def downgrade() -> str:
    """Go back to the release that an upgrade began from, as long as it was not finalized."""
    return _change_release("restart")


def _change_release(restarts: str) -> str:
    """Change the start options of NameNodes for another release."""
    started = _books("apply") + _as_upgrade("upgrading") + _books("start")
    return started + _EVERY_NAMENODE + _books(restarts, "prove")


def upgrade_task(namenodes: str, state: str, words: str) -> str:
    """The play that prepares HDFS's rolling upgrade, or finalizes it; ``namenodes`` is an expression."""
    return f"""
- name: {words}
  hosts: namenode
  gather_facts: false
  any_errors_fatal: true
  tasks:
    - name: Ask HDFS
      run_once: true
      howdah_hdfs:
        namenodes: {namenodes}
        upgrade: {state}
        patience_s: 3600
"""


def as_ever() -> str:
    """Let NameNodes be started as ever, once an upgrade is finalized."""
    return _as_upgrade("upgraded")


def _as_upgrade(state: str) -> str:
    """All NameNodes, or nothing further: one that is started otherwise would not follow the other."""
    words = "as of a rolling upgrade" if state == "upgrading" else "as ever again"
    return f"""
- name: Let NameNodes be started {words}
  hosts: namenode
  gather_facts: false
  any_errors_fatal: true
  tasks:
    - name: Change their units
      howdah_daemon:
        host: "{{{{ inventory_hostname }}}}"
        daemon: namenode
        state: {state}
"""


def _books(*names: str) -> str:
    return "".join(f"\n- import_playbook: {name}.yaml\n" for name in names)


def _groups() -> str:
    return """
- name: Group hosts by daemons to restart
  hosts: cluster
  gather_facts: false
  tasks:
    - name: Group by what is stale
      group_by:
        key: "stale_{{ item }}"
      loop: "{{ howdah.stale | default([]) }}"
      when: howdah is defined
      changed_when: false
"""


def _step(plan: Rolling, step: Sequence[Role]) -> Iterator[str]:
    """Yield the plays that restart daemons of one kind, together with those on the same hosts."""
    roles = [role for role in step if plan.present.get(role)]
    if not roles:
        return
    role = roles[-1]
    kind = DAEMONS[role]
    stale = ":".join(f"stale_{DAEMONS[member].name}" for member in roles)
    if not (kind.page.active and len(plan.present[role]) > 1):
        yield _play(plan, roles, f"Restart every {role.value} that reads changed values", stale)
        return
    yield f"""
- name: Find the active {role.value} among those that read changed values
  hosts: {stale}
  gather_facts: false
  tasks:
    - name: Ask it
      howdah_daemon:
        host: "{{{{ inventory_hostname }}}}"
        daemon: {kind.name}
        state: asked
      register: asked_{kind.name}
    - name: Group by the answer
      group_by:
        key: active_{kind.name}
      when: asked_{kind.name}.leads
      changed_when: false
"""
    standing = f"Restart every standby {role.value} that reads changed values"
    yield _play(plan, roles, standing, f"{stale}:!active_{kind.name}")
    leading = f"Fail over from the active {role.value}, then restart it"
    yield _play(plan, roles, leading, f"active_{kind.name}", first=len(roles) > 1)


def _play(plan: Rolling, roles: Sequence[Role], name: str, hosts: str, first: bool = False) -> str:
    role = roles[-1]
    text = f"""
- name: {name}
  hosts: {hosts}
  gather_facts: false
  serial: {at_once(role, plan.replication)}
  max_fail_percentage: 0
  tasks:
"""
    if first:
        # Before the restart of its failover controller, which would cause an uncontrolled failover.
        text += _task("Fail over to another one", DAEMONS[role].name, "follows")
    roll = ROLL if role is Role.JOURNALNODE else ""
    text += roll
    text += "".join(
        _task("Restart it, and wait until it works", DAEMONS[member].name, "fresh") for member in roles
    )
    text += roll
    return text + (plan.whole if role in _OF_HDFS else "")


def _task(name: str, daemon: str, state: str) -> str:
    return f"""\
    - name: {name}
      howdah_daemon:
        host: "{{{{ inventory_hostname }}}}"
        daemon: {daemon}
        state: {state}
"""
