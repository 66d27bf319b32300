"""A finished job replayed on other clusters: times, how sure they are, and what was assumed."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.wording import percent, seconds, signed
from howdah.model.application import KIND_NAMES
from howdah.model.prediction import Effect
from howdah.model.user_job import JobReplay, ReplayedTime
from howdah.report.document import (
    PAGES,
    TERMINAL,
    Bars,
    Bullets,
    Data,
    Document,
    Only,
    Paragraph,
    Section,
    Table,
    present,
)
from howdah.report.prediction.changes import tornado
from howdah.report.prediction.words import longer
from howdah.units import format_counted

_COLUMNS = ("change", "hosts", "containers", "elapsed_s", "low_s", "high_s", "share")


def what_if(replay: JobReplay) -> Document:
    """The page, Markdown file and terminal text of a replay."""
    times = [*replay.times, *([replay.score.time] if replay.score else [])]
    table = _table(replay, times)
    return Document(
        name=f"what-if-{replay.application}",
        title=f"{replay.name}: what if",
        kicker=(replay.application, KIND_NAMES[replay.kind], "simulated"),
        answer=_answer(replay),
        blocks=present(
            Paragraph(_lead(replay), "lead"),
            tornado([_effect(replay, time) for time in times], "job"),
            Only(PAGES, (table,)),
            Only(TERMINAL, (_with_bars(table, times),)),
        ),
        sections=(
            Section(
                "demand",
                "The job",
                "What the job needed",
                present(Table(("", "value"), tuple(_facts(replay)), label="What the job needed")),
            ),
            Section(
                "assumptions", "Assumptions", "What its history does not show", (Bullets(replay.assumptions),)
            ),
        ),
        data=(Data.of("times", _COLUMNS, times),),
    )


def _answer(replay: JobReplay) -> str:
    score = replay.score
    if score is not None:
        verdict = "within" if score.inside else "outside"
        return (
            f"The second run took {seconds(score.measured_s)}, {verdict} the interval of the replay: "
            f"{seconds(score.time.elapsed_s)} ({_ends(score.time)}), {signed(score.error)}."
        )
    clear = [time for time in replay.times if time.is_clear]
    if not clear:
        return (
            "No change certainly shortens or lengthens the job: every interval contains its "
            f"{seconds(replay.measured_s)}."
        )
    best = min(clear, key=lambda time: time.elapsed_s)
    return (
        f"{_clause(best)} the job would take {seconds(best.elapsed_s)} ({_ends(best)}) "
        f"instead of {seconds(replay.measured_s)}."
    )


def _clause(time: ReplayedTime) -> str:
    if time.change.startswith("on "):
        return f"{time.change[:1].upper()}{time.change[1:]}"
    return f"With {time.change}"


def _lead(replay: JobReplay) -> str:
    return (
        f"Replayed on its own cluster, the job takes {seconds(replay.replayed_s)} instead of "
        f"{seconds(replay.measured_s)} ({signed(replay.own_error)}). All times are corrected by this "
        "error, and their 90 % intervals include it."
    )


def _containers(replay: JobReplay) -> str:
    if replay.kind == "spark":
        return format_counted(replay.containers, "executor")
    return f"{format_counted(replay.containers, 'task')} at once"


def _table(replay: JobReplay, times: list[ReplayedTime]) -> Table:
    containers = "executors" if replay.kind == "spark" else "tasks at once"
    return Table.of(
        times,
        {
            "change": lambda time: time.change,
            "hosts": lambda time: f"{time.hosts:,}",
            containers: lambda time: f"{time.containers:,}",
            "time": lambda time: seconds(time.elapsed_s),
            "90 % interval": _ends,
            "effect": lambda time: signed(time.share),
            "verdict": lambda time: longer(time.share) if time.is_clear else "uncertain",
        },
        label="The job's time on other clusters",
        style="stats",
    )


def _with_bars(table: Table, times: list[ReplayedTime]) -> Table:
    return table._replace(
        bars=Bars("shorter │ longer", tuple(time.share for time in times)),
        faint=frozenset(place for place, time in enumerate(times) if not time.is_clear),
        columns=table.columns[:-1],
        rows=tuple(row[:-1] for row in table.rows),
    )


def _ends(time: ReplayedTime) -> str:
    return f"{seconds(time.low_s)} to {seconds(time.high_s)}"


def _effect(replay: JobReplay, time: ReplayedTime) -> Effect:
    name, _, value = time.change.rpartition("=" if "=" in time.change else " ")
    return Effect(
        quantity=name,
        before="as it ran",
        after=value,
        elapsed_s=time.elapsed_s,
        share=time.share,
        low=time.low_s / replay.measured_s - 1,
        high=time.high_s / replay.measured_s - 1,
        tells=time.is_clear,
    )


def _facts(replay: JobReplay) -> Iterator[tuple[str, str]]:
    busy_s = replay.cpu_s + replay.network_s + replay.other_s
    yield "elapsed", f"{seconds(replay.measured_s)} without its wait for a first container"
    yield "without any task", f"{seconds(replay.idle_s)}; no change shortens this"
    yield (
        "ran on",
        f"{format_counted(replay.hosts, 'host')}, {_containers(replay)}, "
        f"{format_counted(replay.tasks, 'task')}",
    )
    for name, part_s in (
        ("processors", replay.cpu_s),
        ("waits for other hosts' data", replay.network_s),
        ("disks, HDFS, starts and other waits", replay.other_s),
    ):
        yield name, f"{seconds(part_s)} of its tasks' time ({percent(part_s / busy_s if busy_s else 0.0)})"
    yield (
        "spread from run to run",
        f"{percent(replay.run_spread)} "
        + (f"in {replay.repeats:,} runs" if replay.repeats >= 4 else "assumed"),
    )
