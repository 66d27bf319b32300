"""Playbooks of Ansible: manifests first, then daemons in order, with a barrier after each kind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from howdah.model.plan import Role
from howdah.render.daemons import KINDS
from howdah.render.directories import HostDirectory
from howdah.render.rolling import (
    RESTARTING,
    ROLL,
    UPGRADING,
    Rolling,
    as_ever,
    downgrade,
    restart,
    upgrade,
    upgrade_task,
)

_ORDER = tuple(KINDS)
HEAD = """\
# Rendered by howdah. Run it from this folder, with or without howdah:
#
#   ansible-playbook look.yaml                       looks at all hosts, changes nothing
#   ansible-playbook site.yaml --check --diff        shows what would change
#   ansible-playbook site.yaml -e @releases.json     does it (`howdah hadoop pack` writes releases.json)
#   ansible-playbook upgrade.yaml -e @releases.json  does it where another Hadoop runs; finalize.yaml ends it
#   ansible-playbook stop.yaml --limit HOST          stops a host's daemons; its masters hand over
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


def rolling(present: Mapping[Role, Sequence[str]], port: int, replication: int) -> Iterator[tuple[str, str]]:
    """What restarts a few at a time: after changes, and to another release and back; each with its name."""
    plan = Rolling(present, replication, _whole(port))
    yield "restart", f"{HEAD}{restart(plan, RESTARTING)}"
    yield "restart-upgraded", f"{HEAD}{restart(plan, UPGRADING)}"
    prepare = upgrade_task(_pages(port), "prepare", "Let HDFS keep an image of its names to go back to")
    yield "upgrade", f"{HEAD}{prepare}{upgrade()}"
    yield "downgrade", f"{HEAD}{downgrade()}"
    finalize = upgrade_task(_pages(port), "finalize", "Let HDFS keep the image to go back to no longer")
    yield "finalize", f"{HEAD}{finalize}{as_ever()}"


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
  hosts: namenode[0]
  gather_facts: false
  any_errors_fatal: true
  tasks:
    - name: Decommission them
      howdah_hdfs:
        namenodes: {_pages(port)}
        refresh: true
        yarn: "{{{{ groups.resourcemanager is defined }}}}"
        left: "{{{{ howdah_leaving }}}}"
        patience_s: 604800
{last}"""


def stop(present: Mapping[Role, Sequence[str]]) -> str:
    """Stop all daemons, those that others need last.

    On some hosts only, with ``--limit``, masters hand over to those that stay.
    """
    parts = [HEAD]
    for role in reversed([role for role in _ORDER if present.get(role)]):
        kind = KINDS[role]
        parts.append(
            f"""
- name: Stop every {role.value}
  hosts: {kind.name}
  gather_facts: false
  tasks:
"""
        )
        if role is Role.FAILOVER_CONTROLLER:
            # While both controllers are there to do it.
            parts.append(_leaves("Let a NameNode take over that stays", Role.NAMENODE, "follows"))
        if role is Role.JOURNALNODE:
            stays = "groups.namenode | difference(ansible_play_hosts_all) | length > 0"
            parts.append(f"{ROLL}      when: {stays}\n")
        parts.append(_leaves("Stop it", role, "stopped"))
    return "".join(parts)


def _leaves(name: str, role: Role, state: str) -> str:
    return f"""\
    - name: {name}
      howdah_daemon:
        host: "{{{{ inventory_hostname }}}}"
        daemon: {KINDS[role].name}
        state: {state}
        leaving: "{{{{ ansible_play_hosts_all }}}}"
"""


def _starts(role: Role, count: int) -> Iterator[str]:
    """The plays that start one kind of daemon, where it does not run."""
    if role is Role.NAMENODE:
        yield _start(
            role,
            "namenode[0]",
            "first",
            # Where manifests were not applied just before, nobody has told who holds data.
            "first: \"{{ 'format' if howdah is defined else '' }}\"\n"
            '        holders: "{{ howdah_holders | default([]) + held }}"',
            held=True,
        )
        if count > 1:
            yield _start(role, "namenode[1:]", "second", "first: bootstrap")
    elif role is Role.FAILOVER_CONTROLLER:
        yield _start(role, "zkfc[0]", "first", "first: formatzk")
        yield _start(role, "zkfc[1:]", "second", "")
    else:
        yield _start(role, KINDS[role].name, "", "")


def _start(role: Role, hosts: str, which: str, more: str, held: bool = False) -> str:
    kind = KINDS[role]
    # Without one of these nothing else can be started, or it would be in vain.
    fatal = role in (Role.ZOOKEEPER, Role.JOURNALNODE, Role.NAMENODE, Role.RESOURCEMANAGER)
    words = f"the {which} {role.value}" if which else f"every {role.value}"
    return (
        f"""
- name: Start {words}
  hosts: {hosts}
  gather_facts: false
"""
        + ("  any_errors_fatal: true\n" if fatal else "")
        + (f'  vars:\n    held: "{_HELD}"\n' if held else "")
        + f"""\
  tasks:
    - name: Start it where it does not run, and wait until it is of use
      howdah_daemon:
        host: "{{{{ inventory_hostname }}}}"
        daemon: {kind.name}
        state: started
"""
        + (f"        {more}\n" if more else "")
        + f"      register: started_{kind.name}\n"
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
  hosts: namenode[0]
  gather_facts: false
  tasks:
    - name: Refresh
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
  hosts: namenode[0]
  gather_facts: false
  any_errors_fatal: true
  tasks:
    - name: Wait for HDFS
      howdah_hdfs:
        namenodes: {_pages(port)}
        datanodes: "{_STARTED}"
        directories: [{listed}]
"""


def _whole(port: int) -> str:
    return f"""\
    - name: Wait until nothing is lacking that one more loss would end
      howdah_hdfs:
        namenodes: {_pages(port)}
        datanodes: "{_STARTED}"
        whole: true
      delegate_to: "{{{{ groups.namenode[0] }}}}"
      run_once: true
"""


def _proof(port: int) -> str:
    return f"""
- name: See that HDFS keeps what is written
  hosts: namenode[0]
  gather_facts: false
  tasks:
    - name: Write a file, read it back, remove it
      howdah_hdfs:
        namenodes: {_pages(port)}
        proof: true
"""


def _job() -> str:
    return """
- name: See that YARN runs a job, where it was started just now
  hosts: resourcemanager[0]
  gather_facts: false
  tasks:
    - name: Compute pi
      howdah_hdfs:
        namenodes: []
        job: true
      when: started_resourcemanager is defined and started_resourcemanager is changed
"""
