"""Resources held at a ceiling that is lower than their peers'."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from howdah.analysis.causes.held import Held
from howdah.analysis.causes.view import Mark, Peers
from howdah.analysis.evidence import Cause, Sign

# A resource that a limit holds moves at least so much of its amount at that one rate.
STEADY = 0.5
# Rates wander with what there is to do.
WANDERS = 0.25
# Heartbeats and logs are steady too, but no more than this.
CHATTER_BYTES_PER_S = 1e5


class Resource(NamedTuple):
    """What may be held at a ceiling; peers whose ceilings are below ``least`` had no use for it either."""

    cause: Cause
    quantity: str
    unit: str
    least: float


def low_ceilings(
    what: Resource, uses: Mapping[tuple[str, str], Held], planned: Mapping[str, float | None]
) -> Iterator[Mark]:
    """Every resource, by worker and instance, that stood at a lower ceiling than the others.

    The time at the ceiling would have shrunk in proportion to it: that is the share of time lost.
    """
    tops = Peers({key: held.level for key, held in uses.items()})
    for (worker, instance), held in uses.items():
        if held.amount_share < STEADY:
            continue
        against = tops.capable((worker, instance), planned.get(worker))
        if against is None or against.value < what.least or held.level >= against.value:
            continue
        lost = held.time_share * (1 - held.level / against.value)
        name = f"{what.quantity} {instance}" if instance else what.quantity
        sign = Sign(what.cause, lost, name, what.unit, held.level, *against, WANDERS, held.time_share)
        yield Mark(worker, "", None, sign)
