"""A run's report as a page."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.model.run import RunRecord
from howdah.report.content import RunContent
from howdah.report.document import Drawn, data, drawn, environment, scripts, style
from howdah.report.figure import Figure
from howdah.report.figures import Figures
from howdah.report.tables import stats_table


def page(record: RunRecord, said: RunContent, figures: Figures[Figure], pictures: dict[str, str]) -> str:
    """The whole HTML document; ``pictures`` are the still figures as SVG, by figure id."""
    templates = environment()
    templates.filters["slice_pairs"] = _rows
    running = scripts()
    return templates.get_template("report.html.j2").render(
        record=record,
        said=said,
        stats=stats_table(said.stats),
        figures=Figures(
            drawn(figures.answer, pictures) if figures.answer else None,
            tuple(drawn(figure, pictures) for figure in figures.over_time),
            tuple(drawn(figure, pictures) for figure in figures.throughput),
            tuple(drawn(figure, pictures) for figure in figures.places),
            tuple(drawn(figure, pictures) for figure in figures.flows),
            figures.not_shown,
        ),
        sections=_sections(said, figures),
        style=style(),
        scripts=running,
        policy=running.policy(),
        data=data(record.id, figures.every()),
    )


def _rows(drawn_figures: Iterable[Drawn]) -> list[list[Drawn]]:
    """Figures row by row: a full one alone, neighbouring half ones together."""
    rows: list[list[Drawn]] = []
    for one in drawn_figures:
        if one.figure.half and rows and rows[-1][0].figure.half:
            rows[-1].append(one)
        else:
            rows.append([one])
    return rows


def _sections(said: RunContent, figures: Figures[Figure]) -> list[tuple[str, str]]:
    present = [
        ("findings", "Findings", said.warnings or said.notes),
        ("time", "Over time", figures.over_time),
        ("cluster", "Cluster", figures.places or said.cluster),
        ("throughput", "Throughput", figures.throughput),
        ("bytes", "Bytes", said.accounts or figures.flows),
        ("limits", "Limits", said.limits),
        ("provenance", "Provenance", True),
    ]
    return [(id_, name) for id_, name, content in present if content]
