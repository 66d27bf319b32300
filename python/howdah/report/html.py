"""A document as an HTML page: one file with its styles and scripts that loads nothing, or within a shell."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import metadata, resources
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup, escape

import howdah
from howdah.files import user_cache
from howdah.report import document as doc
from howdah.report.drawing import VEGA_LITE, needs_charts
from howdah.report.renderer import data_url, figure_data
from howdah.report.vega import DARK, FONT, LIGHT

_ENDLESS = 64  # Letters of a word that a table may break: more than a host's label has.
_ENDLESS_WORD = re.compile(rf"(\S{{{_ENDLESS},}})")
_NAME = 32  # Letters of the longest name that is kept on one line.
_CODE = re.compile(r"`([^`\n]+)`")
_CODE_OR_OPTION = re.compile(r"(`[^`\n]+`|(?<![\w-])--[a-z][\w-]*)")
_WITHIN_NUMBER = re.compile(
    r"(?<=\d) (?=(?:[kMGTP]?i?B|s|ms|min|h)\b|[%×])|(?<=\d min) (?=\d\d s\b)|(?<=\d h) (?=\d\d? min\b)"
)


def prose(text: str) -> Markup:
    """The text with its numbers tied to their units, `code` as code, and no option broken after a hyphen."""
    parts = [
        part
        if at % 2 == 0
        else (
            Markup("<code>{}</code>").format(part.strip("`"))
            if part.startswith("`")
            else Markup('<code class="option">{}</code>').format(part)
        )
        for at, part in enumerate(_CODE_OR_OPTION.split(tied(text)))
    ]
    return Markup("").join(parts)


def tied(text: str) -> str:
    """The text with spaces between numbers and their units at which no line breaks."""
    return _WITHIN_NUMBER.sub("\N{NO-BREAK SPACE}", text)


def breakable(text: str) -> Markup:
    """The text of a table's cell, whose longest words may be broken anywhere: no column has room for them."""
    if len(text) >= _ENDLESS and "`" not in text:
        return _wrapped(_ENDLESS_WORD, text, Markup('<span class="long">{}</span>'))
    return _wrapped(_CODE, text, Markup("<code>{}</code>"))


def shown_cell(cell: str) -> Markup:
    """The text of a table's cell, or its links, then what stands next to it."""
    if not isinstance(cell, doc.TableCell):
        return breakable(cell)
    links = [Markup('<a href="{}">{}</a>').format(address, breakable(text)) for text, address in cell.links]
    notes = ((cell.aside, "aside"), (cell.fault, "aside fault"))
    texts = (Markup('<span class="{}">{}</span>').format(kind, text) for text, kind in notes if text)
    return Markup(", ").join(links or [breakable(cell)]) + Markup().join(texts)


def is_name(cell: str) -> bool:
    """Whether a table's cell is one short word, a run or a host, which reads badly in two lines."""
    return "-" in cell and " " not in cell and len(cell) <= _NAME


def _wrapped(pattern: re.Pattern[str], text: str, element: Markup) -> Markup:
    parts = pattern.split(text)
    return Markup("").join(element.format(part) if at % 2 else part for at, part in enumerate(parts))


EXPOSED = "window.vegaEmbed = vegaEmbed;"  # What the bundle hands to the page's own script.


def vega_bundle() -> str:
    """The bundle's source; a cache that cannot be read or written only costs time."""
    with needs_charts():
        import vl_convert  # noqa: PLC0415

    with contextlib.suppress(OSError, RuntimeError, UnicodeDecodeError):
        digest, _, bundle = _bundle_path().read_bytes().decode().partition("\n")
        if digest == _bundle_digest(bundle):
            return bundle
    bundle = vl_convert.javascript_bundle(EXPOSED, vl_version=VEGA_LITE)
    with contextlib.suppress(OSError, RuntimeError):
        _keep_bundle(_bundle_path(), f"{_bundle_digest(bundle)}\n{bundle}".encode())
    return bundle


def _bundle_path() -> Path:
    return user_cache() / "howdah" / f"vega-{metadata.version('vl-convert-python')}-{VEGA_LITE}.js"


def _bundle_digest(bundle: str) -> str:
    return hashlib.sha256(f"{EXPOSED}\n{bundle}".encode()).hexdigest()


def _keep_bundle(path: Path, content: bytes) -> None:
    """Write the file whole or not at all: another run may read it at any moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}")
    unfinished.write_bytes(content)
    unfinished.replace(path)


PAGE = "page.html.j2"  # The template of every document.
FIGURES = "figures"  # The folder, next to a page, of the pictures that its Markdown links.


class Drawn(NamedTuple):
    """A figure with its still picture as a data URL, and the height it takes."""

    figure: doc.Figure
    picture: str
    height: float


class Shell(NamedTuple):
    """What a page stands in where it is not a file of its own: a template that extends the page's.

    Its scripts, styles and still pictures are then files of their own, beside it.
    """

    package: str  # The package whose ``templates`` have the shell's.
    template: str  # The shell's template; it extends ``inner``, the page's.
    values: Mapping[str, Any]  # What the shell itself shows.


class ShownPage(NamedTuple):
    """A page within a shell, and the figures that it has, whose still pictures are files beside it."""

    html: str
    figures: tuple[doc.Figure, ...]


def _policy(scripts: Iterable[Markup]) -> Markup:
    """A Content-Security-Policy for these scripts, inline styles (Vega's), inlined pictures, nothing else."""
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    hashes = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return Markup(
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
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
        "shown_cell": shown_cell,
        "is_name": is_name,
    }
    made.globals["numeric"] = doc.numeric_columns
    return made


def style_sheet(*more: str) -> Markup:
    """The style sheet of every page, then those of one page's own."""

    def declared(palette: dict[str, str]) -> str:
        return "".join(f"--{token}:{value};" for token, value in palette.items())

    variables = (
        f":root{{--font:{FONT};{declared(LIGHT)}}}\n"
        f"@media screen and (prefers-color-scheme: dark){{:root.js{{{declared(DARK)}}}}}\n"
    )
    return Markup(variables + "".join(page_text(name) for name in ("page.css", *more)))


def drawn(figure: doc.Figure, pictures: Mapping[str, str] | None) -> Drawn:
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


class Piece(NamedTuple):
    """What one macro of ``page.html.j2`` renders; ``kind`` is the macro's name."""

    kind: str
    block: object


def html(document: doc.Document, pictures: Mapping[str, str] | None, shell: Shell | None = None) -> str:
    """The whole page; without ``pictures``, SVG by a figure's id, they are files next to the page.

    A page in a shell leaves its own script and style sheet to it.
    """
    shown, own = document.in_form(doc.Form.HTML), document.own
    values: dict[str, Any] = {
        "document": shown,
        "cited": _citing(shown),
        "pieces": list(_pieces(shown.blocks, pictures)),
        "parts": [(section, list(_pieces(section.blocks, pictures))) for section in shown.sections],
        "version": howdah.__version__,
        "sections": [(section.id, section.name) for section in shown.sections if section.name],
        "data": figure_data(document.save_name or document.name, shown.figures()),
    }
    if shell is not None:
        template = environment(shell.package).get_template(shell.template)
        return template.render(**values, inner=PAGE, own=own or None, **shell.values)
    scripts = {
        "mark": Markup('document.documentElement.classList.add("js")'),
        "vega": _script(vega_bundle()),
        "page": _script(page_text("page.js") + (page_text(f"{own}.js") if own else "")),
    }
    values |= {"style": style_sheet(*([f"{own}.css"] if own else [])), "scripts": scripts}
    return environment().get_template(PAGE).render(**values, policy=_policy(scripts.values()))


def shown_page(document: doc.Document, shell: Shell) -> ShownPage:
    """The document as a page within a shell."""
    return ShownPage(html(document, None, shell), document.in_form(doc.Form.HTML).figures())


def _pieces(blocks: Iterable[doc.Block], pictures: Mapping[str, str] | None) -> Iterator[Piece]:
    """The blocks, with neighbours together that share a row or a grid."""
    for together, group in groupby(blocks, key=_grouped):
        if together == "pair":
            pair = [drawn(figure, pictures) for figure in group if isinstance(figure, doc.Figure)]
            yield Piece("pair", pair)
        elif together:
            yield Piece(together, list(group))
        else:
            yield from (_piece(block, pictures) for block in group)


def _grouped(block: doc.Block) -> str:
    """The grid that a block shares with its neighbours, if any."""
    if isinstance(block, doc.Figure) and block.half:
        return "pair"
    return "facts" if isinstance(block, doc.FactList) and block.title else ""


def _piece(block: doc.Block, pictures: Mapping[str, str] | None) -> Piece:
    match block:
        case doc.Figure():
            return Piece("figure", drawn(block, pictures))
        case doc.FactList():
            return Piece("pairs", block)
        case doc.Table() if block.details:
            return Piece("opening", (block, [list(_pieces(inside, pictures)) for inside in block.details]))
        case doc.FoldedBlocks():
            return Piece("details", (block, list(_pieces(block.blocks, pictures))))
        case _:
            return Piece(type(block).__name__.lower(), block)


def _citing(document: doc.Document) -> Callable[[str], Markup]:
    """A function that makes a text HTML, with a link at the name of every entry that has an anchor."""
    lists = [block for block in document.every_block() if isinstance(block, doc.Entries)]
    anchors = {str(escape(item.name)): item.anchor for block in lists for item in block.items if item.anchor}
    if not anchors:
        return prose
    names = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(anchors, key=len, reverse=True)))})\b")

    def cited(text: str) -> Markup:
        link = '<a href="#{}">{}</a>'
        return Markup(names.sub(lambda name: link.format(escape(anchors[name[0]]), name[0]), prose(text)))

    return cited
