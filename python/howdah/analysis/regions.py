"""How requests spread over the regions of a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from howdah.analysis.evidence import Evidence, RegionUse
from howdah.analysis.operation_steps import TimedRun
from howdah.analysis.region_servers import UNEVEN, seen_until
from howdah.analysis.step_causes import hot_from, region_servers
from howdah.analysis.wording import number, percent, times
from howdah.model.finding import Finding
from howdah.model.run import RunRecord
from howdah.units import format_counted


def region_uses(timed: TimedRun) -> tuple[RegionUse, ...]:
    """Every region that anything was asked of, workload by workload, the hottest first."""
    found: list[RegionUse] = []
    for time in timed.times:
        rows: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for machine in region_servers(timed.timeline):
            end_s = seen_until(timed.timeline, machine, time, timed.times)
            for region in timed.timeline.instances(machine, "region"):
                grown = timed.timeline.growth(machine, f"region/{region}/requests", time.start_s, end_s)
                if grown:
                    rows[region][machine] = grown
        each = [
            RegionUse(time.workload, region, max(on, key=lambda name: on[name]), sum(on.values()))
            for region, on in rows.items()
        ]
        found += sorted(each, key=lambda use: -use.rows)
    return tuple(found)


def find_hot_regions(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """The hottest region of each workload: a warning where it has a multiple of the others' requests."""
    for workload in dict.fromkeys(use.workload for use in evidence.regions):
        mine = [use for use in evidence.regions if use.workload == workload]
        if len(mine) < 2:
            continue
        share = mine[0].rows / sum(use.rows for use in mine)
        ratio = share * len(mine)
        text = f"region {mine[0].region} on {mine[0].machine} had {percent(share)} of the requests to "
        text += format_counted(len(mine), "region")
        text += f", {times(ratio)} the mean" if ratio >= UNEVEN else ": it was spread evenly"
        yield Finding(
            id="hot-region",
            severity="warning" if ratio >= hot_from(len(mine)) else "note",
            workload=workload,
            text=f"{workload}: {text}",
            sure="measured",
            origin=record.origin,
            numbers=tuple(number(f"rows of {use.region}", use.rows, "1") for use in mine[:10]),
        )
