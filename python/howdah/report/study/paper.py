"""The paper of a study, section by section; as a page, Markdown, and pictures that stand alone."""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from howdah.analysis.wording import listed, percent
from howdah.model.comparison import Aspect, Judged, Verdict
from howdah.model.run import Origin
from howdah.report import vega
from howdah.report.comparing.content import changes_table, explained, notes, resource_tables, tests_table
from howdah.report.comparing.draw import ComparisonFigures as Compared
from howdah.report.comparing.draw import draw as draw_comparison
from howdah.report.comparing.words import subject
from howdah.report.document import (
    Block,
    Bullets,
    Data,
    Document,
    Figure,
    Form,
    Heading,
    Paragraph,
    Section,
    Table,
    present,
)
from howdah.report.drawing import needs_charts
from howdah.report.html import FIGURES, Shell, ShownPage, html, shown_page
from howdah.report.renderer import Renderer
from howdah.report.study import cells
from howdah.report.study.masters import masters_load, masters_table
from howdah.report.study.published import (
    agreement,
    by_cell_table,
    published_table,
    ratios_table,
    unmatched,
    unpublished,
)
from howdah.report.study.results import (
    conclusions,
    results_table,
    sizes_table,
    unanswered_figure,
    unanswered_table,
)
from howdah.report.study.saturation import ABOUT, saturation_table, scaling
from howdah.report.write import NUMBERS, csv_text, markdown, put_page, svg_files
from howdah.units import format_counted

_ROW = 20
_COLUMNS, _HALF_COLUMNS = 4, 2
_OFFSET = 12
_LINE = {"symbolType": "stroke", "symbolStrokeWidth": 3, "symbolDash": [1, 0]}
_POINT = {"symbolType": "circle", "symbolSize": 60, "symbolStrokeWidth": 1.5, "symbolDash": [1, 0]}
_SHARP = 2  # Pixels of a PNG to one of its figure's.


def shown_paper(findings: cells.StudyFound, shell: Shell) -> ShownPage:
    """A study's paper, as far as it is finished, as a page within a shell."""
    page = shown_page(document(findings), shell)
    return page._replace(figures=tuple(legible(figure) for figure in page.figures))


def write_paper(findings: cells.StudyFound, out_dir: Path) -> Path:
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


def _with_legend(figure: Figure, columns: int) -> list[dict[str, Any]]:
    """The layers, the first that has the keys' colours with their legend."""
    layers = list(figure.spec["layer"])
    marks = [layer["mark"]["type"] for layer in layers if layer.get("name") == vega.DATA]
    names = [key.name for key in figure.keys]
    for place, layer in enumerate(layers):
        colour = layer.get("encoding", {}).get("color", {})
        if "legend" in colour and colour.get("scale", {}).get("domain") == names:
            legend = {
                "orient": "bottom",
                "title": None,
                "columns": columns,
                **(_POINT if marks[:1] == ["point"] else _LINE),
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


def draw(findings: cells.StudyFound) -> StudyFigures:
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

    return figures._replace(
        answer=mine(figures.answer) if figures.answer else None,
        repeats=tuple(map(mine, figures.repeats)),
        over_time=tuple(map(mine, figures.over_time)),
    )


MASTERS_ABOUT = (
    "Per cent of one core while a workload ran, and of two NameNodes the bytes to each JournalNode; for 100 "
    "blocks a second if the block size is known."
)


def document(findings: cells.StudyFound) -> Document:
    """The paper of a study: its conclusions, every result, and where they come from."""
    study, figures = findings.study, draw(findings)
    runs = [run for cell in findings.cells for run in cell.runs]
    origins = sorted({run.origin.value for run in runs})
    concluded = conclusions(findings)
    to_make = f"{format_counted(findings.remaining, 'run')} still to be made." if findings.remaining else ""
    return Document(
        "study",
        study.question,
        (
            study.study,
            study.suite,
            format_counted(len(findings.cells), "cell"),
            format_counted(len(runs), "run"),
            " and ".join(origins) or ("nothing has run" if _runs(findings) else "only planned"),
        ),
        concluded[0].heading if concluded else study.question,
        present(
            *(
                Paragraph(conclusion.statistics, "lead", conclusion.heading if place else "")
                for place, conclusion in enumerate(concluded)
            ),
            Paragraph(_computed(findings), "about"),
            Bullets((to_make,) if to_make else (), "missing"),
            figures.lead,
        ),
        tuple(_sections(findings, figures)),
        question=study.question if concluded else "",
        data=tuple(_data(findings)),
    )


def _sections(findings: cells.StudyFound, figures: StudyFigures) -> Iterator[Section]:
    yield Section(
        "platforms",
        "Platforms",
        "Platforms",
        present(cells.platforms_table(findings)._replace(label="Platforms")),
        "How the plans divide the hosts, and which part of them masters use.",
    )
    if figures.unanswered:
        yield Section(
            "unanswered",
            "Unanswered",
            "Longest time without an answer",
            (
                figures.unanswered,
                unanswered_table(findings)._replace(label="Times without an answer", fold=True),
            ),
            "Probes sent ten requests a second during faults; failed runs count, too.",
        )
    yield Section(
        "results",
        "Results",
        "Results",
        present(results_table(findings)._replace(label="Elapsed times, cell by cell")),
        "Means of runs that succeeded; ± is half the 95 % interval, where there are repeats.",
    )
    if figures.scaling:
        sizes = sizes_table(findings)._replace(label="Throughput by dataset")
        yield Section("scaling-size", "Size", "Size", (figures.scaling, sizes))
    masters = masters_table(findings)
    if masters.rows:
        yield Section("masters", "Masters", "The masters' load", _masters(findings, figures), MASTERS_ABOUT)
    yield Section("published", "Published", "Compared with what was published", _published(findings))
    compared = tuple(
        block
        for stratum, drawn in zip(findings.strata, figures.strata, strict=True)
        for block in _compared(stratum, drawn, answered=figures.lead is not None)
    )
    yield Section("compared", "Compared", "Compared", compared)
    yield Section("open", "Open questions", "Open questions", present(Bullets(tuple(_open(findings)))))
    yield Section("appendix", "Appendix", "Appendix", present(*_appendix(findings)))


def _masters(findings: cells.StudyFound, figures: StudyFigures) -> tuple[Block, ...]:
    table = masters_table(findings)._replace(label="Masters' load", fold=True)
    full = saturation_table(findings)._replace(label="Where masters are full")
    if not full.rows:
        return (*figures.masters, table)
    return (*figures.masters, table, Heading("When masters are full"), Paragraph(ABOUT, "about"), full)


def _published(findings: cells.StudyFound) -> tuple[Block, ...]:
    published = by_cell_table(findings)._replace(label="Published times")
    platforms = cells.published_platforms_table(findings)
    times: tuple[Block, ...] = (
        Paragraph(
            "Each published time, and in brackets how far the time of this study is above or below it.",
            "about",
        ),
        published,
        published_table(findings)._replace(label="Published and found times, one by one", fold=True),
    )
    tables = present(
        *(times if published.rows else ()),
        ratios_table(findings)._replace(label="Published ratios and found ones"),
        platforms._replace(label="Published platforms and planned ones"),
    )
    about = present(Paragraph(agreement(findings)), Paragraph(_best_of(findings), "about"))
    return (*about, *tables) if tables else ()


def _compared(stratum: cells.StratumFound, figures: Compared, *, answered: bool) -> tuple[Block, ...]:
    comparison = stratum.comparison
    return present(
        Heading(stratum.name) if stratum.name else None,
        figures.answer if not answered else None,
        *notes(comparison),
        *explained(comparison),
        Bullets(comparison.remarks, "remark"),
        *figures.repeats,
        Paragraph(figures.followed_runs if figures.over_time else "", "about"),
        *figures.over_time,
        changes_table(comparison)._replace(
            title="What changed",
            about="Differences from the baseline; an empty cell has the baseline's value.",
        ),
        *resource_tables(comparison),
        tests_table(comparison)._replace(
            title="Every test",
            about="Welch's t-test on logarithms, p corrected by Holm's method for the "
            f"{format_counted(comparison.tests, 'test')} of this comparison.",
        ),
    )


def _data(findings: cells.StudyFound) -> Iterator[Data]:
    named = (
        ("platforms", cells.platforms_table(findings)),
        ("results", results_table(findings)),
        ("sizes", sizes_table(findings)),
        ("masters", masters_table(findings)),
        ("saturation", saturation_table(findings)),
        ("unanswered", unanswered_table(findings)),
        ("published", published_table(findings)),
        ("published-ratios", ratios_table(findings)),
        ("published-platforms", cells.published_platforms_table(findings)),
    )
    yield from (Data(name, table.columns, table.rows) for name, table in named if table.rows)


def _computed(findings: cells.StudyFound) -> str:
    """A sentence on the cells whose numbers nobody measured; empty where there are none."""
    if not _runs(findings):
        return "Nothing of this study runs: its cells are planned, and times are those that were published."
    names = [
        cell.cell.name for cell in findings.cells if any(run.origin is Origin.SIMULATED for run in cell.runs)
    ]
    if not names:
        return ""
    subject = "All numbers" if len(names) == len(findings.cells) else f"The numbers of {listed(names)}"
    return (
        f"{subject} were simulated, not measured, and are drawn hollow or dashed. Simulated repeats differ "
        "only in their seeds: intervals show the effect of chance on the times, not their accuracy."
    )


def _runs(findings: cells.StudyFound) -> bool:
    """Whether any cell is more than planned."""
    return any(cell.cell.runs for cell in findings.cells)


def _best_of(findings: cells.StudyFound) -> str:
    """What a best run is beside a mean; empty where nothing published is one."""
    most = max((publication.best_of for publication in findings.study.published), default=1)
    if most == 1 or not any(run.origin is Origin.MEASURED for cell in findings.cells for run in cell.runs):
        # A simulation speaks of whatever its calibration was held to.
        return ""
    return (
        f"Published times are the best of about {most} runs, those of this study are means: with noise of "
        "1 % the best of three lies about 0.8 % below their mean."
    )


def _open(findings: cells.StudyFound) -> Iterator[str]:
    """What could not be concluded, and what a reader should hold against the rest."""
    for stratum in findings.strata:
        where = f"{stratum.name}: " if stratum.name else ""
        for compared in stratum.comparison.against:
            undecided: dict[str, list[str]] = {}
            for judged in compared.wholes:
                if judged.verdict is Verdict.CANNOT_TELL:
                    undecided.setdefault(judged.why, []).append(_undecided(judged))
            for why, several in undecided.items():
                differs = f"whether {compared.group} differs from {stratum.comparison.baseline}"
                yield f"{where}{differs} in {listed(several)}: {why}."
        yield from (
            f"{where}{refusal.what} is not compared: {refusal.why}." for refusal in stratum.comparison.refused
        )
    yield from (
        f"{cell.cell.name} has no run that succeeded."
        for cell in findings.cells
        if cell.runs and not cell.good
    )
    if not _runs(findings):
        yield "How fast any of these platforms is: none of it ran, and none of it was simulated."
    yield from _mixed(findings)
    for time_name in unmatched(findings):
        yield f"No run was found to compare with the published time of {time_name}."
    missing = unpublished(findings)
    if missing:
        yield f"No published time can be compared with {listed(missing)}."
    yield from (f"{text[0].upper()}{text[1:]}" for text in findings.warnings)
    yield from findings.study.cannot_show


def _undecided(judged: Judged) -> str:
    """``terasort (5.1 % apart; about 12 repeats of each would show it)``."""
    seen = f"{percent(abs((judged.ratio or 1) - 1))} apart"
    many = f"; about {judged.repeats_needed} repeats of each would show it" if judged.repeats_needed else ""
    return f"{subject(judged.measure)} ({seen}{many})"


def _mixed(findings: cells.StudyFound) -> Iterator[str]:
    """Software that changed while the study went on, which nobody chose to vary."""
    for name in ("howdah", "kernel", "Java"):
        values = dict.fromkeys(
            fact.value
            for cell in findings.cells
            for run in cell.runs
            for fact in run.facts
            if fact.aspect is Aspect.VERSIONS and fact.name == name
        )
        if len(values) > 1:
            yield f"Runs were made with different versions of {name}: {listed(list(values))}."


def _appendix(findings: cells.StudyFound) -> Iterator[Table]:
    several = "Values that differ between runs are listed one after the other."
    yield cells.facts_table(findings, Aspect.HARDWARE)._replace(title="Hardware", about=several)
    yield cells.facts_table(findings, Aspect.VERSIONS)._replace(title="Versions", about=several)
    yield cells.judgements_table(findings)._replace(
        title="Pros and cons of each platform",
        about="The planner's rules, before anything runs, and what they are worth.",
    )
    yield cells.parameters_table(findings)._replace(
        title="Configuration",
        about="Every value that a plan sets otherwise than its release does, which cells have it, and why.",
    )
    warm = (
        f"{format_counted(findings.warm_ups, 'run')} to warm up, left out here." if findings.warm_ups else ""
    )
    yield cells.runs_table(findings)._replace(title="Runs", about=warm)
