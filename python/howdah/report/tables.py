"""Tables that several forms of the report share."""

from __future__ import annotations

import re
from collections.abc import Sequence

from howdah.report.content import Stat
from howdah.report.figure import Table

_NUMERIC = re.compile(r"^(\N{MINUS SIGN}?\d[\d,.]*( .{1,12})?|–|)$")


def numeric_columns(table: Table) -> frozenset[int]:
    """The columns that hold numbers only, which are aligned on the right."""
    return frozenset(
        index
        for index in range(len(table.columns))
        if any(row[index] for row in table.rows) and all(_NUMERIC.match(row[index]) for row in table.rows)
    )


def stats_table(stats: Sequence[Stat]) -> Table:
    """The row of figures below the answer; the outcome only where not all succeeded."""
    columns = ("workload", "elapsed", "rate", "of", "× limit", "limited by")
    rows = [(one.workload, one.elapsed, one.rate, one.of, one.times_limit, one.bound) for one in stats]
    if all(one.outcome == "succeeded" for one in stats):
        return Table(columns, tuple(rows))
    return Table(
        (*columns, "outcome"), tuple((*row, one.outcome) for row, one in zip(rows, stats, strict=True))
    )
