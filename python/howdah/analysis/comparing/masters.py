"""How busy the masters of a measured run were, as a simulated run tells it of its own."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.analysis.comparing.resource import resource
from howdah.analysis.evidence import WorkloadTime
from howdah.analysis.masters import master_loads
from howdah.analysis.timeline import Timeline
from howdah.model.comparison import Reading

_NAMES = {"NameNode": "NameNode busy", "ResourceManager": "scheduler busy"}


def master_readings(timeline: Timeline, time: WorkloadTime) -> Iterator[Reading]:
    """The share of a core of each master; of a pair, that of the one that worked."""
    loads = master_loads(timeline, (time,))
    for daemon, name in _NAMES.items():
        busy = [load.busy for load in loads if load.daemon == daemon]
        if busy:
            yield resource(time.workload, None, name, max(busy), "share")
