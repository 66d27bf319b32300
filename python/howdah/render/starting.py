"""Plays that start a cluster from the bottom up, and go on where one of several hosts is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from howdah.hadoop.daemons import DAEMONS
from howdah.model.plan import Role
from howdah.render.directories import HostDirectory

_HELD = (
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
"""The hosts whose DataNodes were started, or found running."""
NAMENODES = " + ".join(
    f"groups.namenode | map('extract', hostvars) | selectattr('{told}_namenode.host', 'defined') "
    "| list | length"
    for told in ("started", "followed")
)
"""How many NameNodes were started, or found running."""
_DISPENSABLE = (Role.SECONDARY_NAMENODE, Role.JOB_HISTORY)
_FIRST = {
    # What the first start of the first one needs, and of the others.
    Role.NAMENODE: (
        # Where manifests were not applied just before, nobody has told who holds data.
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
    present: Mapping[Role, Sequence[str]], directories: Sequence[HostDirectory], port: int, fencing: str
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
        # A play all of whose hosts fail ends the whole course: what others can do without has company.
        lone = count == 1 and role in _DISPENSABLE
        task = _start(name, "it", "", f"'{name}' in group_names" if lone else "")
        yield _play(role, f"{name}:datanode[0:1]" if lone else name, [task])
        return
    first, others = _FIRST[role]
    tasks = [_start(name, "the first", first, f"inventory_hostname == groups.{name}[0]")]
    if count > 1:
        condition = f"inventory_hostname != groups.{name}[0]"
        tasks.append(_start(name, "the others", others, condition, "followed"))
    # In one play, so that where one host is lost the other one goes on.
    yield _play(role, name, tasks, held=role is Role.NAMENODE)
    if role is Role.NAMENODE:
        yield _NO_FURTHER


def _play(role: Role, hosts: str, tasks: Sequence[str], held: bool = False) -> str:
    return (
        f"""
- name: Start every {role.value}
  hosts: {hosts}
  gather_facts: false
"""
        + (f'  vars:\n    held: "{_HELD}"\n' if held else "")
        + "  tasks:\n"
        + "".join(tasks)
    )


def _start(daemon: str, which: str, more: str, condition: str, told: str = "started") -> str:
    return (
        f"""\
    - name: Start {which} if it does not run, and wait until it works
      howdah_daemon:
        host: "{{{{ inventory_hostname }}}}"
        daemon: {daemon}
        state: started
"""
        + (f"        {more}\n" if more else "")
        + (f"      when: {json.dumps(condition)}\n" if condition else "")
        + f"      register: {told}_{daemon}\n"
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


def _hdfs(directories: Sequence[HostDirectory], port: int) -> str:
    listed = ", ".join(
        f"{{path: {_plain(one.path)}, owner: {one.owner}, mode: {json.dumps(one.mode)}}}"
        for one in directories
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
