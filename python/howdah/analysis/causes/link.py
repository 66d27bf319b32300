"""A worker's link that is slower than the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import prod

from howdah.analysis.causes.held import CHATTER_BYTES_PER_S, WANDERS, Held, Resource, held, low_ceilings
from howdah.analysis.causes.view import CauseMark, Peers, View
from howdah.analysis.evidence import Sign
from howdah.analysis.use import QUIET_BYTES_PER_S

# Twenty full segments; what a link sends at once is no queue.
QUEUED_BYTES = 30e3
# Rates this close are the same.
ALIKE = 1.1
# A link carries clearly less than others below this share of what they carry.
SLOWER = 0.75
WAITING_WANDERS = 0.1
# A queue is one of what is sent.
SENT = "tx_bytes"
_WAYS = {"receiving": "rx_bytes", "sending": SENT}


def slow_links(view: View) -> Iterator[CauseMark]:
    """Links that stood at a low rate, each direction by itself, or before which bytes waited."""
    planned = {worker: view.plan(worker).link_bytes_per_s for worker in view.workers}
    levels: dict[str, dict[str, float]] = {}
    low: dict[str, dict[str, CauseMark]] = {}
    for way, metric in _WAYS.items():
        uses: dict[tuple[str, str], Held] = {}
        for worker in view.workers:
            nics = [nic for nic in view.timeline.instances(worker, "nic") if nic != "lo"]
            use = held(view.timeline, worker, [f"nic/{nic}/{metric}" for nic in nics], view.span)
            if use is not None and use.level >= CHATTER_BYTES_PER_S:
                uses[worker, ""] = use
        what = Resource("slow link", f"rate of {way}", "B/s", QUIET_BYTES_PER_S)
        for mark in low_ceilings(what, uses, planned):
            low.setdefault(mark.worker, {})[metric] = mark
        levels[metric] = {worker: use.level for (worker, _), use in uses.items()}
    called = {worker: _both_ways(marks) for worker, marks in low.items()}
    for worker, mark in called.items():
        if not any(_at_the_end_of(worker, other, low, levels, called) for other in called):
            yield mark
    yield from _queues(view, levels[SENT])


def _both_ways(marks: Mapping[str, CauseMark]) -> CauseMark:
    """The stronger of a worker's marks, with what both directions lost.

    What is held in one direction may wait for the link at the other end; one's own link is slow in both.
    """
    strongest = max(marks.values(), key=lambda mark: mark.sign.lost_share)
    kept = prod(1 - mark.sign.lost_share for mark in marks.values())
    return strongest._replace(sign=replace(strongest.sign, lost_share=1 - kept))


def _at_the_end_of(
    worker: str,
    other: str,
    low: Mapping[str, Mapping[str, CauseMark]],
    levels: Mapping[str, Mapping[str, float]],
    called: Mapping[str, CauseMark],
) -> bool:
    """Whether a worker's link was held only by the slower one of another worker at its other end.

    Most of what it sent went there then, or most of what it got came from there: it carried no more than
    the other did, which lost more by it. In its other direction it carried clearly more, so that its own
    link can.
    """
    if len(low[worker]) > 1 or called[other].sign.lost_share <= called[worker].sign.lost_share:
        return False
    ((metric, mark),) = low[worker].items()
    back = next(way for way in _WAYS.values() if way != metric)
    end = low[other].get(back)
    rate = mark.sign.value
    return (
        end is not None and rate <= ALIKE * end.sign.value and rate < SLOWER * levels[back].get(worker, 0.0)
    )


def _queues(view: View, sent: Mapping[str, float]) -> Iterator[CauseMark]:
    """Links before which bytes waited for more of the time than elsewhere, though they carried no more."""
    waiting: dict[str, float] = {}
    for worker in view.workers:
        for nic in view.timeline.instances(worker, "nic"):
            track = view.timeline.track(worker, f"nic/{nic}/queue_bytes")
            if track is not None:
                within = (track.times_s >= view.span[0]) & (track.times_s <= view.span[1])
                share = float((track.values[within] >= QUEUED_BYTES).mean()) if within.any() else 0.0
                waiting[worker] = max(share, waiting.get(worker, 0.0))
    queues, rates = Peers(waiting), Peers(sent)
    for worker, share in waiting.items():
        peers = queues.usual(worker)
        carries = rates.capable(worker, None) if worker in sent else None
        if share <= peers.value or carries is None or sent[worker] > ALIKE * carries.value:
            continue
        what = "time in which bytes waited for the link"
        # Bytes that wait before a link that carries clearly less than others wait for the link itself.
        wanders = WAITING_WANDERS if sent[worker] < SLOWER * carries.value else WANDERS
        sign = Sign("slow link", share - peers.value, what, "1", share, *peers, wanders)
        yield CauseMark(worker, "", None, sign)
