"""Tables that several forms of the report share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from howdah.report.figure import Table
from howdah.report.words import NONE

if TYPE_CHECKING:
    from howdah.report.content import Stat

_NUMERIC = re.compile(r"^((?:< )?[+\N{MINUS SIGN}]?\d[\d,.]*( .{1,12})?|–|)$")


def numeric_columns(table: Table) -> frozenset[int]:
    """The columns that hold numbers only, which are aligned on the right."""
    return frozenset(
        index
        for index in range(len(table.columns))
        if any(row[index] for row in table.rows) and all(_NUMERIC.match(row[index]) for row in table.rows)
    )


def stats_table(stats: Sequence[Stat]) -> Table:
    """The row of figures below the answer, without the columns in which no workload has anything to say.

    The outcome is a column only where not all succeeded.
    """
    columns = ("workload", "elapsed", "rate", "of", "× limit", "× floor", "limited by", "outcome")
    rows = [
        (
            one.workload,
            one.elapsed,
            one.rate,
            one.of,
            one.times_limit,
            one.times_floor,
            one.bound,
            one.outcome,
        )
        for one in stats
    ]
    empty = {"", NONE}
    if all(one.outcome == "succeeded" for one in stats):
        empty.add("succeeded")
    said = [index for index in range(len(columns)) if any(row[index] not in empty for row in rows)]
    return Table(
        tuple(columns[index] for index in said), tuple(tuple(row[index] for index in said) for row in rows)
    )
