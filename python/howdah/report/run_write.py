"""A run's report beside its run: the page, Markdown and pictures."""

from __future__ import annotations

from pathlib import Path

from howdah.analysis.evidence import Analysis
from howdah.model.tables import RunData
from howdah.report.content import RunContent, content
from howdah.report.document import Figure
from howdah.report.figure import FigureSource
from howdah.report.figures import Figures, draw
from howdah.report.folder import FIGURES, put_page, svg_files
from howdah.report.html_shell import Shell, ShownPage, drawn, page
from howdah.report.renderer import Renderer
from howdah.report.run_markdown import markdown


def shown_report(run: RunData, analysis: Analysis, shell: Shell) -> ShownPage:
    """A run's report as a page within a shell."""
    figures = draw(FigureSource(run, analysis.evidence))
    html = _page(run.record.id, content(run, analysis), figures, None, shell)
    return ShownPage(html, figures.every())


def _page(
    name: str,
    said: RunContent,
    figures: Figures[Figure],
    pictures: dict[str, str] | None,
    shell: Shell | None = None,
) -> str:
    return page(
        "report.html.j2",
        name,
        figures.every(),
        sections=(
            ("findings", "Findings", said.warnings or said.notes),
            ("time", "Over time", figures.over_time),
            ("cluster", "Cluster", figures.places or said.cluster),
            ("throughput", "Throughput", figures.throughput),
            ("bytes", "Bytes", said.accounts or figures.flows),
            ("limits", "Limits", said.limits),
            ("provenance", "Provenance", True),
        ),
        shell=shell,
        said=said,
        figures=Figures(
            drawn(figures.answer, pictures) if figures.answer else None,
            tuple(drawn(figure, pictures) for figure in figures.over_time),
            tuple(drawn(figure, pictures) for figure in figures.throughput),
            tuple(drawn(figure, pictures) for figure in figures.places),
            tuple(drawn(figure, pictures) for figure in figures.flows),
            figures.not_shown,
        ),
    )


def write_report(run: RunData, analysis: Analysis, out_dir: Path, renderer: Renderer | None = None) -> Path:
    """Write ``report.html``, ``report.md`` and ``figures/*.svg`` into ``out_dir``; return the page's path.

    ``report.html`` stands alone; ``report.md`` links the pictures beside it. Existing files of these
    names are replaced. Raises OSError if the directory cannot be written.
    """
    said = content(run, analysis)
    figures = draw(FigureSource(run, analysis.evidence))
    with renderer or Renderer() as drawing:
        pictures = drawing.pictures(figures.every())
    html = _page(run.record.id, said, figures, pictures)
    return put_page(out_dir, "report", html, markdown(said, figures, FIGURES), svg_files(pictures))
