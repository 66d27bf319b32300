"""What every page shares: it is one file, needs nothing else and reaches for nothing."""

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

from howdah.report.bundle import vega_bundle
from howdah.report.figure import Figure
from howdah.report.palette import DARK, LIGHT
from howdah.report.picture import data_url
from howdah.report.tables import numeric_columns
from howdah.report.theme import FONT

MANY_MARKS = 3000
"""With more marks than this, a live figure made of pixels is quicker than one made of shapes."""

_WITHIN_NUMBER = re.compile(
    r"(?<=\d) (?=(?:[kMGTP]?i?B|s|ms|min|h)\b|[%×])|(?<=\d min) (?=\d\d s\b)|(?<=\d h) (?=\d\d? min\b)"
)


class Drawn(NamedTuple):
    """A figure with its still picture as a data URL, and the height it takes."""

    figure: Figure
    picture: str
    height: float


class Scripts(NamedTuple):
    """Everything that runs in a page: a mark that it does, Vega, and what draws and answers buttons."""

    mark: Markup
    vega: Markup
    page: Markup

    def policy(self) -> Markup:
        """A Content-Security-Policy that runs these scripts, shows inlined pictures, and nothing else.

        Styles are allowed inline because Vega sets them; there is no host to load anything from.
        """
        hashes = " ".join(
            f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
            for script in self
        )
        return Markup(
            f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
            "connect-src 'none'; base-uri 'none'; form-action 'none'"
        )


def environment() -> jinja2.Environment:
    """The templates, with everything escaped that does not say it is markup."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("howdah.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["joined"] = joined
    made.globals["numeric"] = numeric_columns
    return made


def scripts(*more: str) -> Scripts:
    """The scripts of a page; ``more`` are templates of its own that run after the one all pages have."""
    return Scripts(
        mark=Markup('document.documentElement.classList.add("js")'),
        vega=_script(vega_bundle()),
        page=_script("".join(_text(name) for name in ("page.js", *more))),
    )


def style(*more: str) -> Markup:
    """The style sheet of every page, then those of one page's own."""
    return Markup(_variables() + "".join(_text(name) for name in ("page.css", *more)))


def joined(text: str) -> str:
    """The text with its numbers tied to their units, so that no line breaks between them."""
    return _WITHIN_NUMBER.sub("\N{NO-BREAK SPACE}", text)


def drawn(figure: Figure, pictures: dict[str, str]) -> Drawn:
    """The figure with its still picture, an SVG by figure id."""
    padding = figure.spec["padding"]
    height = figure.spec["height"] + padding["top"] + padding["bottom"]
    return Drawn(figure, data_url(pictures[figure.id]), round(height))


def data(name: str, figures: Iterable[Figure]) -> Markup:
    """What a page's script reads; ``name`` begins the names of saved pictures.

    ASCII, and without the characters that could end a script element.
    """
    content: dict[str, Any] = {
        "run": name,
        "palettes": {"light": LIGHT, "dark": DARK},
        "figures": [
            {"id": one.id, "spec": folded(one.spec), "keys": len(one.keys), "many": one.marks > MANY_MARKS}
            for one in figures
        ],
    }
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def folded(spec: Any) -> Any:
    """The spec with every table of data as the names of its columns and its rows; the page unfolds it."""
    if isinstance(spec, list):
        return [folded(item) for item in spec]
    if not isinstance(spec, dict):
        return spec
    return {key: _table(value) if key == "values" else folded(value) for key, value in spec.items()}


def _table(values: list[Any]) -> Any:
    """``values`` as columns and rows where all of them are objects with the same keys, else as they are."""
    columns = list(values[0]) if values and isinstance(values[0], dict) else []
    if not columns or any(not isinstance(one, dict) or list(one) != columns for one in values):
        return values
    return {"columns": columns, "rows": [list(one.values()) for one in values]}


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
