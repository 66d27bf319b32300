"""What HDFS did about lost DataNodes: when it gave them up, and when all blocks had their replicas again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from howdah.analysis.evidence import Evidence, Rebuild
from howdah.analysis.machines import setting_s, setting_text
from howdah.analysis.outages import DAEMONS, Outage, outages
from howdah.analysis.timeline import Timeline, Track
from howdah.analysis.wording import listed, number, seconds
from howdah.model.finding import Finding
from howdah.model.run import RunRecord
from howdah.releases.values import read_seconds
from howdah.units import format_counted

_LIVE, _FEW = "namenode/live_datanodes", "namenode/under_replicated"
_TOGETHER_S = 30.0
"""Workers of a host are lost together."""
_RECHECK, _HEARTBEAT = "dfs.namenode.heartbeat.recheck-interval", "dfs.heartbeat.interval"


def rebuilds(record: RunRecord, timeline: Timeline) -> tuple[Rebuild, ...]:
    """One for all DataNodes that were lost together; empty if the NameNode was not sampled."""
    live, few = (_largest(timeline, metric) for metric in (_LIVE, _FEW))
    if live is None or few is None:
        return ()
    lost = [each for each in outages(record.events, timeline) if DAEMONS["datanode"] in each.daemons]
    together: list[list[Outage]] = []
    for outage in sorted(lost, key=lambda each: each.lost_s):
        if together and outage.lost_s - together[-1][0].lost_s < _TOGETHER_S:
            together[-1].append(outage)
        else:
            together.append([outage])
    return tuple(_rebuild(group, live, few) for group in together)


def _largest(timeline: Timeline, metric: str) -> Track | None:
    """The track of the NameNode that counts most: a standby knows less."""
    tracks = [track for host in timeline.hosts if (track := timeline.track(host, metric)) is not None]
    return max(tracks, key=lambda track: float(track.values.max()), default=None)


def _rebuild(group: list[Outage], live: Track, few: Track) -> Rebuild:
    lost_s = min(outage.lost_s for outage in group)
    before = float(live.at(lost_s))
    gone = live.times_s[(live.times_s > lost_s) & (live.values < before)]
    base = float(few.at(lost_s))
    later = few.times_s > lost_s
    times, values = few.times_s[later], few.values[later]
    most = float(values.max()) if len(values) else base
    rebuilt_s = None
    if most > base:
        after = times[np.arange(len(values)) > int(values.argmax())]
        whole = after[values[int(values.argmax()) + 1 :] <= base]
        rebuilt_s = float(whole[0]) if len(whole) else None
    return Rebuild(
        workers=tuple(sorted(outage.worker for outage in group)),
        lost_s=lost_s,
        given_up_s=float(gone[0]) if len(gone) else None,
        most_blocks=round(most - base),
        rebuilt_s=rebuilt_s,
    )


def find_rebuilds(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Whether HDFS made new replicas of what lost DataNodes held, and how long that took."""
    for rebuild in evidence.rebuilds:
        numbers = [number("blocks with too few replicas", rebuild.most_blocks, "1")]
        if rebuild.given_up_s is not None:
            numbers.append(number("given up after", rebuild.given_up_s - rebuild.lost_s, "s"))
        if rebuild.rebuilt_s is not None:
            numbers.append(number("all replicas again after", rebuild.rebuilt_s - rebuild.lost_s, "s"))
        whole = rebuild.given_up_s is None or rebuild.rebuilt_s is not None or not rebuild.most_blocks
        yield Finding(
            id="hdfs-rebuilt",
            severity="note" if whole else "warning",
            text=f"HDFS: {_text(record, rebuild)}",
            origin=record.origin,
            numbers=tuple(numbers),
        )


def _text(record: RunRecord, rebuild: Rebuild) -> str:
    nodes = f"the {'DataNode' if len(rebuild.workers) == 1 else 'DataNodes'} of {listed(rebuild.workers)}"
    if rebuild.given_up_s is None:
        heartbeat_s = read_seconds(setting_text(record, _HEARTBEAT)) or 0.0
        patience_s = 2 * setting_s(record, _RECHECK) + 10 * heartbeat_s
        return (
            f"the NameNode did not give up {nodes} and rebuilt nothing, because it waits "
            f"{seconds(patience_s)} for a silent DataNode ({_RECHECK}, {_HEARTBEAT})"
        )
    text = f"the NameNode gave up {nodes} {seconds(rebuild.given_up_s - rebuild.lost_s)} after the loss"
    if not rebuild.most_blocks:
        return f"{text}, and no block lacked a replica"
    text += f"; up to {format_counted(rebuild.most_blocks, 'block')} had too few replicas"
    if rebuild.rebuilt_s is None:
        return f"{text}, and not all had theirs again when sampling ended"
    return f"{text}, and all had theirs again {seconds(rebuild.rebuilt_s - rebuild.lost_s)} after the loss"
