"""How slow a worker's tasks were, byte for byte, against other workers'."""

from __future__ import annotations

from statistics import mean, median

from howdah.analysis.causes.view import LEAST_PEERS, View, by_kind, moved

# A kind of task counts where it took at least so much of all task time.
WORTH = 0.2

# A task with less than this share of the mean is as good as empty.
EMPTY = 0.1


def slowdowns(view: View) -> dict[str, float]:
    """Seconds per byte of every worker's tasks over the other workers' median; of its kinds the worst."""
    whole_s = sum(each.end_s - each.start_s for each in view.attempts)
    found: dict[str, float] = {}
    for attempts in by_kind(view.attempts, lambda each: each.kind).values():
        if sum(each.end_s - each.start_s for each in attempts) < WORTH * whole_s:
            continue
        # Tasks with next to nothing to do took their time for starting.
        least = EMPTY * mean(moved(each) for each in attempts)
        busy = [each for each in attempts if moved(each) >= max(1.0, least)]
        paces = {
            worker: median((each.end_s - each.start_s) / moved(each) for each in tasks)
            for worker, tasks in by_kind(busy, lambda each: each.worker).items()
        }
        for worker, pace in paces.items():
            peers = [other for name, other in paces.items() if name != worker]
            usual = median(peers) if peers else pace
            if usual > 0:
                found[worker] = max(found.get(worker, 0.0), pace / usual)
    return found


def ends_later(view: View, worker: str) -> float:
    """How much later a worker's last task ended than the median worker's, as a share of the span."""
    ends = {
        name: max(each.end_s for each in tasks)
        for name, tasks in by_kind(view.attempts, lambda each: each.worker).items()
    }
    others = [end_s for name, end_s in ends.items() if name != worker]
    if worker not in ends or len(others) < LEAST_PEERS:
        return 0.0
    return (ends[worker] - median(others)) / view.seconds
