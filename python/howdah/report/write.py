"""Write a report beside its run."""

from __future__ import annotations

from pathlib import Path

from howdah.analysis.evidence import Analysis
from howdah.model.tables import RunData
from howdah.report.content import content
from howdah.report.figure import FigureSource
from howdah.report.figures import draw
from howdah.report.folder import put
from howdah.report.html import page
from howdah.report.markdown import markdown
from howdah.report.renderer import Renderer

PAGE, FIGURES = "report.html", "figures"


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
