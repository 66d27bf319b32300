"""The paper of a study, section by section; as a page, Markdown, and pictures that stand alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from howdah.analysis.wording import percent
from howdah.model.comparison import Aspect, Verdict
from howdah.model.run import Origin
from howdah.report import document as doc
from howdah.report import vega
from howdah.report.comparing.content import changes_table, explained, notes, resource_tables, tests_table
from howdah.report.comparing.draw import ComparisonFigures as Compared
from howdah.report.comparing.draw import draw as draw_comparison
from howdah.report.comparing.words import subject
from howdah.report.drawing import needs_charts
from howdah.report.html import FIGURES, Shell, ShownPage, html, shown_page
from howdah.report.renderer import Renderer
from howdah.report.study import cells, published, results
from howdah.report.study.masters import SATURATION_ABOUT, masters_load, masters_table, saturation_table
from howdah.report.write import NUMBERS, csv_text, markdown, put_page, svg_files
from howdah.units import format_counted, listed

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
        figures = paper.in_form(doc.Form.HTML).figures()
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
    for folder in (FIGURES, NUMBERS):
        for earlier in (out_dir / folder).glob("*"):
            if f"{folder}/{earlier.name}" not in files:
                earlier.unlink()
    return path


def legible(figure: doc.Figure) -> doc.Figure:
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


def _with_legend(figure: doc.Figure, columns: int) -> list[dict[str, Any]]:
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


def _numbered(figures: Compared, number: int) -> Compared:
    """The figures of a stratum, whose ids begin with its number."""

    def mine(figure: doc.Figure) -> doc.Figure:
        return figure._replace(id=f"{number}-{figure.id}")

    return figures._replace(
        answer=mine(figures.answer) if figures.answer else None,
        repeats=tuple(map(mine, figures.repeats)),
        over_time=tuple(map(mine, figures.over_time)),
    )


def document(findings: cells.StudyFound) -> doc.Document:
    """The paper of a study: its conclusions, every result, and where they come from."""
    study = findings.study
    strata = [
        _numbered(draw_comparison(stratum.comparison, stratum.followed), number)
        for number, stratum in enumerate(findings.strata, start=1)
    ]
    # The answer's own figure stands next to it if there is but one.
    lead = strata[0].answer if len(strata) == 1 else None
    tables = {
        "platforms": cells.platforms_table(findings),
        "results": results.results_table(findings),
        "sizes": results.sizes_table(findings),
        "masters": masters_table(findings),
        "saturation": saturation_table(findings),
        "unanswered": results.unanswered_table(findings),
        "published": published.published_table(findings),
        "published-ratios": published.ratios_table(findings),
        "published-platforms": cells.published_platforms_table(findings),
    }
    runs = [run for cell in findings.cells for run in cell.runs]
    origins = sorted({run.origin.value for run in runs})
    concluded = results.conclusions(findings)
    to_make = f"{format_counted(findings.remaining, 'run')} still to be made." if findings.remaining else ""
    return doc.Document.of(
        "study",
        study.question,
        (
            study.study,
            study.suite,
            format_counted(len(findings.cells), "cell"),
            format_counted(len(runs), "run"),
            listed(origins) or ("nothing has run" if _runs(findings) else "only planned"),
        ),
        concluded[0].heading if concluded else study.question,
        *(
            doc.Paragraph(conclusion.statistics, "lead", conclusion.heading if place else "")
            for place, conclusion in enumerate(concluded)
        ),
        doc.Paragraph(_computed(findings), "about"),
        doc.Bullets((to_make,) if to_make else (), "missing"),
        lead,
        sections=tuple(_sections(findings, strata, tables, answered=lead is not None)),
        question=study.question if concluded else "",
        data=tuple(doc.Data(name, table.columns, table.rows) for name, table in tables.items() if table.rows),
    )


MASTERS_ABOUT = (
    "Per cent of one core while a workload ran, and of two NameNodes the bytes to each JournalNode; for 100 "
    "blocks a second if the block size is known."
)


def _sections(
    findings: cells.StudyFound, strata: Sequence[Compared], tables: Mapping[str, doc.Table], *, answered: bool
) -> Iterator[doc.Section]:
    about = "How the plans divide the hosts, and which part of them masters use."
    yield doc.Section.of("Platforms", tables["platforms"], about=about)
    yield doc.Section.of(
        "Unanswered",
        results.unanswered_figure(findings),
        tables["unanswered"],
        title="Longest time without an answer",
        about="Probes sent ten requests a second during faults; failed runs count, too.",
    )
    about = "Means of runs that succeeded; ± is half the 95 % interval, where there are repeats."
    yield doc.Section.of("Results", tables["results"], about=about)
    yield doc.Section.of("Size", results.scaling(findings), tables["sizes"], anchor="scaling-size")
    if tables["masters"].rows:
        full = tables["saturation"]
        head = (doc.Heading("When masters are full"), doc.Paragraph(SATURATION_ABOUT, "about"))
        blocks = (*masters_load(findings), tables["masters"], *(head if full.rows else ()), full)
        yield doc.Section.of("Masters", *blocks, title="The masters' load", about=MASTERS_ABOUT)
    yield doc.Section.of("Published", *_published(findings, tables), title="Compared with what was published")
    compared = zip(findings.strata, strata, strict=True)
    yield doc.Section.of(
        "Compared",
        *(block for stratum, figures in compared for block in _compared(stratum, figures, answered=answered)),
    )
    yield doc.Section.of("Open questions", doc.Bullets(tuple(_open(findings))), anchor="open")
    yield doc.Section.of(
        "Appendix",
        cells.facts_table(findings, Aspect.HARDWARE),
        cells.facts_table(findings, Aspect.VERSIONS),
        cells.judgements_table(findings),
        cells.parameters_table(findings),
        cells.runs_table(findings),
    )


def _published(findings: cells.StudyFound, tables: Mapping[str, doc.Table]) -> tuple[doc.Block, ...]:
    about = "Each published time, and in brackets how far the time of this study is above or below it."
    by_cell = published.by_cell_table(findings)
    shown = doc.present(
        doc.Paragraph(about if by_cell.rows else "", "about"),
        by_cell,
        tables["published"],
        tables["published-ratios"],
        tables["published-platforms"],
    )
    most = max((publication.best_of for publication in findings.study.published), default=1)
    # A simulation speaks of whatever its calibration was held to.
    measured = any(run.origin is Origin.MEASURED for cell in findings.cells for run in cell.runs)
    best = (
        f"Published times are the best of about {most} runs, those of this study are means: with noise of "
        "1 % the best of three lies about 0.8 % below their mean."
    )
    agrees = doc.Paragraph(published.agreement(findings))
    return (agrees, doc.Paragraph(best if most > 1 and measured else "", "about"), *shown) if shown else ()


def _compared(stratum: cells.StratumFound, figures: Compared, *, answered: bool) -> tuple[doc.Block, ...]:
    comparison = stratum.comparison
    return doc.present(
        doc.Heading(stratum.name) if stratum.name else None,
        figures.answer if not answered else None,
        *notes(comparison),
        *explained(comparison),
        doc.Bullets(comparison.remarks, "remark"),
        *figures.repeats,
        doc.Paragraph(figures.followed_runs if figures.over_time else "", "about"),
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


def _open(findings: cells.StudyFound) -> Iterator[str]:
    """What could not be concluded, and what a reader should hold against the rest."""
    for stratum in findings.strata:
        where = f"{stratum.name}: " if stratum.name else ""
        for compared in stratum.comparison.against:
            undecided: dict[str, list[str]] = {}
            for judged in compared.wholes:
                if judged.verdict is Verdict.CANNOT_TELL:
                    # ``terasort (5.1 % apart; about 12 repeats of each would show it)``
                    needed = judged.repeats_needed
                    enough = f"; about {needed} repeats of each would show it" if needed else ""
                    seen = f"{percent(abs((judged.ratio or 1) - 1))} apart{enough}"
                    undecided.setdefault(judged.why, []).append(f"{subject(judged.measure)} ({seen})")
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
    # Nobody chose to vary software that changed while the study went on.
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
    for time_name in published.unmatched(findings):
        yield f"No run was found to compare with the published time of {time_name}."
    missing = published.unpublished(findings)
    if missing:
        yield f"No published time can be compared with {listed(missing)}."
    yield from (f"{text[0].upper()}{text[1:]}" for text in findings.warnings)
    yield from findings.study.cannot_show
