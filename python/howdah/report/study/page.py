"""A study's paper: its figures, the page, Markdown, and files that stand alone."""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from howdah.report.comparing.draw import ComparisonFigures as Compared
from howdah.report.comparing.draw import draw as draw_comparison
from howdah.report.document import Figure, Table
from howdah.report.drawing import needs_charts
from howdah.report.folder import FIGURES, NUMBERS, csv_text, put_page, svg_files
from howdah.report.html_shell import Drawn, Shell, ShownPage, drawn, page
from howdah.report.markdown import escaped, figure_block, table, together
from howdah.report.renderer import Renderer
from howdah.report.run_markdown import titled
from howdah.report.study.content import StudyContent, StudySection, content
from howdah.report.study.found import StudyFound
from howdah.report.study.masters import masters_load
from howdah.report.study.saturation import ABOUT
from howdah.report.study.scaling import scaling
from howdah.report.study.unanswered import unanswered_figure
from howdah.report.theme import DATA

_ROW = 20
_COLUMNS, _HALF_COLUMNS = 4, 2
_OFFSET = 12
_LINE = {"symbolType": "stroke", "symbolStrokeWidth": 3, "symbolDash": [1, 0]}
_POINT = {"symbolType": "circle", "symbolSize": 60, "symbolStrokeWidth": 1.5, "symbolDash": [1, 0]}
_SHARP = 2
"""Pixels of a PNG to one of its figure's."""


class StudyFigures(NamedTuple):
    """How time grows with size, what blocks ask of the masters, and the figures of each stratum."""

    scaling: Figure | None
    masters: tuple[Figure, ...]
    unanswered: Figure | None
    strata: tuple[Compared, ...]

    @property
    def lead(self) -> Figure | None:
        """The figure of the answer, where there is but one: it stands beside it."""
        return self.strata[0].answer if len(self.strata) == 1 else None

    def every(self) -> tuple[Figure, ...]:
        """All of them in order."""
        compared = (figure for stratum in self.strata for figure in stratum.every())
        alone = [figure for figure in (self.unanswered, self.scaling) if figure]
        return (*alone, *self.masters, *compared)


def draw(findings: StudyFound) -> StudyFigures:
    """Every figure there is data for; a figure's id begins with its stratum's number."""
    return StudyFigures(
        scaling=scaling(findings),
        masters=masters_load(findings),
        unanswered=unanswered_figure(findings),
        strata=tuple(
            _numbered(draw_comparison(stratum.comparison, stratum.followed), number)
            for number, stratum in enumerate(findings.strata, start=1)
        ),
    )


def _numbered(figures: Compared, number: int) -> Compared:
    def mine(figure: Figure) -> Figure:
        return figure._replace(id=f"{number}-{figure.id}")

    return Compared(
        answer=mine(figures.answer) if figures.answer else None,
        repeats=tuple(mine(figure) for figure in figures.repeats),
        over_time=tuple(mine(figure) for figure in figures.over_time),
        whose=figures.whose,
    )


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


class Shown(NamedTuple):
    """A stratum's words and figures."""

    said: StudySection
    answer: Drawn | None
    repeats: tuple[Drawn, ...]
    over_time: tuple[Drawn, ...]
    whose: str


def shown_paper(findings: StudyFound, shell: Shell) -> ShownPage:
    """A study's paper, as far as it is, as a page within a shell."""
    figures = draw(findings)
    every = tuple(legible(figure) for figure in figures.every())
    return ShownPage(_page(content(findings), figures, None, shell), every)


def _page(
    said: StudyContent,
    figures: StudyFigures,
    pictures: dict[str, str] | None,
    shell: Shell | None = None,
) -> str:
    shown = [
        Shown(
            section,
            drawn(compared.answer, pictures) if compared.answer else None,
            tuple(drawn(figure, pictures) for figure in compared.repeats),
            tuple(drawn(figure, pictures) for figure in compared.over_time),
            compared.whose,
        )
        for section, compared in zip(said.sections, figures.strata, strict=True)
    ]
    published = said.published.rows or said.ratios.rows or said.published_platforms.rows
    return page(
        "study.html.j2",
        "study",
        figures.every(),
        sections=(
            ("platforms", "Platforms", said.platforms.rows),
            ("unanswered", "Unanswered", said.unanswered.rows),
            ("results", "Results", said.results.rows),
            ("scaling-size", "Size", figures.scaling),
            ("masters", "Masters", said.masters.rows),
            ("published", "Published", published),
            ("compared", "Compared", said.sections),
            ("open", "Open questions", said.open),
            ("appendix", "Appendix", True),
        ),
        shell=shell,
        said=said,
        scaling=drawn(figures.scaling, pictures) if figures.scaling else None,
        lead=drawn(figures.lead, pictures) if figures.lead else None,
        masters=[drawn(figure, pictures) for figure in figures.masters],
        unanswered=drawn(figures.unanswered, pictures) if figures.unanswered else None,
        shown=shown,
        saturation_about=ABOUT,
    )


def _blocks(said: StudyContent, figures: StudyFigures, folder: str) -> Iterator[str]:
    """The Markdown, block by block; pictures are linked as ``<folder>/<id>.svg``."""
    yield f"# {escaped(said.question)}"
    yield "\n".join(
        f"- **{escaped(conclusion.where)}:** {escaped(conclusion.answer)}"
        if conclusion.where
        else f"- {escaped(conclusion.answer)}"
        for conclusion in said.conclusions
    )
    yield escaped(" · ".join(said.kicker))
    yield from (escaped(text) for text in (said.computed, said.unfinished) if text)
    if figures.lead:
        yield figure_block(figures.lead, folder)
    if said.platforms.rows:
        yield "## Platforms"
        yield table(said.platforms)
    if figures.unanswered:
        yield "## Longest time without an answer"
        yield figure_block(figures.unanswered, folder)
        yield table(said.unanswered)
    if said.results.rows:
        yield "## Results"
        yield table(said.results)
    if figures.scaling:
        yield "## Size"
        yield figure_block(figures.scaling, folder)
        yield table(said.sizes)
    if said.masters.rows:
        yield "## The masters' load"
        yield from (figure_block(figure, folder) for figure in figures.masters)
        yield table(said.masters)
    if said.saturation.rows:
        yield "### When masters are full"
        yield escaped(ABOUT)
        yield table(said.saturation)
    if said.published.rows or said.ratios.rows or said.published_platforms.rows:
        yield "## Compared with what was published"
        yield from (escaped(text) for text in (said.agreement, said.best_of) if text)
        beside = (said.beside, said.ratios, said.published_platforms)
        yield from (table(listing) for listing in beside if listing.rows)
    for section, compared in zip(said.sections, figures.strata, strict=True):
        yield from _section(section, compared, folder, answered=figures.lead is not None)
    if said.open:
        yield "## Open questions"
        yield "\n".join(f"- {escaped(text)}" for text in said.open)
    yield "## Appendix"
    yield from titled(said.appendix)


def _section(section: StudySection, figures: Compared, folder: str, *, answered: bool) -> Iterator[str]:
    yield f"## Compared{escaped(f': {section.title}') if section.title else ''}"
    if figures.answer and not answered:
        yield figure_block(figures.answer, folder)
    for part in section.parts:
        yield f"### {escaped(part.group)}"
        yield "\n".join(f"- {escaped(text)}" for text in (*part.sentences, *part.remarks))
    if section.remarks:
        yield "\n".join(f"- {escaped(text)}" for text in section.remarks)
    yield from (figure_block(figure, folder) for figure in figures.repeats)
    if figures.over_time:
        yield escaped(figures.whose)
        yield from (figure_block(figure, folder) for figure in figures.over_time)
    yield from titled(
        [listing for listing in (section.changes, *section.others, section.tests) if listing.rows]
    )


def write_paper(findings: StudyFound, out_dir: Path) -> Path:
    """Write ``study.html``, ``study.md``, ``figures/*.svg|png`` and ``data/*.csv``; return the page's path.

    ``study.html`` stands alone; ``study.md`` links the pictures beside it. The same runs give the same
    bytes. What these folders held is replaced. Raises OSError if the directory cannot be written.
    """
    with Renderer() as renderer:
        said = content(findings)
        figures = draw(findings)
        pictures = renderer.pictures([legible(figure) for figure in figures.every()])
    with needs_charts():
        import vl_convert  # noqa: PLC0415

    files = svg_files(pictures)
    for name, picture in pictures.items():
        files[f"{FIGURES}/{name}.png"] = vl_convert.svg_to_png(picture, scale=_SHARP)
    for name, numbers in _tables(said, figures):
        files[f"{NUMBERS}/{name}.csv"] = csv_text(numbers.columns, numbers.rows)
    markdown = together(_blocks(said, figures, FIGURES))
    path = put_page(out_dir, "study", _page(said, figures, pictures), markdown, files)
    _clear(out_dir, files)
    return path


def _clear(out_dir: Path, files: Container[str]) -> None:
    """Remove what an earlier state of the study drew and has no place in this one."""
    for folder in (FIGURES, NUMBERS):
        for path in (out_dir / folder).glob("*"):
            if f"{folder}/{path.name}" not in files:
                path.unlink()


def _tables(said: StudyContent, figures: StudyFigures) -> Iterator[tuple[str, Table]]:
    """Every table that has rows, and the numbers behind every figure."""
    named = (
        ("platforms", said.platforms),
        ("results", said.results),
        ("sizes", said.sizes),
        ("masters", said.masters),
        ("saturation", said.saturation),
        ("unanswered", said.unanswered),
        ("published", said.published),
        ("published-ratios", said.ratios),
        ("published-platforms", said.published_platforms),
    )
    yield from ((name, rows) for name, rows in named if rows.rows)
    yield from ((figure.id, figure.table) for figure in figures.every())
