"""Write a report beside its run."""

from __future__ import annotations

from pathlib import Path

from howdah.analysis.evidence import Analysis
from howdah.model.tables import RunData
from howdah.report.artist import Artist
from howdah.report.content import content
from howdah.report.figure import Source
from howdah.report.figures import draw
from howdah.report.html import page
from howdah.report.markdown import markdown

FIGURES = "figures"


def write_report(run: RunData, analysis: Analysis, out_dir: Path, artist: Artist | None = None) -> Path:
    """Write ``report.html``, ``report.md`` and ``figures/*.svg`` into ``out_dir``; return the page's path.

    ``report.html`` stands alone; ``report.md`` links the pictures beside it. Existing files of these
    names are replaced. Raises OSError if the directory cannot be written.
    """
    said = content(run, analysis)
    figures = draw(Source(run, analysis.evidence))
    with artist or Artist() as drawing:
        pictures = drawing.pictures(figures.every())
    folder = out_dir / FIGURES
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in pictures.items():
        (folder / f"{name}.svg").write_text(picture, encoding="utf-8")
    (out_dir / "report.md").write_text(markdown(said, figures, FIGURES), encoding="utf-8")
    path = out_dir / "report.html"
    path.write_text(page(run.record, said, figures, pictures), encoding="utf-8")
    return path
