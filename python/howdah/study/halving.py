"""Successive halving with the statistics of comparisons: which cells of a race are repeated no more.

Cells are compared after the least repeats and after each doubling of these rounds. The chance of a false
difference is split among these comparisons, so that more of them do not make it more likely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import geometric_mean

from howdah.analysis.comparing.statistics import LEVEL, contrast_of, judged
from howdah.model.comparison import Contrast, Judged, Measure, Verdict
from howdah.model.run import Outcome
from howdah.model.study import Study, StudyRun, matches
from howdah.study.matrix import Cell

MOST_FAILURES = 2  # A cell that failed so often will fail again.
Times = Mapping[int, Mapping[int, float]]
"""Seconds of work of every successful run, by the cell's number and by the repeat."""


def comparison_rounds(study: Study) -> Iterator[int]:
    """The rounds after which the cells of a race are compared."""
    rounds = max(2, study.repeats.least)
    while rounds < study.repeats.most:
        yield rounds
        rounds *= 2
    yield study.repeats.most


def times_of(cells: Sequence[Cell], done: Sequence[StudyRun], rounds: int | None = None) -> Times:
    """The times of the cells, those of the first ``rounds`` repeats if given."""
    return {
        cell.number: {
            run.repeat: run.figures.work_s
            for run in done
            if run.cell == cell.number
            and 0 < run.repeat <= (rounds or run.repeat)
            and run.figures.outcome is Outcome.SUCCEEDED
        }
        for cell in cells
    }


def failed_cells(done: Sequence[StudyRun], rounds: int | None = None) -> set[int]:
    """The numbers of cells that failed too often in all repeats, or in the first ``rounds`` of them."""
    failures = Counter(
        run.cell
        for run in done
        if 0 < run.repeat <= (rounds or run.repeat) and run.figures.outcome is not Outcome.SUCCEEDED
    )
    return {number for number, count in failures.items() if count >= MOST_FAILURES}


def level_of(study: Study) -> float:
    """The chance of a false difference that each comparison of a race may have."""
    return LEVEL / len(list(comparison_rounds(study)))


def compared(times: Times, base: int, cells: Sequence[int], level: float) -> dict[int, Judged]:
    """The suite's time of the ``cells`` against that of ``base``, in the repeats that both have.

    A machine may become slower, so that other repeats would not be comparable. Cells that share no repeat
    with ``base`` are left out.
    """
    measure = Measure(workload="suite", kind="time", name="elapsed", unit="s")
    contrasts: dict[int, Contrast] = {}
    for number in cells:
        if shared := sorted(times[base].keys() & times[number].keys()):
            base_s, other_s = (tuple(times[side][at] for at in shared) for side in (base, number))
            contrasts[number] = contrast_of(measure, base_s, other_s)
    return dict(zip(contrasts, judged(list(contrasts.values()), level)[0], strict=True))


def last_rounds(study: Study, cells: Sequence[Cell], done: Sequence[StudyRun]) -> dict[int, int]:
    """The round after which each cell that left the race is not repeated, by the cell's number.

    Empty for a study without contenders, which is no race.
    """
    if not study.contenders:
        return {}
    rounds_of = list(comparison_rounds(study))
    contenders = {cell.number for cell in cells if is_contender(study, cell)}
    racing = {cell.number for cell in cells if cell.runs}
    result: dict[int, int] = {}
    for rounds in rounds_of:
        failed = failed_cells(done, rounds)
        if not all(number in failed or _finished(number, done, rounds) for number in racing):
            break
        # What failed too often does not lead, however fast its first runs were.
        times: Times = {**times_of(cells, done, rounds), **{number: {} for number in failed}}
        leaving = _leaving(times, racing, contenders, level_of(study))
        result |= dict.fromkeys(leaving, rounds)
        racing -= leaving
        if not racing:
            break
    return result


def fastest_contender(study: Study, cells: Sequence[Cell], done: Sequence[StudyRun]) -> int | None:
    """The fastest contender of those that left the race last or not at all; None if no run succeeded.

    They are compared in the rounds that all of them have run: a machine may become slower. Contenders that
    failed too often are left out.
    """
    last, times, failed = last_rounds(study, cells, done), times_of(cells, done), failed_cells(done)
    last_round = {
        cell.number: last.get(cell.number, study.repeats.most + 1)
        for cell in cells
        if is_contender(study, cell) and times[cell.number] and cell.number not in failed
    }
    racing = [number for number, rounds in last_round.items() if rounds == max(last_round.values())]
    rounds = min((max(times[number]) for number in racing), default=None)
    return fastest(times_of(cells, done, rounds), racing)


def is_contender(study: Study, cell: Cell) -> bool:
    """Whether a cell races for the shortest time, and is not only there to be compared with."""
    return any(matches(contender, dict(cell.levels)) for contender in study.contenders)


def fastest(times: Times, numbers: Sequence[int]) -> int | None:
    """The cell with the shortest mean time; None if no run of them succeeded."""
    able = [number for number in numbers if times[number]]
    return min(able, key=lambda number: _mean_s(times, number)) if able else None


def _mean_s(times: Times, number: int) -> float:
    return geometric_mean(times[number].values())


def _finished(number: int, done: Sequence[StudyRun], rounds: int) -> bool:
    return sum(run.cell == number and 0 < run.repeat <= rounds for run in done) == rounds


def _leaving(times: Times, racing: set[int], contenders: set[int], level: float) -> set[int]:
    """The cells that leave after this comparison; all of them once nothing is open."""
    leaving = {number for number in racing if len(times[number]) < 2}
    leader = fastest(times, sorted((racing & contenders) - leaving))
    if leader is None:
        return set(racing)
    competitors = sorted(racing - leaving - {leader})
    verdicts = compared(times, leader, competitors, level)
    leaving |= {number for number, verdict in verdicts.items() if verdict.verdict is not Verdict.CANNOT_TELL}
    open_contenders = sorted((racing & contenders) - leaving, key=lambda number: _mean_s(times, number))
    leaving |= set(open_contenders[(len(open_contenders) + 1) // 2 :])
    return set(racing) if racing - leaving == {leader} else leaving
