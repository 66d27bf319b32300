"""A study's paper as a page."""

from __future__ import annotations

from typing import NamedTuple

import howdah
from howdah.report.document import Drawn, data, drawn, environment, scripts, style
from howdah.report.study.content import StudyContent, StudySection
from howdah.report.study.draw import StudyFigures


class Shown(NamedTuple):
    """A stratum's words and figures."""

    said: StudySection
    answer: Drawn | None
    repeats: tuple[Drawn, ...]
    over_time: tuple[Drawn, ...]
    whose: str


def study_page(said: StudyContent, figures: StudyFigures, pictures: dict[str, str]) -> str:
    """The whole HTML document; ``pictures`` are the still figures as SVG, by figure id."""
    running = scripts()
    shown = [
        Shown(
            section,
            drawn(compared.answer, pictures) if compared.answer else None,
            tuple(drawn(one, pictures) for one in compared.repeats),
            tuple(drawn(one, pictures) for one in compared.over_time),
            compared.whose,
        )
        for section, compared in zip(said.sections, figures.strata, strict=True)
    ]
    return (
        environment()
        .get_template("study.html.j2")
        .render(
            said=said,
            version=howdah.__version__,
            scaling=drawn(figures.scaling, pictures) if figures.scaling else None,
            lead=drawn(figures.lead, pictures) if figures.lead else None,
            masters=[drawn(one, pictures) for one in figures.masters],
            shown=shown,
            sections=_sections(said, figures),
            style=style(),
            scripts=running,
            policy=running.policy(),
            data=data("study", figures.every()),
        )
    )


def _sections(said: StudyContent, figures: StudyFigures) -> list[tuple[str, str]]:
    present = [
        ("platforms", "Platforms", said.platforms.rows),
        ("results", "Results", said.results.rows),
        ("scaling-size", "Size", figures.scaling),
        ("masters", "Masters", said.masters.rows),
        ("published", "Published", said.published.rows or said.ratios.rows or said.published_platforms.rows),
        ("compared", "Compared", said.sections),
        ("open", "Open", said.open),
        ("appendix", "Appendix", True),
    ]
    return [(id_, name) for id_, name, there in present if there]
