"""The frame of every page: one HTML file with its styles and scripts, which loads nothing."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

import howdah
from howdah.report.bundle import vega_bundle
from howdah.report.document import Figure, numeric_columns
from howdah.report.figure_data import figure_data
from howdah.report.folder import FIGURES
from howdah.report.html_text import breakable, is_name, prose
from howdah.report.renderer import data_url
from howdah.report.theme import DARK, FONT, LIGHT
from howdah.units import format_gib

PAGE = "page.html.j2"
"""The template of every document."""


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
    name: str,
    figures: Iterable[Figure],
    /,
    *,
    sections: Iterable[tuple[str, str]],
    own: str | None = None,
    shell: Shell | None = None,
    **values: Any,
) -> str:
    """A whole HTML document; ``name`` begins the names of saved pictures.

    ``sections`` are linked: their ids and names. ``own`` is the name of the script and of the style sheet of
    a page that has its own. A page in a shell leaves both to it.
    """
    shown = {
        **values,
        "version": howdah.__version__,
        "sections": list(sections),
        "data": figure_data(name, figures),
    }
    if shell is not None:
        template = environment(shell.package).get_template(shell.template)
        return template.render(**shown, inner=PAGE, own=own, **shell.values)
    running = _scripts(*([f"{own}.js"] if own else []))
    style = style_sheet(*([f"{own}.css"] if own else []))
    template = environment().get_template(PAGE)
    return template.render(**shown, style=style, scripts=running, policy=running.policy())


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
    }
    made.globals["numeric"] = numeric_columns
    return made


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


def drawn(figure: Figure, pictures: Mapping[str, str] | None) -> Drawn:
    """The figure with its still picture, an SVG by figure id; without pictures, a file beside the page."""
    padding = figure.spec["padding"]
    height = figure.spec["height"] + padding["top"] + padding["bottom"]
    picture = f"{FIGURES}/{figure.id}.svg" if pictures is None else data_url(pictures[figure.id])
    return Drawn(figure, picture, round(height))


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
