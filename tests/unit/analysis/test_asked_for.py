"""How many operations clients asked for, as servers would have counted them."""

from __future__ import annotations

from howdah.analysis.region_servers import asked_for
from howdah.model.reported import OperationCount


def test_answers_count_what_was_asked_while_warming_up_too() -> None:
    counts = [
        OperationCount(operation="read", done=80, returns={"OK": 99, "NOT_FOUND": 1}),
        OperationCount(operation="update", done=5),
    ]
    assert asked_for(counts, ("read",)) == 100
    assert asked_for(counts, ("read", "update")) == 105
    assert asked_for(counts, ("scan",)) == 0
