"""Resources held at a ceiling that is lower than their peers'."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from howdah.analysis.causes.held import Held
from howdah.analysis.causes.view import Mark, capable
from howdah.analysis.evidence import Cause, Sign

# A resource that a limit holds moves at least so much of its amount at that one rate.
STEADY = 0.5


def low_ceilings(
    cause: Cause,
    quantity: str,
    unit: str,
    uses: Mapping[tuple[str, str], Held],
    planned: Mapping[str, float | None],
) -> Iterator[Mark]:
    """Every resource, by worker and instance, that stood at a lower ceiling than the others.

    The time at the ceiling would have shrunk in proportion to it: that is the share of time lost.
    """
    tops = {key: held.level for key, held in uses.items()}
    for (worker, instance), held in uses.items():
        if held.amount_share < STEADY:
            continue
        against = capable((worker, instance), tops, planned.get(worker))
        if against is None or against.value <= 0 or held.level >= against.value:
            continue
        lost = held.time_share * (1 - held.level / against.value)
        what = f"{quantity} {instance}" if instance else quantity
        sign = Sign(cause, lost, what, unit, held.level, against.value, against.against, held.time_share)
        yield Mark(worker, "", None, sign)
