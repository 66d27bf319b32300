"""A worker whose CPUs are held back: by a limit, by a hypervisor, or by others on its machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from howdah.analysis.causes.held import Held, Resource, edges, held, low_ceilings
from howdah.analysis.causes.view import CauseMark, Peers, View
from howdah.analysis.evidence import OthersUse, Sign
from howdah.analysis.use import MODES

# A worker that waits for something else computes less too, but its limit holds it back less than its
# peers', for every second it computes; one with a lower limit is held back at least so much more.
HELD_BACK_MORE = 1.3
# Of the whole time.
HELD_BACK_LEAST = 0.05
# While held back, equal workers compute about as much: a limit is no matter of chance.
LIMIT_WANDERS = 0.15
# Where nobody counts how long the limit held it back, the CPUs must have stood at it nearly all along.
STEADY = 0.9
LEAST_CPUS = 0.02
# What a hypervisor gives to others differs by no more among workers on hosts alike.
STOLEN_WANDERS = 0.1

# What any machine does beside a run.
WANDERS = 0.03


def held_back(view: View) -> Iterator[CauseMark]:
    """Workers whose limit left them less than others, and workers whose CPU time went to others."""
    uses: dict[tuple[str, str], Held] = {}
    for worker in view.workers:
        metrics = [
            metric
            for cpu in view.timeline.instances(worker, "cpu")
            for metric in (f"cpu/{cpu}/user_s", f"cpu/{cpu}/system_s")
        ]
        use = _at_limit(view, worker) or held(view.timeline, worker, metrics, view.span)
        if use is not None and use.level >= LEAST_CPUS:
            uses[worker, ""] = use
    planned = {worker: _allowed(view, worker) for worker in view.workers}
    throttled = _throttled(view)
    for mark in low_ceilings(Resource("CPU held back", "CPUs in use", "CPUs", LEAST_CPUS), uses, planned):
        if mark.worker not in throttled:
            if uses[mark.worker, ""].amount_share >= STEADY:
                yield mark
        elif _by_limit(view, mark.worker, throttled):
            yield mark._replace(sign=replace(mark.sign, wanders=LIMIT_WANDERS))
    yield from _stolen(view)


def _at_limit(view: View, worker: str) -> Held | None:
    """What a worker computed while its limit held it back; None where nobody counts that, or it hardly did.

    Work comes and goes within a second, so the seconds in which it was held back longest count most.
    """
    user, system, back = (
        view.timeline.track(worker, f"cpu/all/{name}_s") for name in ("user", "system", "throttled")
    )
    if user is None or system is None or back is None:
        return None
    times = edges(back, view.span)
    if len(times) < 2 or back.growth(*view.span) < HELD_BACK_LEAST * view.seconds:
        return None
    lengths = np.diff(times)
    held_s = np.diff(back.at(times))
    if held_s.sum() <= 0:
        return None
    rates = (np.diff(user.at(times)) + np.diff(system.at(times))) / lengths
    shares = held_s / lengths
    usual = float((shares * held_s).sum() / held_s.sum())
    at_limit = shares >= usual / 2
    time_share = float(lengths[at_limit].sum() / lengths.sum())
    return Held(float((rates * held_s).sum() / held_s.sum()), time_share, 1.0)


def _allowed(view: View, worker: str) -> float | None:
    """The CPUs of a worker: as planned, or fewer where its counted time adds up to a lower limit."""
    planned = view.plan(worker).cpus
    spent = [view.growth(worker, f"cpu/all/{mode}_s") for mode in MODES]
    counted = sum(each for each in spent if each is not None) / view.seconds
    return min((each for each in (planned, counted) if each), default=None)


def _throttled(view: View) -> dict[str, float]:
    """Seconds a limit held a worker back for each second it computed."""
    result: dict[str, float] = {}
    for worker in view.workers:
        back_s = view.growth(worker, "cpu/all/throttled_s")
        used_s = sum(view.growth(worker, f"cpu/all/{mode}_s") or 0.0 for mode in ("user", "system"))
        if back_s is not None and used_s > 0:
            result[worker] = back_s / used_s
    return result


def _by_limit(view: View, worker: str, throttled: dict[str, float]) -> bool:
    """Whether it was its own limit that left a worker less."""
    back_s = view.growth(worker, "cpu/all/throttled_s") or 0.0
    more = throttled[worker] >= HELD_BACK_MORE * Peers(throttled).usual(worker).value
    return more and back_s >= HELD_BACK_LEAST * view.seconds


def _stolen(view: View) -> Iterator[CauseMark]:
    shares: dict[str, float] = {}
    for worker in view.workers:
        cpus = view.timeline.instances(worker, "cpu")
        stolen_s = [view.growth(worker, f"cpu/{cpu}/steal_s") for cpu in cpus]
        known = [each for each in stolen_s if each is not None]
        if known:
            shares[worker] = sum(known) / len(known) / view.seconds
    all_shares = Peers(shares)
    for worker, share in shares.items():
        peers = all_shares.usual(worker)
        if share > peers.value:
            lost = share - peers.value
            sign = Sign("CPU held back", lost, "CPU time given to others", "1", share, *peers, STOLEN_WANDERS)
            yield CauseMark(worker, "", None, sign)


def contention(use: OthersUse) -> Sign:
    """What others used in a workload, as a sign: a quiet machine has hardly any of it."""
    quantity = f"CPU time of {use.machine} that others used"
    return Sign("contended machine", use.others, quantity, "1", use.others, 0.0, "quiet", WANDERS)
