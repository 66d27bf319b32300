"""How slow a worker's tasks were, byte for byte, against other workers'."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean, median

from howdah.analysis.causes.view import LEAST_PEERS, Peers, View, by_kind, bytes_moved
from howdah.analysis.stalls import Stretch, apart_s

# A kind of task counts where it took at least so much of all task time.
WORTH = 0.2

# A task with less than this share of the mean is as good as empty.
EMPTY = 0.1

# A worker with less than this share of its peers' time in tasks had little to do.
LITTLE = 0.5


def slowdowns(view: View) -> dict[str, float]:
    """Seconds per byte of every worker over the other workers' median; of its kinds of task the worst."""
    whole_s = sum(map(view.working_s, view.attempts))
    result: dict[str, float] = {}
    for attempts in by_kind(view.attempts, lambda attempt: attempt.kind).values():
        if sum(map(view.working_s, attempts)) < WORTH * whole_s:
            continue
        # Tasks with next to nothing to do took their time for starting.
        least = EMPTY * mean(bytes_moved(attempt) for attempt in attempts)
        busy = [attempt for attempt in attempts if bytes_moved(attempt) >= max(1.0, least)]
        workers = by_kind(busy, lambda attempt: attempt.worker)
        single = {
            name: median(view.working_s(attempt) / bytes_moved(attempt) for attempt in some)
            for name, some in workers.items()
        }
        # Several tasks at once are each slower than one alone, and one alone does less than several.
        whole = {
            name: _covered(map(view.working, some), view.still) / sum(map(bytes_moved, some))
            for name, some in workers.items()
        }
        for worker in workers:
            over = min(_over_others(worker, single), _over_others(worker, whole))
            result[worker] = max(result.get(worker, 0.0), over)
    return result


def _covered(spans: Iterable[Stretch], still: Sequence[Stretch]) -> float:
    """Seconds in at least one of the spans, without those in which everything stood still."""
    covered_s, until_s = 0.0, float("-inf")
    for start_s, end_s in sorted(spans):
        covered_s += float(apart_s(max(start_s, until_s), end_s, still)) if end_s > until_s else 0.0
        until_s = max(until_s, end_s)
    return covered_s


def had_little(view: View) -> set[str]:
    """Workers whose tasks took less than half the time that the median worker's took together.

    Whoever is held back is as long at work as others and gets less done; a worker with little to do uses
    little of anything.
    """
    spent = dict.fromkeys(view.workers, 0.0)
    for attempt in view.attempts:
        spent[attempt.worker] = spent.get(attempt.worker, 0.0) + view.working_s(attempt)
    peers = Peers(spent)
    return {worker for worker, seconds in spent.items() if seconds < LITTLE * peers.usual(worker).value}


def _over_others(worker: str, paces: dict[str, float]) -> float:
    others = [pace for name, pace in paces.items() if name != worker]
    usual = median(others) if others else paces[worker]
    return paces[worker] / usual if usual > 0 else 1.0


def ends_later(view: View, worker: str) -> float:
    """How much later a worker's last task ended than the median worker's, as a share of the span."""
    ends = {
        name: max(task.end_s for task in tasks)
        for name, tasks in by_kind(view.attempts, lambda each: each.worker).items()
    }
    others = [end_s for name, end_s in ends.items() if name != worker]
    if worker not in ends or len(others) < LEAST_PEERS:
        return 0.0
    return (ends[worker] - median(others)) / view.seconds
