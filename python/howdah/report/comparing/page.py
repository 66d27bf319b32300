"""A comparison as a page: the answer, the intervals, what changed, where, and every test."""

from __future__ import annotations

import howdah
from howdah.report.comparing.content import ComparisonContent
from howdah.report.comparing.draw import ComparisonFigures
from howdah.report.document import data, drawn, environment, scripts, style


def comparison_page(said: ComparisonContent, figures: ComparisonFigures, pictures: dict[str, str]) -> str:
    """The whole HTML document; ``pictures`` are the still figures as SVG, by figure id."""
    running = scripts()
    return (
        environment()
        .get_template("compare.html.j2")
        .render(
            said=said,
            version=howdah.__version__,
            answer=drawn(figures.answer, pictures) if figures.answer else None,
            whose=figures.whose,
            repeats=[drawn(one, pictures) for one in figures.repeats],
            over_time=[drawn(one, pictures) for one in figures.over_time],
            sections=_sections(said, figures),
            style=style(),
            scripts=running,
            policy=running.policy(),
            data=data("compare", figures.every()),
        )
    )


def _sections(said: ComparisonContent, figures: ComparisonFigures) -> list[tuple[str, str]]:
    present = [
        ("groups", "Groups", said.parts),
        ("changes", "What changed", said.changes.rows),
        ("repeats", "Repeats", figures.repeats),
        ("time", "Over time", figures.over_time),
        ("where", "Resources", said.others),
        ("tests", "Tests", said.tests.table.rows),
        ("runs", "Runs", True),
    ]
    return [(id_, name) for id_, name, there in present if there]
