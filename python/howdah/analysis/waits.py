"""How long nobody did the work again that was lost with a worker, and what Hadoop waited for meanwhile.

YARN gives up a NodeManager that has been silent for a while. The application master then ends the attempts
that ran there, and asks the lost NodeManager itself to do so: only once it has given up connecting does it
have them run elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.analysis.evidence import Wait
from howdah.analysis.outages import Outage
from howdah.model.cluster import HadoopJob
from howdah.model.run import RunRecord, TaskAttempt

_NODE = "yarn.nm.liveness-monitor.expiry-interval-ms"
_MASTER = "yarn.am.liveness-monitor.expiry-interval-ms"
_TASK = "mapreduce.task.timeout"
_CONNECTION = "yarn.client.nodemanager-connect.max-wait-ms"
# An application master ends an attempt that has not reported for so long, in these words.
_TIMED_OUT = "Timed out after"
# Containers are given out within a few heartbeats, and events are noticed within a look of the watch.
_SOON_S = 10.0


def freed_s(
    outage: Outage, ended: Sequence[TaskAttempt], again: Sequence[TaskAttempt], takeover_s: float | None
) -> float:
    """When the last of what was under way was begun anew; the loss itself where nothing was lost."""
    if takeover_s is not None:
        return outage.lost_s + takeover_s
    begun: dict[tuple[str, int], float] = {}
    for each in again:
        begun[each.kind, each.task] = min(each.start_s, begun.get((each.kind, each.task), each.start_s))
    # What had ended before the loss is done again as it is missed, and some of it waits for a place.
    held = [begun.get((each.kind, each.task), each.end_s) for each in under_way(outage, ended)]
    return max(held) if held else min(begun.values(), default=outage.lost_s)


def under_way(outage: Outage, ended: Sequence[TaskAttempt]) -> list[TaskAttempt]:
    """The attempts that ran on the worker when it was lost."""
    return [each for each in ended if each.worker == outage.worker and each.end_s >= outage.lost_s]


def waits(
    record: RunRecord,
    job: HadoopJob | None,
    outage: Outage,
    until_s: float,
    held: Sequence[TaskAttempt],
) -> tuple[Wait, ...]:
    """The parts of the wait from the loss until the lost work could be begun anew, in their order.

    ``held`` are the attempts that their application master had to end there; none where that was lost too.
    """
    found = []
    from_s = outage.lost_s
    for end_s, what, setting in _parts(outage, until_s, held):
        if end_s > from_s:
            value_s = None if setting is None else _value_s(record, job, setting)
            found.append(Wait(end_s - from_s, what, setting, value_s))
            from_s = end_s
    return tuple(found)


def _parts(
    outage: Outage, until_s: float, held: Sequence[TaskAttempt]
) -> Iterator[tuple[float, str, str | None]]:
    """When each part ended, what was waited for, and the property that sets how long."""
    if any(_TIMED_OUT in (each.error or "") for each in held):
        yield until_s, "its attempts timed out", _TASK
        return
    back = outage.back_s is not None and outage.back_s <= until_s
    if outage.given_up_s is None:
        yield until_s, "the worker was back" if back else "it was begun elsewhere", None
        return
    given_up_s = min(outage.given_up_s, until_s)
    if until_s - given_up_s <= _SOON_S:
        given_up_s = until_s
    yield given_up_s, "YARN gave the worker up", _NODE
    if back:
        # It is asked again and again, and answers as soon as it is there.
        yield until_s, "the worker was back", None
    elif held:
        yield until_s, "the application master gave up reaching it", _CONNECTION
    else:
        yield until_s, "it was begun elsewhere", None


def _value_s(record: RunRecord, job: HadoopJob | None, setting: str) -> float | None:
    """The value of a property that counts milliseconds, as it was on that cluster."""
    running = record.cluster.patience if record.cluster else {}
    value = {**(job.conf if job else {}), **running}.get(setting, "")
    return int(value) / 1000 if value.isdigit() else None
