"""What every page shares: it is one file, needs nothing else and reaches for nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

import howdah
from howdah.report.bundle import vega_bundle
from howdah.report.figure import Figure, numeric_columns
from howdah.report.folder import FIGURES
from howdah.report.renderer import data_url
from howdah.report.theme import DARK, FONT, LIGHT
from howdah.units import format_gib

MANY_MARKS = 3000
"""With more marks than this, a live figure made of pixels is quicker than one made of shapes."""

_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
_EXACT = 2.0**53
_ENDLESS = 64
"""Letters of a word that may be broken within a table: more than a host's label or a property has."""
_ENDLESS_WORD = re.compile(rf"(\S{{{_ENDLESS},}})")
_NAME = 32
"""Letters of the longest name that is kept on one line."""
_BARE_PERCENT = re.compile(r"(?<=\d)%(?![\w/])")
_CODE = re.compile(r"`([^`\n]+)`")
_WITHIN_NUMBER = re.compile(
    r"(?<=\d) (?=(?:[kMGTP]?i?B|s|ms|min|h)\b|[%×])|(?<=\d min) (?=\d\d s\b)|(?<=\d h) (?=\d\d? min\b)"
)


class Drawn(NamedTuple):
    """A figure with its still picture as a data URL, and the height it takes."""

    figure: Figure
    picture: str
    height: float


class Shell(NamedTuple):
    """What a page stands in where it is not a file of its own: a template that extends the page's.

    Its scripts, styles and still pictures are then files of their own, beside it.
    """

    package: str
    """The package whose ``templates`` have the shell's."""
    template: str
    """The shell's template; it extends ``inner``, the page's."""
    values: Mapping[str, Any]
    """What the shell itself shows."""


class ShownPage(NamedTuple):
    """A page within a shell, and the figures that it has, whose still pictures are files beside it."""

    html: str
    figures: tuple[Figure, ...]


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


def page(
    template: str,
    name: str,
    figures: Iterable[Figure],
    /,
    *,
    sections: Iterable[tuple[str, str, object]] = (),
    own: str | None = None,
    shell: Shell | None = None,
    **values: Any,
) -> str:
    """A whole HTML document; ``name`` begins the names of saved pictures.

    ``sections`` are those that the page may have (id, name, what is in it), of which the empty ones are not
    linked. ``own`` is the name of the script and of the style sheet of a page that has its own. A page in a
    shell leaves both to it.
    """
    said = {
        **values,
        "version": howdah.__version__,
        "sections": [(id_, title) for id_, title, there in sections if there],
        "data": figure_data(name, figures),
    }
    if shell is not None:
        return (
            environment(shell.package)
            .get_template(shell.template)
            .render(**said, inner=template, own=own, **shell.values)
        )
    running = _scripts(*([f"{own}.js"] if own else []))
    style = style_sheet(*([f"{own}.css"] if own else []))
    return (
        environment()
        .get_template(template)
        .render(**said, style=style, scripts=running, policy=running.policy())
    )


@cache
def environment(*packages: str) -> jinja2.Environment:
    """The templates of pages, after those of other packages; what does not say it is markup is escaped."""
    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name) for name in (*packages, "howdah.report")]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "prose": prose,
        "breakable": breakable,
        "is_name": is_name,
        "gib": format_gib,
        "slice_pairs": _rows,
    }
    made.globals["numeric"] = numeric_columns
    return made


def _rows(figures: Iterable[Drawn]) -> list[list[Drawn]]:
    """Figures row by row: a full one alone, neighbouring half ones together."""
    rows: list[list[Drawn]] = []
    for figure in figures:
        if figure.figure.half and rows and rows[-1][0].figure.half:
            rows[-1].append(figure)
        else:
            rows.append([figure])
    return rows


def _scripts(*more: str) -> Scripts:
    """The scripts of a page; ``more`` are templates of its own that run after the one all pages have."""
    return Scripts(
        mark=Markup('document.documentElement.classList.add("js")'),
        vega=_script(vega_bundle()),
        page=_script("".join(page_text(name) for name in ("page.js", *more))),
    )


def style_sheet(*more: str) -> Markup:
    """The style sheet of every page, then those of one page's own."""
    return Markup(_variables() + "".join(page_text(name) for name in ("page.css", *more)))


def prose(text: str) -> Markup:
    """The text with its numbers tied to their units, and `code` as code."""
    return _wrapped(_CODE, tied(text), Markup("<code>{}</code>"))


def tied(text: str) -> str:
    """The text with spaces between numbers and their units at which no line breaks."""
    return _WITHIN_NUMBER.sub("\N{NO-BREAK SPACE}", _BARE_PERCENT.sub("\N{NO-BREAK SPACE}%", text))


def breakable(text: str) -> Markup:
    """The text of a table's cell, whose longest words may be broken anywhere: no column has room for them."""
    if len(text) >= _ENDLESS and "`" not in text:
        return _wrapped(_ENDLESS_WORD, text, Markup('<span class="long">{}</span>'))
    return _wrapped(_CODE, text, Markup("<code>{}</code>"))


def is_name(cell: str) -> bool:
    """Whether a table's cell is one short word, a run or a host, which reads badly in two lines."""
    return "-" in cell and " " not in cell and len(cell) <= _NAME


def _wrapped(pattern: re.Pattern[str], text: str, element: Markup) -> Markup:
    """The text with every match's group in an element."""
    parts = pattern.split(text)
    return Markup("").join(element.format(part) if at % 2 else part for at, part in enumerate(parts))


def drawn(figure: Figure, pictures: Mapping[str, str] | None) -> Drawn:
    """The figure with its still picture, an SVG by figure id; without pictures, a file beside the page."""
    padding = figure.spec["padding"]
    height = figure.spec["height"] + padding["top"] + padding["bottom"]
    picture = f"{FIGURES}/{figure.id}.svg" if pictures is None else data_url(pictures[figure.id])
    return Drawn(figure, picture, round(height))


def figure_data(name: str, figures: Iterable[Figure]) -> Markup:
    """What a page's script reads; ``name`` begins the names of saved pictures.

    ASCII, and without the characters that could end a script element.
    """
    content: dict[str, Any] = {
        "run": name,
        "palettes": {"light": LIGHT, "dark": DARK},
        "figures": [
            {
                "id": figure.id,
                "spec": folded(figure.spec),
                "keys": len(figure.keys),
                "labelled": figure.labelled,
                "least": figure.least_width,
                "many": figure.marks > MANY_MARKS,
            }
            for figure in figures
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


def unfolded(spec: Any) -> Any:
    """The spec that ``folded`` was given."""
    if isinstance(spec, list):
        return [unfolded(item) for item in spec]
    if not isinstance(spec, dict):
        return spec
    return {key: _values(value) if key == "values" else unfolded(value) for key, value in spec.items()}


def _values(table: Any) -> Any:
    if not isinstance(table, dict):
        return table
    words = table["words"]
    return [
        {
            name: words[name][value] if name in words else value
            for name, value in zip(table["columns"], row, strict=True)
        }
        for row in table["rows"]
    ]


def page_specs(html: str) -> dict[str, Any]:
    """The specification of every figure that a page's script draws, by its id."""
    data = _DATA.search(html)
    figures = json.loads(data[1])["figures"] if data else []
    return {figure["id"]: unfolded(figure["spec"]) for figure in figures}


def _table(values: list[Any]) -> Any:
    """``values`` as columns and rows where all of them are objects with the same keys, else as they are.

    Rows have the numbers of the words of a column of words, which are named once.
    """
    columns = list(values[0]) if values and isinstance(values[0], dict) else []
    if not columns or any(not isinstance(value, dict) or list(value) != columns for value in values):
        return values
    words = {
        name: {word: at for at, word in enumerate(dict.fromkeys(value[name] for value in values))}
        for name in columns
        if all(isinstance(value[name], str) for value in values)
    }
    return {
        "columns": columns,
        "words": {name: list(known) for name, known in words.items()},
        "rows": [
            [words[name][cell] if name in words else _short(cell) for name, cell in value.items()]
            for value in values
        ],
    }


def _short(cell: Any) -> Any:
    """A whole number without the decimals that JSON would write."""
    whole = isinstance(cell, float) and cell.is_integer() and abs(cell) < _EXACT
    return int(cell) if whole else cell


def page_text(name: str) -> str:
    """A script or a style sheet of pages as it was written."""
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
