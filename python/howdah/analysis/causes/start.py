"""A worker whose first task of a kind began later than others'."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from howdah.analysis.causes.view import CauseMark, Peers, View, by_kind
from howdah.analysis.evidence import Sign

# Containers are given out within a few heartbeats; sooner than this nothing is late.
LEAST_S = 3.0
# Containers come when others end, to one worker sooner than to another.
WANDERS = 0.35
# And it must be what others wait for: ending so much later than they, as a share of the whole stretch.
ENDS_LATER = 0.1


def late_starts(view: View) -> Iterator[CauseMark]:
    """Workers that began late and ended last because of it."""
    for kind, attempts in by_kind(view.attempts, lambda attempt: attempt.kind).items():
        begun_s = min(attempt.start_s for attempt in attempts)
        length_s = max(attempt.end_s for attempt in attempts) - begun_s
        waited: dict[str, float] = {}
        ended: dict[str, float] = {}
        for worker, tasks in by_kind(attempts, lambda attempt: attempt.worker).items():
            start_s = min(task.start_s for task in tasks)
            # One that is still at work on other tasks has no place for these, and is not late.
            waited[worker] = view.idle_s(worker, begun_s, start_s)
            ended[worker] = max(task.end_s for task in tasks)
        waits = Peers(waited)
        for worker, wait_s in waited.items():
            peers = waits.usual(worker)
            others = [end_s for name, end_s in ended.items() if name != worker]
            if not others or wait_s - peers.value < LEAST_S:
                continue
            if ended[worker] - median(others) >= ENDS_LATER * length_s:
                lost = (wait_s - peers.value) / length_s
                sign = Sign(
                    "late start", lost, f"wait for the first {kind} task", "s", wait_s, *peers, WANDERS
                )
                yield CauseMark(worker, kind, None, sign)
