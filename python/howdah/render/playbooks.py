"""Playbooks of Ansible: manifests first, then daemons in order, with a barrier after each kind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from howdah.model.plan import Role
from howdah.render.daemons import KINDS
from howdah.render.directories import HostDirectory

_ORDER = tuple(KINDS)
_ROLLING = (
    # Workers first, masters last; of what needs a majority, or stands in for another, one at a time.
    Role.DATANODE,
    Role.NODEMANAGER,
    Role.REGIONSERVER,
    Role.SECONDARY_NAMENODE,
    Role.JOB_HISTORY,
    Role.JOURNALNODE,
    Role.ZOOKEEPER,
    Role.FAILOVER_CONTROLLER,
    Role.RESOURCEMANAGER,
    Role.NAMENODE,
    Role.HMASTER,
)
HEAD = """\
# Rendered by howdah. Run it from this folder, with or without howdah:
#
#   ansible-playbook look.yaml                       looks at all hosts, changes nothing
#   ansible-playbook site.yaml --check --diff        shows what would change
#   ansible-playbook site.yaml -e @releases.json     does it (`howdah hadoop pack` writes releases.json)
#
# What is done to a host is in library/howdah_host.py, what it is to be in manifests/.
"""
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


def look() -> str:
    """Look at all hosts at once."""
    return (
        HEAD
        + """
- name: Look whether every host can become what is planned
  hosts: cluster
  gather_facts: false
  tasks:
    - name: Look
      howdah_look:
        host: "{{ inventory_hostname }}"
        manifest: "{{ lookup('file', playbook_dir ~ '/manifests/' ~ howdah_manifest ~ '.json') }}"
        names: "{{ ([inventory_hostname] + howdah_masters) | unique }}"
        disks: "{{ howdah_disks | default([]) }}"
        mirror: "{{ howdah_mirror | default('') }}"
        trees: "{{ howdah_trees | default({}) }}"
"""
    )


def apply() -> str:
    """Make every host what its manifest says."""
    return """
- name: Make every host what its manifest says
  hosts: cluster
  gather_facts: false
  tasks:
    - name: Apply the manifest
      howdah_host:
        host: "{{ inventory_hostname }}"
        manifest: "{{ lookup('file', playbook_dir ~ '/manifests/' ~ howdah_manifest ~ '.json') }}"
        mirror: "{{ howdah_mirror | default('') }}"
        trees: "{{ howdah_trees | default({}) }}"
        disks: "{{ howdah_disks | default([]) }}"
        rollback: "{{ howdah_rollback | default('') }}"
        ask: "{{ howdah_ask | default(false) }}"
      register: howdah
"""


def site() -> str:
    """The whole course."""
    books = ("apply", "start", "restart", "prove")
    return HEAD + "".join(f"\n- import_playbook: {book}.yaml\n" for book in books)


def start(
    present: Mapping[Role, Sequence[str]], directories: Sequence[HostDirectory], port: int, fencing: str
) -> str:
    """Start what does not run, in order; ``present`` names the hosts of each daemon.

    ``fencing`` is the key with which NameNodes stop one another; empty where there is one NameNode.
    """
    parts = [HEAD, _fencing(fencing)] if fencing else [HEAD]
    for role in (role for role in _ORDER if present.get(role)):
        if role is Role.DATANODE:
            parts.append(_refresh())
        parts += _starts(role, len(present[role]))
        if role is Role.DATANODE:
            parts.append(_hdfs(directories, port))
    return "".join(parts)


def restart(present: Mapping[Role, Sequence[str]], port: int, replication: int) -> str:
    """Restart what has to read what was changed, a few at a time."""
    restarts = (_restart(role, port, replication) for role in _ROLLING if present.get(role))
    return "".join([HEAD, _groups(), *restarts])


def prove(present: Mapping[Role, Sequence[str]], port: int) -> str:
    """See that HDFS keeps what is written, and that YARN runs a job."""
    return f"{HEAD}{_proof(port)}{_job() if present.get(Role.RESOURCEMANAGER) else ''}"


def leave(port: int) -> str:
    """Empty the hosts of the group ``leaving``, which howdah adds to the inventory, and stop them."""
    once = (
        apply()
        .replace("hosts: cluster", "hosts: namenode:resourcemanager")
        .replace("Make every host what its manifest says", "Tell the masters who leaves")
    )
    last = (
        apply()
        .replace("hosts: cluster", "hosts: leaving")
        .replace("Make every host what its manifest says", "Stop what runs on hosts that were emptied")
    )
    return f"""{HEAD}{once}
- name: Wait until the hosts that leave hold nothing that is not elsewhere
  hosts: namenode
  gather_facts: false
  tasks:
    - name: Decommission them
      run_once: true
      howdah_hdfs:
        namenodes: {_pages(port)}
        refresh: true
        yarn: "{{{{ groups.resourcemanager is defined }}}}"
        left: "{{{{ howdah_leaving }}}}"
        patience_s: 604800
{last}"""


def stop(present: Mapping[Role, Sequence[str]]) -> str:
    """Stop all daemons, those that others need last."""
    parts = [HEAD]
    for role in reversed([role for role in _ORDER if present.get(role)]):
        kind = KINDS[role]
        parts.append(
            f"""
- name: Stop every {role.value}
  hosts: {kind.name}
  gather_facts: false
  tasks:
    - name: Stop it
      howdah_daemon:
        daemon: {kind.name}
        state: stopped
"""
        )
    return "".join(parts)


def _groups() -> str:
    return """
- name: Know whose daemons must be restarted
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


def _starts(role: Role, count: int) -> Iterator[str]:
    """The plays that start one kind of daemon, where it does not run."""
    name = KINDS[role].name
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


_NO_FURTHER = """
- name: Go no further without a NameNode
  hosts: cluster
  gather_facts: false
  tasks:
    - name: See that one was started
      assert:
        that: >-
          groups.namenode | map('extract', hostvars) | selectattr('started_namenode.host', 'defined')
          | list | length + groups.namenode | map('extract', hostvars)
          | selectattr('followed_namenode.host', 'defined') | list | length > 0
        fail_msg: No NameNode runs, and nothing was started that needs one
        quiet: true
      run_once: true
"""
_DISPENSABLE = (Role.SECONDARY_NAMENODE, Role.JOB_HISTORY)
_FIRST = {
    # What the first start of the first one needs, and of the others.
    Role.NAMENODE: (
        'first: format\n        holders: "{{ howdah_holders | default([]) + held }}"',
        "first: bootstrap",
    ),
    Role.FAILOVER_CONTROLLER: ("first: formatzk", ""),
}


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
    - name: Start {which} where it does not run, and wait until it is of use
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
- name: Let NameNodes log in to one another, to stop one that does not answer
  hosts: namenode
  gather_facts: false
  tasks:
    - name: Have a key
      howdah_key:
        user: hdfs
        key: {_plain(key)}
      register: fencing
    - name: Let the others' keys in
      howdah_key:
        user: hdfs
        authorized: "{{{{ ansible_play_hosts | map('extract', hostvars, ['fencing', 'public']) | list }}}}"
"""


def _plain(text: str) -> str:
    """A value of the plan's in a playbook; Ansible would evaluate what stands in double braces."""
    return f"!unsafe {json.dumps(text)}"


def _refresh() -> str:
    return f"""
- name: Let masters that run read the lists of members again
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


def _pages(port: int) -> str:
    return f"\"{{{{ groups.namenode | map('regex_replace', '$', ':{port}') }}}}\""


_STARTED = (
    "{{ groups.datanode | map('extract', hostvars) | selectattr('started_datanode.host', 'defined') "
    "| map(attribute='inventory_hostname') }}"
)


def _hdfs(directories: Sequence[HostDirectory], port: int) -> str:
    listed = ", ".join(
        f"{{path: {_plain(one.path)}, owner: {one.owner}, mode: {json.dumps(one.mode)}}}"
        for one in directories
    )
    return f"""
- name: Wait for HDFS, and make the directories that others need there
  hosts: namenode
  gather_facts: false
  tasks:
    - name: Wait for HDFS
      run_once: true
      howdah_hdfs:
        namenodes: {_pages(port)}
        datanodes: "{_STARTED}"
        directories: [{listed}]
        homes: "{{{{ howdah_homes | default([]) }}}}"
"""


def _restart(role: Role, port: int, replication: int) -> str:
    kind = KINDS[role]
    workers = role in (Role.DATANODE, Role.NODEMANAGER, Role.REGIONSERVER)
    at_once = max(1, replication - 1) if workers else 1
    text = f"""
- name: Restart every {role.value} that has to read what has changed
  hosts: stale_{kind.name}
  gather_facts: false
  serial: {at_once}
  max_fail_percentage: 0
  tasks:
    - name: Restart it, and wait until it is of use
      howdah_daemon:
        host: "{{{{ inventory_hostname }}}}"
        daemon: {kind.name}
        state: fresh
"""
    if role in (Role.DATANODE, Role.NAMENODE, Role.JOURNALNODE):
        text += f"""\
    - name: Wait until nothing is lacking that one more loss would end
      howdah_hdfs:
        namenodes: {_pages(port)}
        datanodes: "{_STARTED}"
        whole: true
      run_once: true
"""
    return text


def _proof(port: int) -> str:
    return f"""
- name: See that HDFS keeps what is written
  hosts: namenode
  gather_facts: false
  tasks:
    - name: Write a file, read it back, remove it
      run_once: true
      howdah_hdfs:
        namenodes: {_pages(port)}
        proof: true
"""


def _job() -> str:
    return """
- name: See that YARN runs a job, where it was started just now
  hosts: resourcemanager
  gather_facts: false
  tasks:
    - name: Compute pi
      run_once: true
      howdah_hdfs:
        namenodes: []
        job: true
      when: started_resourcemanager is defined and started_resourcemanager is changed
"""
