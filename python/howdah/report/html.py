"""The page: one file that needs nothing else, and that the browser forbids to reach for anything."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from importlib import resources
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

from howdah.model.run import RunRecord
from howdah.report.bundle import vega_bundle
from howdah.report.content import Content
from howdah.report.figure import Figure
from howdah.report.figures import Figures
from howdah.report.palette import DARK, LIGHT
from howdah.report.picture import MANY_MARKS, data_url
from howdah.report.tables import numeric_columns, stats_table
from howdah.report.theme import FONT

_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:[kMGTP]?i?B|s|ms|min|h|h)\b|[%×])")


class Drawn(NamedTuple):
    """A figure with its still picture as a data URL, and the height it takes."""

    figure: Figure
    picture: str
    height: float


class _Scripts(NamedTuple):
    mark: Markup
    vega: Markup
    page: Markup

    def policy(self) -> str:
        """A Content-Security-Policy that runs these scripts, shows inlined pictures, and nothing else.

        Styles are allowed inline because Vega sets them; there is no host to load anything from.
        """
        hashes = " ".join(
            f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
            for script in self
        )
        return (
            f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
            "connect-src 'none'; base-uri 'none'; form-action 'none'"
        )


def page(record: RunRecord, said: Content, figures: Figures[Figure], pictures: dict[str, str]) -> str:
    """The whole HTML document; ``pictures`` are the still figures as SVG, by figure id."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("howdah.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["slice_pairs"] = _rows
    environment.filters["joined"] = joined
    environment.globals["numeric"] = numeric_columns
    scripts = _Scripts(
        mark=Markup('document.documentElement.classList.add("js")'),
        vega=_script(vega_bundle()),
        page=_script(_text("page.js")),
    )
    return environment.get_template("report.html.j2").render(
        record=record,
        said=said,
        stats=stats_table(said.stats),
        figures=Figures(
            _drawn(figures.answer, pictures) if figures.answer else None,
            tuple(_drawn(figure, pictures) for figure in figures.over_time),
            tuple(_drawn(figure, pictures) for figure in figures.throughput),
            figures.not_shown,
        ),
        sections=_sections(said, figures),
        style=Markup(_variables() + _text("page.css")),
        scripts=scripts,
        policy=Markup(scripts.policy()),
        data=_data(record, figures.every()),
    )


def joined(text: str) -> str:
    """The text with its numbers tied to their units, so that no line breaks between them."""
    return _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", text)


def _rows(drawn: Iterable[Drawn]) -> list[list[Drawn]]:
    """Figures row by row: a full one alone, neighbouring half ones together."""
    rows: list[list[Drawn]] = []
    for one in drawn:
        if one.figure.half and rows and rows[-1][0].figure.half:
            rows[-1].append(one)
        else:
            rows.append([one])
    return rows


def _drawn(figure: Figure, pictures: dict[str, str]) -> Drawn:
    padding = figure.spec["padding"]
    height = figure.spec["height"] + padding["top"] + padding["bottom"]
    return Drawn(figure, data_url(figure, pictures[figure.id]), round(height))


def _sections(said: Content, figures: Figures[Figure]) -> list[tuple[str, str]]:
    present = [
        ("findings", "Findings", said.warnings or said.notes),
        ("time", "Over time", figures.over_time),
        ("throughput", "Throughput", figures.throughput),
        ("bytes", "Bytes", said.accounts),
        ("limits", "Limits", said.limits),
        ("provenance", "Provenance", True),
    ]
    return [(id_, name) for id_, name, content in present if content]


def _text(name: str) -> str:
    return (resources.files("howdah.report") / "templates" / name).read_text(encoding="utf-8")


def _script(source: str) -> Markup:
    """A script that cannot close its own element."""
    return Markup(source.replace("</script", "<\\/script").replace("<!--", "<\\!--"))


def _variables() -> str:
    """The palette as CSS variables, light and, on screen with JavaScript, dark."""

    def declared(palette: dict[str, str]) -> str:
        return "".join(f"--{token}:{value};" for token, value in palette.items())

    return (
        f":root{{--font:{FONT};{declared(LIGHT)}}}\n"
        f"@media screen and (prefers-color-scheme: dark){{:root.js{{{declared(DARK)}}}}}\n"
    )


def _data(record: RunRecord, figures: Iterable[Figure]) -> Markup:
    """What the page's script reads; ASCII, and without the characters that could end a script element."""
    content: dict[str, Any] = {
        "run": record.id,
        "palettes": {"light": LIGHT, "dark": DARK},
        "figures": [
            {"id": one.id, "spec": one.spec, "keys": len(one.keys), "many": one.marks > MANY_MARKS}
            for one in figures
        ],
    }
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)
