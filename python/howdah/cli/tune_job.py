"""``howdah tune --job``: the properties of a user's own job, tuned by real runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from howdah.cli.output import print_json, show
from howdah.cli.study_display import StudyDisplay
from howdah.extras import check_extras
from howdah.model.tuning import Fixed, TuneParameter
from howdah.model.user_job import JobTuningRequest
from howdah.report.document import FactList
from howdah.report.prediction.job import tuned_job
from howdah.report.prediction.tuned import space_tables
from howdah.report.terminal import blocks, terminal
from howdah.session.job_tuning import job_folder, properties_text, start_job, tune_job
from howdah.session.plan.plans import check_replaceable
from howdah.session.predict.pages import write_page


class JobOutput(NamedTuple):
    """What is shown and written."""

    file: Path
    space_only: bool
    json: bool
    quiet: bool


def tune_own_job(
    requested: Callable[[], JobTuningRequest],
    tune_dir: Path,
    resume: str | None,
    name: str | None,
    *,
    output: JobOutput,
    budget_s: float | None,
) -> None:
    """Start the search of a job, or continue one; show its result."""
    check_extras("the race of `howdah tune`", "statistics")
    check_replaceable(output.file)
    if resume is not None:
        path = job_folder(tune_dir, resume)
    else:
        request = requested()
        if output.space_only:
            show_parts(request.space, request.fixed, json=output.json)
            return
        path = start_job(request, tune_dir, name)
    silent = output.json or output.quiet
    tuning, papers = tune_job(path, lambda study: StudyDisplay(study, silent=silent), budget_s)
    output.file.write_text(properties_text(tuning), encoding="utf-8")
    document = tuned_job(tuning)
    page = write_page(document, path)
    if output.json:
        print_json(tuning.model_dump(mode="json") | {"output": str(output.file), "page": str(page)})
    elif output.quiet:
        print(output.file)
    else:
        show(terminal(document))
        print()
        runs = (("runs", str(paper)) for paper in papers)
        show(blocks(FactList("", (("properties", str(output.file)), ("page", str(page)), *runs))))


def show_parts(varied: Sequence[TuneParameter], fixed: Sequence[Fixed], *, json: bool) -> None:
    """Show what a search would vary, and what not."""
    if json:
        parts = {"parameters": varied, "fixed": fixed}
        print_json({name: [item.model_dump() for item in items] for name, items in parts.items()})
    else:
        show(blocks(*space_tables(varied, fixed)))
