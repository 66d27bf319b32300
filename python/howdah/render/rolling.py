"""Playbooks that restart what has to read what was changed, a few at a time, and upgrade a release so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from howdah.hadoop.daemons import DAEMONS
from howdah.hadoop.order import at_once
from howdah.model.plan import Role
from howdah.render.starting import NAMENODES

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
    """What restarts need to know of a plan."""

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
    return _as_upgrade("upgrading") + _to_other_release("restart-upgraded")


def downgrade() -> str:
    """Go back to the release that an upgrade began from, as long as it was not finalized."""
    return _to_other_release("restart")


def _to_other_release(restarts: str) -> str:
    """What NameNodes are started with is said anew, for their program is another one."""
    started = _books("apply") + _as_upgrade("upgrading") + _books("start")
    return started + _EVERY_NAMENODE + _books(restarts, "prove")


def upgrade_task(namenodes: str, what: str, words: str) -> str:
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
        upgrade: {what}
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
    """The plays that restart daemons of one kind, with those beside them that go along."""
    roles = [role for role in step if plan.present.get(role)]
    if not roles:
        return
    role = roles[-1]
    kind = DAEMONS[role]
    stale = ":".join(f"stale_{DAEMONS[one].name}" for one in roles)
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
        # Before its failover controller is restarted, which would lose its place without being asked.
        text += _task("Fail over to another one", DAEMONS[role].name, "follows")
    roll = ROLL if role is Role.JOURNALNODE else ""
    text += roll
    text += "".join(_task("Restart it, and wait until it works", DAEMONS[one].name, "fresh") for one in roles)
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
