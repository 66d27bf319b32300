"""What a network was measured to carry, as a parameter of the simulator that needs no fitting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from howdah.errors import UserError
from howdah.model.calibration import CalibratedValue
from howdah.model.run import Outcome, RunRecord
from howdah.model.workloads.network import BOTH_WAYS
from howdah.units import format_counted

LINK_SHARE = "link_share"
"""The simulator's name for what a link that is busy both ways carries, as a share of its nominal speed."""

_MOST = 1.0
_LOW, _HIGH = 5, 95


def measures_links(record: RunRecord) -> bool:
    """Whether a run measured a network rather than a workload's time."""
    return any(result.links for result in record.workloads)


def link_values(records: Sequence[RunRecord]) -> tuple[CalibratedValue, ...]:
    """The share of their nominal speed that links carry both ways: the median of all pairs, and 90 % of them.

    Raises UserError for a run that did not succeed, or of hosts whose nominal speed nothing tells.
    """
    if not records:
        return ()
    shares = [share for record in records for share in _shares(record)]
    low, value, high = (min(_MOST, float(np.percentile(shares, at))) for at in (_LOW, 50, _HIGH))
    rests_on = tuple(
        f"run {record.id}: {format_counted(len(list(_shares(record))), 'pair')} both ways"
        for record in records
    )
    return (
        CalibratedValue(
            name=LINK_SHARE,
            value=round(value, 4),
            low=round(low, 4),
            high=round(high, 4),
            origin="measured",
            rests_on=rests_on,
        ),
    )


def _shares(record: RunRecord) -> Iterator[float]:
    where = f"run {record.id}"
    if record.outcome is not Outcome.SUCCEEDED:
        raise UserError(
            where, f"{record.outcome}: the speed of its links is unknown", "give runs that succeeded"
        )
    links = [link for result in record.workloads for link in result.links if link.how == BOTH_WAYS]
    if not all(link.nominal_bits_per_s for link in links):
        raise UserError(where, "does not record the purpose of its ports", "measure the hosts of a plan")
    yield from (link.bits_per_s / link.nominal_bits_per_s for link in links if link.nominal_bits_per_s)
