"""A run's report beside its run: the page, Markdown and pictures."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from howdah.analysis.evidence import Analysis
from howdah.model.run import RunRecord
from howdah.model.tables import RunData
from howdah.report.content import RunContent, content, stats_table
from howdah.report.document import Drawn, data, drawn, environment, put, scripts, style
from howdah.report.figure import Figure, FigureSource
from howdah.report.figures import Figures, draw
from howdah.report.markdown import markdown
from howdah.report.renderer import Renderer

PAGE, FIGURES = "report.html", "figures"


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


def write_report(run: RunData, analysis: Analysis, out_dir: Path, renderer: Renderer | None = None) -> Path:
    """Write ``report.html``, ``report.md`` and ``figures/*.svg`` into ``out_dir``; return the page's path.

    ``report.html`` stands alone; ``report.md`` links the pictures beside it. Existing files of these
    names are replaced. Raises OSError if the directory cannot be written.
    """
    said = content(run, analysis)
    figures = draw(FigureSource(run, analysis.evidence))
    with renderer or Renderer() as drawing:
        pictures = drawing.pictures(figures.every())
    put(
        out_dir,
        {
            **{f"{FIGURES}/{name}.svg": picture for name, picture in pictures.items()},
            "report.md": markdown(said, figures, FIGURES),
            PAGE: page(run.record, said, figures, pictures),
        },
    )
    return out_dir / PAGE
