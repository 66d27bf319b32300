"""A worker whose tasks or daemons spend their time collecting garbage."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.causes.view import CauseMark, Peers, View, by_kind
from howdah.analysis.evidence import Sign

# What a collector takes of a healthy heap's time differs by no more.
WANDERS = 0.1
# What Java says when a heap is full; the second is said when collecting takes nearly all time.
_FULL = ("Java heap space", "GC overhead limit exceeded")


def full_heaps(view: View) -> Iterator[CauseMark]:
    """Workers whose tasks or daemons collected for more of their time than others', or died of it."""
    # Attempts that failed or lost a race count where Hadoop tells of them: a full heap makes both.
    told = [
        attempt for attempt in view.attempts if attempt.gc_s is not None and attempt.end_s > attempt.start_s
    ]
    told += [attempt for attempt in view.failed if attempt.gc_s and attempt.end_s > attempt.start_s]
    for kind, attempts in by_kind(told, lambda attempt: attempt.kind).items():
        shares: dict[str, float] = {}
        for worker, tasks in by_kind(attempts, lambda attempt: attempt.worker).items():
            elapsed_s = sum(task.end_s - task.start_s for task in tasks)
            shares[worker] = min(1.0, sum(task.gc_s or 0.0 for task in tasks) / elapsed_s)
        yield from _more(shares, kind, f"{kind} tasks' time in garbage collection")
    yield from _more(_died(view), "", "task time lost to full heaps")
    daemons = {name for worker in view.workers for name in view.timeline.instances(worker, "jvm")}
    for daemon in sorted(daemons):
        held: dict[str, float] = {}
        for worker in view.workers:
            gc_s = view.growth(worker, f"jvm/{daemon}/gc_s")
            if gc_s is not None:
                held[worker] = min(1.0, gc_s / view.seconds)
        yield from _more(held, "", f"{daemon}'s time in garbage collection")


def _died(view: View) -> dict[str, float]:
    """The part of each worker's task time that ended with a full heap."""
    tasks = by_kind((*view.attempts, *view.failed), lambda attempt: attempt.worker)
    result = {}
    for worker, attempts in tasks.items():
        full = [attempt for attempt in attempts if any(word in (attempt.error or "") for word in _FULL)]
        whole_s = sum(attempt.end_s - attempt.start_s for attempt in attempts)
        result[worker] = (
            sum(attempt.end_s - attempt.start_s for attempt in full) / whole_s if whole_s > 0 else 0.0
        )
    return result


def _more(shares: dict[str, float], kind: str, quantity: str) -> Iterator[CauseMark]:
    all_shares = Peers(shares)
    for worker, share in shares.items():
        peers = all_shares.usual(worker)
        if share > peers.value:
            sign = Sign("garbage collection", share - peers.value, quantity, "1", share, *peers, WANDERS)
            yield CauseMark(worker, kind, None, sign)
