"""Imported applications together: what wastes most, what to change, slow hosts, queues that wait."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from urllib.parse import quote

from howdah.jobs.ranking import Overview
from howdah.model.application import KIND_NAMES, ORIGIN, Application, JobChange
from howdah.model.job_ranking import ORDERS
from howdah.report import vega
from howdah.report.document import (
    PAGES,
    Bullets,
    Data,
    Document,
    Figure,
    Key,
    Section,
    Table,
    TableCell,
)
from howdah.report.words import NONE, table_of
from howdah.units import format_counted, format_memory, format_names, format_percent, format_seconds

_ROW = 22
_MOST_BARS = 12
_NAME = 34
_WASTE = (
    ("idle", "idle_s", "group-2"),
    ("unused memory", "unused_memory_s", "group-1"),
    ("failed attempts", "failed_s", "group-3"),
    ("killed attempts", "killed_s", "group-4"),
)
_MOST_HOSTS = 20
_LEAST_FOR_PERCENTILE = 20
_WHY = "What to change, and why"


_COLUMNS = {
    "applications": (
        "id", "attempt", "kind", "name", "user", "queue", "outcome", "submit_s", "end_s", "wait_s",
        "container_s", "wasted_s", "idle_s", "unused_memory_s", "failed_s", "killed_s",
        "unused_memory_byte_s", "spilled_bytes", "skew_s", "failed_attempts",
    ),
    "hosts": ("host", "applications", "tasks", "failed", "slower", "low", "high"),
    "queues": ("queue", "applications", "median_s", "p95_s", "longest_s", "total_s"),
}  # fmt: skip


def jobs_overview(overview: Overview, *, linked: bool = False) -> Document:
    """The document of imported applications; if ``linked``, the ranking leads to pages below this one."""
    applications, filters = overview.applications, overview.filters
    named = [f"queue {filters.queue}"] if filters.queue else []
    named += [f"user {filters.user}"] if filters.user else []
    changes = "Savings are container time at most; check a change with a second run."
    waits = (
        "Waits are from submission to the first container; for Spark, from the driver's start "
        "to the first executor."
    )
    queues = table_of(
        overview.queues,
        "queue {queue} | applications {applications:,} | median wait {median_s:time} | "
        "95 % wait at most {p95_s:time} | longest {longest_s:time} | in total {total_s:time} | "
        "container time {container_s:time}",
        label="Queues",
    )
    return Document.of(
        "jobs",
        "Imported applications",
        (", ".join([format_counted(overview.count, "application"), *named]), _period(overview), ORIGIN),
        _answer(overview),
        _waste_figure(applications),
        sections=(
            Section.of(
                "Ranking",
                _ranking(overview, linked=linked),
                title=f"Ranked by {ORDERS[overview.order].meaning}",
            ),
            Section.of("Changes", _changes(applications), title=_WHY, about=changes),
            Section.of("Hosts", *_hosts(overview), title="Hosts over time"),
            Section.of("Queues", queues, title="Queues that wait", about=waits),
        ),
        data=(
            Data.of("applications", _COLUMNS["applications"], applications),
            Data.of("hosts", _COLUMNS["hosts"], overview.hosts),
            Data.of("queues", _COLUMNS["queues"], overview.queues),
        ),
    )


def _hosts(overview: Overview) -> tuple[Table, Bullets]:
    """The hosts that did worse or better than others, and how they are compared."""
    compared = (
        "A host's tasks are compared with the median task of the same stage on all hosts, in at "
        "least five applications. A host is slow if its whole interval is above 1.05; the intervals are "
        "wider for more hosts.",
    )
    table = table_of(
        [host for host in overview.hosts if host.slower is not None or host.failed][:_MOST_HOSTS],
        "host {host} | verdict {verdict} | its tasks' time {slower:.2f} × | "
        "95 % interval {low:.2f} to {high:.2f} × | compared in {applications:#application} | "
        "tasks {tasks:,} | failed {failed:,} | slow weeks {slow_weeks} of {weeks}",
        label="Hosts",
        verdict=lambda host: (
            "slow" if host.slow else ("too few applications" if host.slower is None else "typical")
        ),
    )
    return table, Bullets(compared if overview.hosts else (), "remark")


def _period(overview: Overview) -> str:
    if not overview.count:
        return "no time"
    first, last = (datetime.fromtimestamp(at, UTC) for at in (overview.since_s, overview.until_s))
    return f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"


def _answer(overview: Overview) -> str:
    if not overview.count:
        return (
            "No application matches."
            if overview.stored
            else "No applications are imported yet: `howdah jobs import DIR` imports histories."
        )
    words = f"{_unused(overview)} in {format_counted(overview.count, 'application')}"
    slow = [host.host for host in overview.hosts if host.slow]
    if slow:
        words += f"; {format_names(slow, 3)} {'is' if len(slow) == 1 else 'are'} slow"
    waiting = [queue for queue in overview.queues if queue.p95_s >= 60]
    if waiting:
        queue = max(waiting, key=lambda queue: queue.p95_s)
        words += f"; in queue {queue.queue}, "
        if queue.applications >= _LEAST_FOR_PERCENTILE:
            words += f"5 % of the applications waited {format_seconds(queue.p95_s)} or longer"
        else:
            words += f"an application waited {format_seconds(queue.longest_s)}"
    return f"{words}."


def _unused(jobs: Overview | Application) -> str:
    share = jobs.wasted_s / jobs.container_s if jobs.container_s else 0.0
    return f"{format_percent(share)} of {format_seconds(jobs.container_s)} of container time was unused"


def _ranking(overview: Overview, *, linked: bool) -> Table:
    named = row_names(overview.applications)
    table = table_of(
        named.items(),
        "application {0} | name {name:?} | unused {1.wasted_s:time} | "
        "of containers {1.container_s:time} | unused memory {byte_hours:?memory}·h | "
        "spilled {1.spilled_bytes:?B} | skew {1.skew_s:?time} | failed {1.failed_attempts:?,} | "
        "queue {1.queue:?} | outcome {1.outcome} | kind {kind}",
        label="Ranking",
        name=lambda row: _short(row[1].name),
        byte_hours=lambda row: row[1].unused_memory_byte_s / 3600,
        kind=lambda row: KIND_NAMES[row[1].kind],
    )
    # Columns that distinguish nothing leave room for the others.
    same = {"outcome": {"succeeded"}, "kind": set(KIND_NAMES.values())}
    used = [
        at
        for at, column in enumerate(table.columns)
        if len(values := {row[at] for row in table.rows}) != 1 or not values <= {NONE, *same.get(column, ())}
    ]
    table = table.only(used)
    if not linked:
        return table
    rows = ((TableCell.to(name, f"{quote(name, safe='')}/"), *cells) for name, *cells in table.rows)
    return table._replace(rows=tuple(rows))


def row_names(applications: tuple[Application, ...]) -> dict[str, Application]:
    """The applications by id, those with several attempts by id and attempt, as Spark names their logs."""
    counts = Counter(application.id for application in applications)
    return {
        f"{application.id}_{application.attempt}"
        if counts[application.id] > 1
        else application.id: application
        for application in applications
    }


def _short(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


def changed(advice: JobChange) -> str:
    """What a change sets, in words."""
    if not advice.setting:
        return "the program"
    now = f" (now {advice.now})" if advice.now else ""
    return f"{advice.setting}={advice.proposed}{now}"


def _changes(applications: tuple[Application, ...], *, named: bool = True) -> Table:
    """What to change, once for all runs of a program that need the same; the reason is that of the first."""
    groups: dict[tuple[str, str], list[tuple[Application, JobChange]]] = {}
    for application in applications:
        for advice in application.advice:
            change = changed(advice) if advice.setting else advice.reason
            groups.setdefault((application.name, change), []).append((application, advice))
    rows = []
    for pairs in groups.values():
        first, advice = pairs[0]
        saves_s = sum(saved.saves_s or 0.0 for _, saved in pairs)
        more = f" and {len(pairs) - 1:,} more" if len(pairs) > 1 else ""
        # `howdah jobs show` finds an application by its number.
        name = (f"{_short(first.name)} ({first.id.rpartition('_')[2]}){more}",) if named else ()
        rows.append((*name, changed(advice), format_seconds(saves_s) if saves_s else NONE, advice.reason))
    columns = (*(("application",) if named else ()), "change", "saves", "why")
    return Table(columns, tuple(rows), label="Changes to applications", style="titled")


def _waste_figure(applications: tuple[Application, ...]) -> Figure | None:
    named = row_names(applications)
    wasteful = [(name, application) for name, application in named.items() if application.wasted_s > 0]
    shown = wasteful[:_MOST_BARS]
    if not shown:
        return None
    wastes = [waste for waste in _WASTE if any(getattr(application, waste[1]) for _, application in shown)]
    longest = max(sum(getattr(application, field) for _, field, _ in wastes) for _, application in shown)
    unit = vega.time_unit(longest)
    keys = tuple(Key(name, token) for name, _, token in wastes)
    values = []
    for at, (_, application) in enumerate(shown):
        end = 0.0
        for name, field, _ in wastes:
            begin, waste_s = end, getattr(application, field)
            end += waste_s
            if end > begin:
                ends = {"low": begin / unit.size, "high": end / unit.size}
                labels = {"series": name, "name": application.name, "said": format_seconds(waste_s)}
                values.append({"y": at * 2 * _ROW + 1.3 * _ROW, **ends, **labels})
    names = [
        {"y": at * 2 * _ROW + 0.5 * _ROW, "text": f"{_short(application.name)} · {name}"}
        for at, (name, application) in enumerate(shown)
    ]
    height = len(shown) * 2 * _ROW
    y = vega.linear("y", [0, height], down=True)
    axis = vega.across(f"container time ({unit.name})", format=",~f", tickCount=6)
    x = vega.linear("low", [0, 1.02 * longest / unit.size], axis)
    bars = {"x": x, "x2": "high", "y": y, "color": vega.series_colour(keys)}
    tooltip = vega.tips(name=None, series="why", said=None)
    layers = [
        vega.own(values, {"type": "bar", "height": _ROW * 0.7}, bars, tooltip),
        vega.texts(names, {"y": y}, baseline="middle", x=0),
    ]
    rows = tuple(
        (name, *(format_seconds(getattr(application, field)) for _, field, _ in wastes))
        for name, application in shown
    )
    return Figure(
        "waste",
        "Unused container time",
        "Container time that was idle or had unused memory, and that of failed and killed attempts. "
        "Unused memory counts by its fraction of the container.",
        vega.chart(layers, height=height, left=4),
        Table(("application", *(name for name, _, _ in wastes)), rows),
        keys,
        marks=len(values),
    )


def application_document(application: Application) -> Document:
    containers = "none; the driver ran all tasks" if application.tasks else "none"
    if application.containers:
        containers = f"{application.containers:,} of at most {format_memory(application.container_bytes)}"
    facts = (
        ("name", application.name or NONE),
        ("outcome", application.outcome + (f": {application.failure}" if application.failure else "")),
        ("user and queue", f"{application.user or 'unknown'}, {application.queue or 'no queue'}"),
        ("elapsed", format_seconds(application.elapsed_s)),
        ("waited", "unknown" if application.wait_s is None else format_seconds(application.wait_s)),
        ("containers", containers),
        ("container time", format_seconds(application.container_s)),
        ("unused", format_seconds(application.wasted_s)),
        (
            "CPU, garbage collection",
            # Older releases record no CPU time.
            f"{format_seconds(application.cpu_s) if application.cpu_s else 'unknown'}, "
            f"{format_seconds(application.gc_s)}",
        ),
        ("history", application.source),
    )
    answer = _unused(application)
    if application.advice:
        advice = application.advice[0]
        if advice.setting:
            answer += f"; first change {changed(advice)}"
        elif advice.saves_s:
            answer += f"; {advice.reason}"
    stages = table_of(
        application.stages,
        "stage {name} | tasks {tasks:,} | median {median_s:time} | longest {longest_s:time} | "
        "input {input_bytes:?B} | shuffle read {shuffle_read_bytes:?B} | "
        "shuffle written {shuffle_write_bytes:?B} | output {output_bytes:?B} | spilled {spilled_bytes:?B}",
        label="Stages",
    )
    hosts = table_of(application.hosts, "host {host} | tasks {tasks:,} | failed {failed:,}", label="Hosts")
    return Document.of(
        application.id,
        application.name,
        (application.id, f"{KIND_NAMES[application.kind]} {application.version}".strip(), ORIGIN),
        f"{answer}.",
        Table(("", "value"), facts, label="Facts", style="titled"),
        _waste_figure((application,)),
        sections=(
            Section.of("Changes", _changes((application,), named=False), title=_WHY),
            Section.of("Stages", stages.without_empty_columns()),
            Section.of("Hosts", hosts, forms=PAGES),
        ),
    )
