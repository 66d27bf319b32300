"""What ``howdah deploy`` shows: what is wrong, what was changed, what would be, what runs."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from howdah.units import format_counted

if TYPE_CHECKING:
    from howdah.session.deploy.deploying import ClusterStatus, HostProblem
    from howdah.session.deploy.states import Deployed, DeployedHost
    from howdah.session.deploy.upgrading import HdfsUpgrade

_SHOWN = 6
"""As many changes of a host as one line names."""


def wrong_table(found: Sequence[HostProblem]) -> RenderableType:
    """All that is wrong, host by host."""
    table = _table("host", "what is wrong", "what to do")
    for wrong in sorted(found):
        table.add_row(wrong.host, wrong.what, wrong.fix)
    return Group(table, Text())


def pending_text(done: Deployed) -> RenderableType:
    """What would be done: on each host in short, then to the cluster in order."""
    table = _table("host", "changes", "what", "daemons")
    for host, state in done.states.items():
        if not state.settled:
            daemons = [f"{verb} {', '.join(names)}" for verb, names in _daemons(state) if names]
            table.add_row(host, str(len(state.changes)), _in_short(state.changes), "; ".join(daemons))
    if not table.row_count:
        return Group(*map(Text, done.steps))
    steps = (Text(f"order  {index}. {step}") for index, step in enumerate(done.steps, start=1))
    return Group(table, Text(), *steps)


def _daemons(state: DeployedHost) -> tuple[tuple[str, Sequence[str]], ...]:
    return ("start", state.to_start), ("restart", state.to_restart)


def _in_short(changes: Sequence[str]) -> str:
    more = f" and {len(changes) - _SHOWN} more" if len(changes) > _SHOWN else ""
    return ", ".join(changes[-_SHOWN:]) + more


def deployed_text(done: Deployed) -> RenderableType:
    """What was changed on each host, what failed, and the sum of it."""
    parts: list[RenderableType] = []
    if done.changed:
        table = _table("host", "changed", "what")
        for host, changes in done.hosts.items():
            if changes:
                table.add_row(host, str(len(changes)), _in_short(changes))
        parts += [table, Text()]
    for host, notes in done.notes.items():
        parts += (Text(f"note     {host}: {note}") for note in dict.fromkeys(notes))
    if done.failures:
        parts += [wrong_table(done.failures)]
    parts.append(Text(_sum(done)))
    return Group(*parts)


def _sum(done: Deployed) -> str:
    hosts = format_counted(len(done.hosts), "host")
    failed = len({failure.host for failure in done.failures})
    told = f"cluster  {done.cluster}: {hosts}, {done.changed} changed"
    if failed:
        told += f", {format_counted(failed, 'host')} failed; fix that, then run it again"
    return f"{told} ({done.elapsed_s:.1f} s)"


def diff_text(done: Deployed) -> RenderableType:
    """What would change on each host, line by line, and in which order daemons would be restarted."""
    lines = [Text(line) for state in done.states.values() for line in _differences(state)]
    return Group(*lines, *(Text(f"order  {index}. {step}") for index, step in enumerate(done.steps, start=1)))


def _differences(state: DeployedHost) -> Iterator[str]:
    told = {str(diff["after_header"]): diff for diff in state.diffs}
    if state.settled:
        return
    yield f"{state.host}:"
    for change in state.changes:
        yield f"  {change}"
        if change in told:
            before, after = (str(told[change][key]).splitlines() for key in ("before", "after"))
            lines = list(difflib.unified_diff(before, after, lineterm="", n=0))[2:]
            # A new file is told by its name alone.
            yield from (f"    {line}" for line in lines if before and not line.startswith("@@"))
    yield from (f"  start {name}" for name in state.to_start)
    yield from (f"  restart {name}" for name in state.to_restart)


def status_text(status: ClusterStatus) -> RenderableType:
    """Every daemon of every host."""
    table = _table("host", "daemon", "is", "since its start")
    for host, state in status.states.items():
        for daemon in state.daemons:
            is_now = daemon["lacks"] or ("well" if daemon["active"] == "active" else daemon["active"])
            since = (
                [] if daemon["fresh"] or daemon["active"] != "active" else ["its configuration has changed"]
            )
            if daemon["restarts"]:
                since.append(f"systemd has restarted it {format_counted(daemon['restarts'], 'time')}")
            table.add_row(host, daemon["name"], is_now, "; ".join(since))
    differing = [
        Text(f"differs  {host}: {', '.join(state.changes[:_SHOWN])}")
        for host, state in status.states.items()
        if state.changes
    ]
    parts: list[RenderableType] = [table, Text(), *differing]
    if status.silent:
        parts.append(wrong_table(status.silent))
    if status.upgrade:
        parts.append(Text(_upgrade(status.upgrade)))
    parts.append(
        Text(f"cluster  {status.cluster}: {'all is well' if status.well else 'not all daemons are healthy'}")
    )
    return Group(*parts)


def _upgrade(upgrade: HdfsUpgrade) -> str:
    told = f"upgrade  HDFS is being upgraded from {upgrade.origin or 'the release before'}"
    if upgrade.began_s is not None:
        told += f" since {datetime.fromtimestamp(upgrade.began_s, UTC):%Y-%m-%d %H:%M} UTC"
    return f"{told}: not finalized; --finalize ends it, --rollback reverts it"


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in columns:
        table.add_column(column)
    return table
