"""Pictures that are read by themselves: what a page says in its keys, they say in a legend."""

from __future__ import annotations

from typing import Any

from howdah.report.figure import Figure
from howdah.report.theme import DATA

_ROW = 20
_COLUMNS, _HALF_COLUMNS = 4, 2
_OFFSET = 12
_LINE = {"symbolType": "stroke", "symbolStrokeWidth": 3, "symbolDash": [1, 0]}
_POINT = {"symbolType": "circle", "symbolSize": 60, "symbolStrokeWidth": 1.5, "symbolDash": [1, 0]}


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
