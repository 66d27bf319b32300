"""Playbooks of Ansible: manifests first, then daemons in order, with a barrier after each kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from howdah.hadoop.daemons import DAEMONS
from howdah.hadoop.readers import RESTARTING, UPGRADING
from howdah.model.plan import Role
from howdah.render.daemons import HdfsDirectory
from howdah.render.plays import (
    ROLL,
    STARTED,
    Rolling,
    as_ever,
    downgrade,
    pages,
    restart,
    starts,
    upgrade,
    upgrade_task,
)

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
    return (
        HEAD
        + """
- name: Check whether every host can run its plan
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


def apply(secure: bool = False) -> str:
    """Apply every host's manifest; ``secure`` where it is handed keytabs and key stores too."""
    return f"""
- name: Apply every host's manifest
  hosts: cluster
  gather_facts: false
  tasks:
{_HAND_OVER if secure else ""}{_APPLY}{_HANDED if secure else ""}      register: howdah
"""


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


def site() -> str:
    """The whole course."""
    books = ("apply", "start", "restart", "prove")
    return HEAD + "".join(f"\n- import_playbook: {book}.yaml\n" for book in books)


def start(
    present: Mapping[Role, Sequence[str]], directories: Sequence[HdfsDirectory], port: int, fencing: str
) -> str:
    """Start what does not run, in order; ``present`` names the hosts of each daemon.

    ``fencing`` is the key with which NameNodes stop one another; empty where there is one NameNode.
    """
    return HEAD + starts(present, directories, port, fencing)


def rolling(present: Mapping[Role, Sequence[str]], port: int, replication: int) -> Iterator[tuple[str, str]]:
    """The playbooks of rolling restarts, by name: after changes, to another release and back."""
    plan = Rolling(present, replication, _whole(port))
    yield "restart", f"{HEAD}{restart(plan, RESTARTING)}"
    yield "restart-upgraded", f"{HEAD}{restart(plan, UPGRADING)}"
    prepare = upgrade_task(pages(port), "prepare", "Let HDFS keep an image of its names to go back to")
    yield "upgrade", f"{HEAD}{prepare}{upgrade()}"
    yield "downgrade", f"{HEAD}{downgrade()}"
    finalize = upgrade_task(pages(port), "finalize", "Let HDFS keep the image to go back to no longer")
    yield "finalize", f"{HEAD}{finalize}{as_ever()}"


def prove(present: Mapping[Role, Sequence[str]], port: int, secure: bool = False) -> str:
    """Return the playbook that tests HDFS by a file, YARN by a job, and if ``secure`` the access control."""
    job = _job() if present.get(Role.RESOURCEMANAGER) else ""
    # Access control first: an open cluster is worse than one that does not work.
    return f"{HEAD}{_DOORS if secure else ''}{_CONF}{_proof(port)}{job}"


def leave(port: int, secure: bool = False) -> str:
    """Empty the hosts of the group ``leaving``, which howdah adds to the inventory, and stop them."""
    once = (
        apply(secure)
        .replace("hosts: cluster", "hosts: namenode:resourcemanager")
        .replace("Apply every host's manifest", "Update the masters' lists of hosts")
    )
    last = (
        apply(secure)
        .replace("hosts: cluster", "hosts: leaving")
        .replace("Apply every host's manifest", "Stop the daemons of decommissioned hosts")
    )
    return f"""{HEAD}{once}
- name: Wait until the decommissioned hosts have no unique data
  hosts: namenode
  gather_facts: false
  tasks:
    - name: Decommission them
      run_once: true
      howdah_hdfs:
        namenodes: {pages(port)}
        refresh: true
        yarn: "{{{{ groups.resourcemanager is defined }}}}"
        left: "{{{{ howdah_leaving }}}}"
        patience_s: 604800
{last}"""


_REACH = """
# Unreachable hosts are left out from here on, because a play without reachable hosts would be the last.
- name: Reach every host
  hosts: cluster
  gather_facts: false
  tasks:
    - name: Reach it
      ansible.builtin.ping:
"""


def stop(present: Mapping[Role, Sequence[str]]) -> str:
    """Stop all daemons, those that others need last.

    On some hosts only, with ``--limit``, masters hand over to those that stay.
    """
    return f"{HEAD}{_REACH}{_stops(present)}"


def downtime(present: Mapping[Role, Sequence[str]]) -> str:
    """Apply changes that no rolling restart can: first stop the daemons of ``howdah_down``, or all."""
    books = ("apply", "start", "restart", "prove")
    stops = _stops(present, only=True)
    return f"{HEAD}{stops}" + "".join(f"\n- import_playbook: {book}.yaml\n" for book in books)


def _stops(present: Mapping[Role, Sequence[str]], *, only: bool = False) -> str:
    """Stop every daemon in turn, or with ``only`` those of the kinds in ``howdah_down``."""
    parts = []
    for role in reversed([role for role in DAEMONS if present.get(role)]):
        kind = DAEMONS[role]
        parts.append(
            f"""
- name: Stop every {role.value}
  hosts: {kind.name}
  gather_facts: false
  tasks:
"""
        )
        if role is Role.FAILOVER_CONTROLLER:
            # As long as both failover controllers run.
            parts.append(
                "" if only else _leaves("Fail over to a NameNode that stays", Role.NAMENODE, "follows")
            )
        if role is Role.JOURNALNODE and not only:
            stays = "groups.namenode | difference(ansible_play_hosts_all) | length > 0"
            parts.append(f"{ROLL}      when: {stays}\n")
        parts.append(_leaves("Stop it", role, "stopped"))
        if only:
            parts.append(f"      when: \"'{kind.name}' in (howdah_down | default(groups))\"\n")
    return "".join(parts)


def _leaves(name: str, role: Role, state: str) -> str:
    return f"""\
    - name: {name}
      howdah_daemon:
        host: "{{{{ inventory_hostname }}}}"
        daemon: {DAEMONS[role].name}
        state: {state}
        leaving: "{{{{ ansible_play_hosts_all }}}}"
"""


def _whole(port: int) -> str:
    return f"""\
    - name: Wait until another loss would cause no outage
      howdah_hdfs:
        namenodes: {pages(port)}
        datanodes: "{STARTED}"
        whole: true
      run_once: true
"""


def _proof(port: int) -> str:
    return f"""
- name: Check that HDFS keeps what is written
  hosts: namenode
  gather_facts: false
  tasks:
    - name: Write a file, read it back, remove it
      run_once: true
      howdah_hdfs:
        namenodes: {pages(port)}
        proof: true
"""


_CONF = """
- name: Check that every daemon runs with its configuration
  hosts: cluster
  gather_facts: false
  tasks:
    - name: Compare its settings with the plan
      howdah_conf:
        host: "{{ inventory_hostname }}"
"""


_DOORS = """
- name: Check that no client is admitted without a ticket
  hosts: cluster
  gather_facts: false
  tasks:
    - name: Try every port of every daemon
      howdah_doors:
        host: "{{ inventory_hostname }}"
"""


def _job() -> str:
    return """
- name: Check that YARN runs a job, if it was just started
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
