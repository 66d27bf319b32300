"""Playbooks of Ansible: manifests first, then daemons in order, with a barrier after each kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from howdah.hadoop.daemons import DAEMONS
from howdah.hadoop.readers import RESTARTING, UPGRADING
from howdah.model.plan import Role
from howdah.render import plays
from howdah.render.daemons import HdfsDirectory
from howdah.render.plays import STARTED, daemon_task, pages, play

HEAD = """\
# Rendered by howdah. Run it from this folder, with or without howdah:
#
#   ansible-playbook look.yaml                       inspects all hosts, changes nothing
#   ansible-playbook site.yaml --check --diff        shows what would change
#   ansible-playbook site.yaml -e @releases.json     does it (`howdah hadoop pack` writes releases.json)
#   ansible-playbook upgrade.yaml -e @releases.json  upgrades a running Hadoop; finalize.yaml ends the upgrade
#   ansible-playbook downtime.yaml                   stops all, makes changes that cannot roll, starts all
#   ansible-playbook stop.yaml --limit HOST          stops a host's daemons; its masters fail over first
#
# library/howdah_host.py changes a host; manifests/ has each host's planned state.
"""


def inspect() -> str:
    """Return the playbook that inspects all hosts at once."""
    return HEAD + play(
        "Check whether every host can run its plan",
        "cluster",
        """\
    - name: Look
      howdah_look:
        host: "{{ inventory_hostname }}"
        manifest: "{{ lookup('file', playbook_dir ~ '/manifests/' ~ howdah_manifest ~ '.json') }}"
        names: "{{ ([inventory_hostname] + howdah_masters) | unique }}"
        disks: "{{ howdah_disks | default([]) }}"
        mirror: "{{ howdah_mirror | default('') }}"
        trees: "{{ howdah_trees | default({}) }}"
""",
    )


_HAND_OVER = """\
    - name: Copy the administrator's secrets
      howdah_secrets:
        contents: >-
          {%- set found = {} -%}
          {%- for name, one in howdah_secrets.items() -%}
          {%- set _ = found.update({name: lookup('pipe', 'base64 -w0 ' ~ (one.file | quote))}) -%}
          {%- endfor -%}
          {{ found | to_json }}
      # Secrets are neither shown nor kept here; the next task reports missing ones.
      no_log: true
      when: howdah_secrets is defined and not ansible_check_mode
"""


def apply(secure: bool = False, title: str = "Apply every host's manifest", hosts: str = "cluster") -> str:
    """Apply hosts' manifests; ``secure`` where these are handed keytabs and key stores too."""
    tasks = f"{_HAND_OVER}{_APPLY}{_HANDED}" if secure else _APPLY
    return play(title, hosts, f"{tasks}      register: howdah\n")


_HANDED = """\
        secrets: "{{ howdah_secrets | default({}) }}"
"""
_APPLY = """\
    - name: Apply the manifest
      howdah_host:
        host: "{{ inventory_hostname }}"
        manifest: "{{ lookup('file', playbook_dir ~ '/manifests/' ~ howdah_manifest ~ '.json') }}"
        mirror: "{{ howdah_mirror | default('') }}"
        trees: "{{ howdah_trees | default({}) }}"
        disks: "{{ howdah_disks | default([]) }}"
        rollback: "{{ howdah_rollback | default('') }}"
        ask: "{{ howdah_ask | default(false) }}"
"""


_COURSE = ("apply", "start", "restart", "prove")


def site() -> str:
    """The whole course."""
    return HEAD + plays.books(*_COURSE)


def start(
    present: Mapping[Role, Sequence[str]], directories: Sequence[HdfsDirectory], port: int, fencing: str
) -> str:
    """Start what does not run, in order; ``present`` names the hosts of each daemon.

    ``fencing`` is the key with which NameNodes stop one another; empty where there is one NameNode.
    """
    return HEAD + plays.starts(present, directories, port, fencing)


def rolling(present: Mapping[Role, Sequence[str]], port: int, replication: int) -> Iterator[tuple[str, str]]:
    """The playbooks of rolling restarts, by name: after changes, to another release and back."""
    plan = plays.Rolling(present, replication, _whole(port))
    yield "restart", f"{HEAD}{plays.restart(plan, RESTARTING)}"
    yield "restart-upgraded", f"{HEAD}{plays.restart(plan, UPGRADING)}"
    prepare = plays.upgrade_task(pages(port), "prepare", "Let HDFS keep an image of its names to go back to")
    yield "upgrade", f"{HEAD}{prepare}{plays.upgrade()}"
    yield "downgrade", f"{HEAD}{plays.downgrade()}"
    finalize = plays.upgrade_task(pages(port), "finalize", "Let HDFS keep the image to go back to no longer")
    yield "finalize", f"{HEAD}{finalize}{plays.as_ever()}"


def _whole(port: int) -> str:
    return f"""\
    - name: Wait until another loss would cause no outage
      howdah_hdfs:
        namenodes: {pages(port)}
        datanodes: "{STARTED}"
        whole: true
      run_once: true
"""


def prove(present: Mapping[Role, Sequence[str]], port: int, secure: bool = False) -> str:
    """Return the playbook that tests HDFS by a file, YARN by a job, and if ``secure`` the access control."""
    proof = f"""\
    - name: Write a file, read it back, remove it
      run_once: true
      howdah_hdfs:
        namenodes: {pages(port)}
        proof: true
"""
    parts = (
        # Access control first: an open cluster is worse than one that does not work.
        play("Check that no client is admitted without a ticket", "cluster", _DOORS) if secure else "",
        play("Check that every daemon runs with its configuration", "cluster", _CONF),
        play("Check that HDFS keeps what is written", "namenode", proof),
        play("Check that YARN runs a job, if it was just started", "resourcemanager", _JOB)
        if present.get(Role.RESOURCEMANAGER)
        else "",
    )
    return HEAD + "".join(parts)


_DOORS = """\
    - name: Try every port of every daemon
      howdah_doors:
        host: "{{ inventory_hostname }}"
"""
_CONF = """\
    - name: Compare its settings with the plan
      howdah_conf:
        host: "{{ inventory_hostname }}"
"""
_JOB = """\
    - name: Compute pi
      run_once: true
      howdah_hdfs:
        namenodes: []
        job: true
      when: started_resourcemanager is defined and started_resourcemanager is changed
"""


def leave(port: int, secure: bool = False) -> str:
    """Empty the hosts of the group ``leaving``, which howdah adds to the inventory, and stop them."""
    drain = f"""\
    - name: Decommission them
      run_once: true
      howdah_hdfs:
        namenodes: {pages(port)}
        refresh: true
        yarn: "{{{{ groups.resourcemanager is defined }}}}"
        left: "{{{{ howdah_leaving }}}}"
        patience_s: 604800
"""
    return (
        HEAD
        + apply(secure, "Update the masters' lists of hosts", "namenode:resourcemanager")
        + play("Wait until the decommissioned hosts have no unique data", "namenode", drain)
        + apply(secure, "Stop the daemons of decommissioned hosts", "leaving")
    )


def stop(present: Mapping[Role, Sequence[str]]) -> str:
    """Stop all daemons, those that others need last.

    On some hosts only, with ``--limit``, masters hand over to those that stay.
    """
    reach = play("Reach every host", "cluster", "    - name: Reach it\n      ansible.builtin.ping:\n")
    why = (
        "# Unreachable hosts are left out from here on, "
        "because a play without reachable hosts would be the last."
    )
    return f"{HEAD}\n{why}{reach}{_stops(present)}"


def downtime(present: Mapping[Role, Sequence[str]]) -> str:
    """Apply changes that no rolling restart can: first stop the daemons of ``howdah_down``, or all."""
    return HEAD + _stops(present, only=True) + plays.books(*_COURSE)


def _stops(present: Mapping[Role, Sequence[str]], *, only: bool = False) -> str:
    """Stop every daemon in turn, or with ``only`` those of the kinds in ``howdah_down``."""
    parts = []
    for role in reversed([role for role in DAEMONS if present.get(role)]):
        name = DAEMONS[role].name
        tasks = _leaves("Stop it", role, "stopped")
        if only:
            tasks += f"      when: \"'{name}' in (howdah_down | default(groups))\"\n"
        elif role is Role.FAILOVER_CONTROLLER:
            # As long as both failover controllers run.
            tasks = _leaves("Fail over to a NameNode that stays", Role.NAMENODE, "follows") + tasks
        elif role is Role.JOURNALNODE:
            stays = "groups.namenode | difference(ansible_play_hosts_all) | length > 0"
            tasks = f"{plays.ROLL}      when: {stays}\n{tasks}"
        parts.append(play(f"Stop every {role.value}", name, tasks))
    return "".join(parts)


def _leaves(name: str, role: Role, state: str) -> str:
    return daemon_task(name, DAEMONS[role].name, state, '        leaving: "{{ ansible_play_hosts_all }}"\n')
