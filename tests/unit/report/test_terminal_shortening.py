"""Texts made short enough for one line."""

from __future__ import annotations

import pytest

from howdah.report.terminal import shortened


@pytest.mark.parametrize(
    ("text", "width", "line"),
    [
        ("Install numactl. Bind no daemon.", 40, "Install numactl."),
        ("Install numactl on every worker: NodeManagers need it.", 40, "Install numactl on every worker"),
        ("Needs 3.5.0 of Hadoop. Then more.", 40, "Needs 3.5.0 of Hadoop."),
        (
            "Before it, write and read every disk alone",
            40,
            "Before it, write and read every disk …",
        ),
        ("Read every disk alone (`howdah run storage, all`) before use", 40, "Read every disk alone"),
        ("short", 40, "short"),
    ],
)
def test_the_first_sentence_or_the_clauses_that_fit(text: str, width: int, line: str) -> None:
    assert shortened(text, width) == line
    assert len(line) <= width
