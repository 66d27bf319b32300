"""A study's paper as a page, Markdown, and pictures that can be shown without them."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path
from typing import Any

from howdah.report.document import Figure, Form
from howdah.report.drawing import needs_charts
from howdah.report.html import FIGURES, Shell, ShownPage, html, shown_page
from howdah.report.markdown import markdown
from howdah.report.renderer import Renderer
from howdah.report.study.content import document
from howdah.report.study.found import StudyFound
from howdah.report.theme import DATA
from howdah.report.write import NUMBERS, csv_text, put_page, svg_files

_ROW = 20
_COLUMNS, _HALF_COLUMNS = 4, 2
_OFFSET = 12
_LINE = {"symbolType": "stroke", "symbolStrokeWidth": 3, "symbolDash": [1, 0]}
_POINT = {"symbolType": "circle", "symbolSize": 60, "symbolStrokeWidth": 1.5, "symbolDash": [1, 0]}
_SHARP = 2
"""Pixels of a PNG to one of its figure's."""


def shown_paper(findings: StudyFound, shell: Shell) -> ShownPage:
    """A study's paper, as far as it is finished, as a page within a shell."""
    page = shown_page(document(findings), shell)
    return page._replace(figures=tuple(legible(figure) for figure in page.figures))


def write_paper(findings: StudyFound, out_dir: Path) -> Path:
    """Write ``study.html``, ``study.md``, ``figures/*.svg|png`` and ``data/*.csv``; return the page's path.

    ``study.html`` stands alone; ``study.md`` links the pictures next to it. The same runs give the same
    bytes. What these folders held is replaced. Raises OSError if the directory cannot be written.
    """
    with Renderer() as renderer:
        paper = document(findings)
        figures = paper.in_form(Form.HTML).figures()
        pictures = renderer.pictures([legible(figure) for figure in figures])
    with needs_charts():
        import vl_convert  # noqa: PLC0415

    files = svg_files(pictures)
    for name, picture in pictures.items():
        files[f"{FIGURES}/{name}.png"] = vl_convert.svg_to_png(picture, scale=_SHARP)
    tables = [*paper.data, *((figure.id, figure.table.columns, figure.table.rows) for figure in figures)]
    for name, columns, rows in tables:
        files[f"{NUMBERS}/{name}.csv"] = csv_text(columns, rows)
    path = put_page(out_dir, "study", html(paper, pictures), markdown(paper, FIGURES), files)
    _clear(out_dir, files)
    return path


def _clear(out_dir: Path, files: Container[str]) -> None:
    """Remove what an earlier state of the study drew and has no place in this one."""
    for folder in (FIGURES, NUMBERS):
        for path in (out_dir / folder).glob("*"):
            if f"{folder}/{path.name}" not in files:
                path.unlink()


def legible(figure: Figure) -> Figure:
    """The figure with a legend below it, where it has keys."""
    if not figure.keys or "layer" not in figure.spec:
        return figure
    columns = _HALF_COLUMNS if figure.half else _COLUMNS
    rows = -(-len(figure.keys) // columns)
    padding = figure.spec["padding"]
    spec = {
        **figure.spec,
        "padding": {**padding, "bottom": padding["bottom"] + _OFFSET + rows * _ROW},
        "layer": _with_legend(figure, columns),
    }
    return figure._replace(spec=spec)


def _marks(figure: Figure) -> str:
    """What the figure's own data are drawn as."""
    return next((layer["mark"]["type"] for layer in figure.spec["layer"] if layer.get("name") == DATA), "")


def _with_legend(figure: Figure, columns: int) -> list[dict[str, Any]]:
    """The layers, the first that has the keys' colours with their legend."""
    layers = list(figure.spec["layer"])
    for place, layer in enumerate(layers):
        colour = layer.get("encoding", {}).get("color", {})
        if "legend" in colour and colour.get("scale", {}).get("domain") == [key.name for key in figure.keys]:
            legend = {
                "orient": "bottom",
                "title": None,
                "columns": columns,
                **(_POINT if _marks(figure) == "point" else _LINE),
                "symbolOpacity": 1,
                "labelColor": "$ink",
                "labelFontSize": 12,
                "labelLimit": 0,
                "offset": _OFFSET,
            }
            encoding = {**layer["encoding"], "color": {**colour, "legend": legend}}
            layers[place] = {**layer, "encoding": encoding}
            break
    return layers
