"""Failed attempts in a sentence."""

from __future__ import annotations

import pytest

from howdah.jobs.tasks import failures_text


@pytest.mark.parametrize(
    ("errors", "text"),
    [
        (["no space"], "1 attempt failed with: no space"),
        (["no space"] * 3, "3 attempts failed, all with: no space"),
        (["no space", "no space", "killed"], "3 attempts failed, 2 of them with: no space"),
        ([""], "1 attempt failed with: no message"),
        (
            ["out of disk", "Container [pid=12] is killed", "Container [pid=7] is killed"],
            "3 attempts failed, 2 of them with: Container [pid=12] is killed",
        ),
    ],
)
def test_failures_name_the_most_common_error(errors: list[str], text: str) -> None:
    assert failures_text(errors) == text
