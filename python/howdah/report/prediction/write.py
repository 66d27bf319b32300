"""Write a page about predictions."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from howdah.report.folder import put
from howdah.report.picture import svg
from howdah.report.prediction.content import Data, PredictionContent
from howdah.report.prediction.markdown import prediction_markdown
from howdah.report.prediction.page import prediction_page

FIGURES, DATA = "figures", "data"


def write_page(said: PredictionContent, out_dir: Path) -> Path:
    """Write ``<name>.html``, ``<name>.md``, ``figures/*.svg`` and ``data/*.csv``; return the page's path.

    The page stands alone; the Markdown links the pictures beside it. Existing files of these names are
    replaced. Raises OSError if the directory cannot be written.
    """
    pictures = {figure.id: svg(figure) for figure in said.figures()}
    page = f"{said.name}.html"
    put(
        out_dir,
        {
            **{f"{FIGURES}/{name}.svg": picture for name, picture in pictures.items()},
            **{f"{DATA}/{one.name}.csv": _csv(one) for one in said.data},
            f"{said.name}.md": prediction_markdown(said, FIGURES),
            page: prediction_page(said, pictures),
        },
    )
    return out_dir / page


def _csv(data: Data) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(data.columns)
    writer.writerows(data.rows)
    return text.getvalue()
