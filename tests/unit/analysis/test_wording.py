"""Numbers as sentences print them."""

from __future__ import annotations

import pytest

from howdah.analysis.wording import signed


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (-0.0003, "0 %"), (0.0004, "0 %"), (-0.0006, "\N{MINUS SIGN}0.1 %"), (0.12, "+12 %")],
)
def test_a_change_that_rounds_to_nothing_has_no_sign(share: float, text: str) -> None:
    assert signed(share) == text
