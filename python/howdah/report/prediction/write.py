"""Write a page about predictions."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from howdah.report.picture import svg
from howdah.report.prediction.content import Content, Data
from howdah.report.prediction.markdown import prediction_markdown
from howdah.report.prediction.page import prediction_page

FIGURES, DATA = "figures", "data"


def write_page(said: Content, out_dir: Path) -> Path:
    """Write ``<name>.html``, ``<name>.md``, ``figures/*.svg`` and ``data/*.csv``; return the page's path.

    The page stands alone; the Markdown links the pictures beside it. Existing files of these names are
    replaced. Raises OSError if the directory cannot be written.
    """
    pictures = {figure.id: svg(figure) for figure in said.figures()}
    for folder in (FIGURES, DATA):
        (out_dir / folder).mkdir(parents=True, exist_ok=True)
    for name, picture in pictures.items():
        (out_dir / FIGURES / f"{name}.svg").write_text(picture, encoding="utf-8")
    for one in said.data:
        (out_dir / DATA / f"{one.name}.csv").write_text(_csv(one), encoding="utf-8")
    (out_dir / f"{said.name}.md").write_text(prediction_markdown(said, FIGURES), encoding="utf-8")
    path = out_dir / f"{said.name}.html"
    path.write_text(prediction_page(said, pictures), encoding="utf-8")
    return path


def _csv(data: Data) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(data.columns)
    writer.writerows(data.rows)
    return text.getvalue()
