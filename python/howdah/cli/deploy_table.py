"""What ``howdah deploy`` shows: what is wrong, what was changed, what would be, what runs."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.console import RenderableType

from howdah.report.document import FactList, Paragraph, Table, present
from howdah.report.terminal import blocks
from howdah.units import format_counted

if TYPE_CHECKING:
    from howdah.session.deploy_order import HdfsUpgrade
    from howdah.session.deploy_project import Deployed, DeployedHost
    from howdah.session.deploying import ClusterStatus, HostProblem

_SHOWN = 6
"""As many changes of a host as one line names."""


def wrong_table(problems: Iterable[HostProblem]) -> Table:
    """All that is wrong, host by host."""
    rows = tuple((wrong.host, wrong.what, wrong.fix) for wrong in sorted(problems))
    return Table(("host", "what is wrong", "what to do"), rows)


def pending_text(done: Deployed) -> RenderableType:
    """What would be done: on each host in short, then to the cluster in order."""
    rows = tuple(
        (
            host,
            str(len(state.changes)),
            _in_short(state.changes),
            "; ".join(f"{verb} {', '.join(names)}" for verb, names in _daemons(state) if names),
        )
        for host, state in done.states.items()
        if not state.settled
    )
    if not rows:
        return blocks(Paragraph("\n".join(done.steps)))
    return blocks(*present(Table(("host", "changes", "what", "daemons"), rows), _order(done)))


def _order(done: Deployed) -> FactList:
    return FactList("", tuple(("order", f"{at}. {step}") for at, step in enumerate(done.steps, start=1)))


def _daemons(state: DeployedHost) -> tuple[tuple[str, Sequence[str]], ...]:
    return ("start", state.to_start), ("restart", state.to_restart)


def _in_short(changes: Sequence[str]) -> str:
    more = f" and {len(changes) - _SHOWN} more" if len(changes) > _SHOWN else ""
    return ", ".join(changes[-_SHOWN:]) + more


def deployed_text(done: Deployed) -> RenderableType:
    """What was changed on each host, what failed, and the sum of it."""
    rows = tuple((host, str(len(made)), _in_short(made)) for host, made in done.hosts.items() if made)
    notes = (f"{host}: {note}" for host, notes in done.notes.items() for note in dict.fromkeys(notes))
    facts = (*(("note", note) for note in notes), ("cluster", _sum(done)))
    changed = Table(("host", "changed", "what"), rows if done.changed else ())
    return blocks(*present(changed, wrong_table(done.failures), FactList("", facts)))


def _sum(done: Deployed) -> str:
    hosts = format_counted(len(done.hosts), "host")
    failed = len({failure.host for failure in done.failures})
    summary = f"{done.cluster}: {hosts}, {done.changed} changed"
    if failed:
        summary += f", {format_counted(failed, 'host')} failed; fix that, then run it again"
    return f"{summary} ({done.elapsed_s:.1f} s)"


def diff_text(done: Deployed) -> RenderableType:
    """What would change on each host, line by line, and in which order daemons would be restarted."""
    lines = [line for state in done.states.values() for line in _differences(state)]
    return blocks(*present(Paragraph("\n".join(lines)), _order(done)))


def _differences(state: DeployedHost) -> Iterator[str]:
    diffs = {str(diff["after_header"]): diff for diff in state.diffs}
    if state.settled:
        return
    yield f"{state.host}:"
    for change in state.changes:
        yield f"  {change}"
        if change in diffs:
            before, after = (str(diffs[change][key]).splitlines() for key in ("before", "after"))
            lines = list(difflib.unified_diff(before, after, lineterm="", n=0))[2:]
            # A new file is shown by its name alone.
            yield from (f"    {line}" for line in lines if before and not line.startswith("@@"))
    yield from (f"  start {name}" for name in state.to_start)
    yield from (f"  restart {name}" for name in state.to_restart)


def status_text(status: ClusterStatus) -> RenderableType:
    """Every daemon of every host."""
    rows = []
    for host, state in status.states.items():
        for daemon in state.daemons:
            is_now = daemon["lacks"] or ("well" if daemon["active"] == "active" else daemon["active"])
            since = (
                [] if daemon["fresh"] or daemon["active"] != "active" else ["its configuration has changed"]
            )
            if daemon["restarts"]:
                since.append(f"systemd has restarted it {format_counted(daemon['restarts'], 'time')}")
            rows.append((host, daemon["name"], is_now, "; ".join(since)))
    facts = [
        ("differs", f"{host}: {', '.join(state.changes[:_SHOWN])}")
        for host, state in status.states.items()
        if state.changes
    ]
    if status.upgrade:
        facts.append(("upgrade", _upgrade(status.upgrade)))
    well = "all is well" if status.well else "not all daemons are healthy"
    facts.append(("cluster", f"{status.cluster}: {well}"))
    daemons = Table(("host", "daemon", "is", "since its start"), tuple(rows))
    return blocks(*present(daemons, wrong_table(status.silent), FactList("", tuple(facts))))


def _upgrade(upgrade: HdfsUpgrade) -> str:
    state = f"HDFS is being upgraded from {upgrade.origin or 'the release before'}"
    if upgrade.began_s is not None:
        state += f" since {datetime.fromtimestamp(upgrade.began_s, UTC):%Y-%m-%d %H:%M} UTC"
    return f"{state}: not finalized; --finalize ends it, --rollback reverts it"
