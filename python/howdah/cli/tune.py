"""``howdah tune``: a search for a better specification than the rules', or for the properties of a job."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from howdah.cli.arguments import AsJson, CalibrationFile, parse_duration, parse_seed
from howdah.cli.help import App
from howdah.cli.output import answer, show
from howdah.cli.progress import MovingBar, StudyDisplay
from howdah.errors import UserError
from howdah.extras import check_extras
from howdah.files import DEFAULT_TUNE_DIR
from howdah.model.tuning import Fixed, Goal, KeptRules, TuneParameter, Tuning
from howdah.model.user_job import JobTuning
from howdah.report.document import Document, FactList
from howdah.report.prediction import raced
from howdah.report.prediction import tuned as tuned_page
from howdah.report.terminal import blocks, terminal
from howdah.session import job_tuning, laboratories, learning, plans, racing, reporting
from howdah.session import tuning as session
from howdah.units import format_signed_percent, parse_count

if TYPE_CHECKING:
    from howdah.store.predictions import TuningFolder
    from howdah.tune.candidates import TuneProgress

app = App()


@app.command("tune")
def tune(
    plan: Annotated[Path | None, typer.Argument(show_default=False)] = None,
    *,
    calibration: CalibrationFile = None,
    trials: int = 1_000,
    space: Path | None = None,
    show_space: bool = False,
    keep: KeptRules = KeptRules.RULES,
    race: str | None = None,
    budget: str | None = None,
    job: str | None = None,
    output: Annotated[Path | None, typer.Option(show_default=False)] = None,
    resume: str | None = None,
    suite: str = "terasuite",
    rows: str | None = None,
    goal: list[Goal] | None = None,
    broken: Annotated[list[str] | None, typer.Option("--break")] = None,
    replications: Annotated[int, typer.Option(min=3)] = 10,
    seed: str | None = None,
    name: str | None = None,
    tune_dir: Annotated[Path, typer.Option(envvar="HOWDAH_TUNE_DIR")] = DEFAULT_TUNE_DIR,
    json: AsJson = False,
    quiet: bool = False,
) -> None:
    """Search for a faster specification in the simulator, starting from a plan.

    Candidates differ from the plan in tasks at once, container sizes, block size, sort and shuffle settings
    and more. Rules that protect daemons, jobs and data are kept, except those given with --break. Render,
    check, deploy and run the tuned plan like any other. With --race, the best candidates, the rules' plan
    and Hadoop's defaults run in turns until the differences are certain. On a running lab or cluster, only
    properties of jobs vary.

    Arguments:
      PLAN  Plan to improve, written by `howdah plan`.
    Options:
      --trials N  Number of candidates to simulate.
      --space FILE  Parameters to vary and their values: see docs/tune.md.
      --show-space  List parameters and values; simulate nothing.
      --keep  Rules that the tuned plan keeps: all, or only protecting ones.
      --race WHERE  Run the best candidates: `labs` builds a lab for each; or a lab's name; or a cluster's
          configuration directory.
      --budget TIME  Time for the race, never exceeded, such as 40m. Default: 2h.
      --job COMMAND  Tune the properties of your own job, a command, by runs on --race LAB or DIR.
      --output, -o FILE  File for the tuned plan, or for a job's properties. Default: tuned.yaml,
          tuned-job.xml.
      --resume NAME  Continue the search with this name; `last` for the newest.
      --quiet, -q  Print only the tuned plan's path.
    More options:
      --suite  Suite to tune for.
      --rows COUNT  100-byte rows to sort. Default: as planned.
      --goal  Also show what the suite takes with fewer hosts or less memory; repeatable.
      --break RULE  Protecting rule that candidates may break; repeatable.
      --replications N  Number of simulations of each of the best candidates.
      --seed N  Seed of all random numbers; recorded.
      --name  Name of the search. Default: the time and the suite.
      --tune-dir DIR  Directory of searches.
    Examples:
      howdah tune plan.yaml  # tries 1,000 candidates in the simulator and writes tuned.yaml
      howdah tune plan.yaml --calibration mine.yaml  # with intervals, from your own runs
      howdah tune plan.yaml --space space.yaml  # varies only what the file allows
      howdah tune plan.yaml --show-space  # lists the parameters and their values
      howdah tune plan.yaml --suite ycsb-a  # for requests to HBase
      howdah tune plan.yaml --goal hosts  # also shows how few hosts are enough
      howdah tune --resume last  # continues a search that was stopped
      howdah tune plan.yaml --keep limits  # may break rules that only cost time
      howdah tune plan.yaml --race labs --budget 1h  # then measures the best candidates in labs
      howdah tune --race lab --budget 40m  # tunes the jobs of the running lab "lab", and measures them there
      howdah tune --job ./nightly.sh --race /etc/hadoop/conf  # tunes your own job, which runs many times
      howdah tune plan.yaml --race /etc/hadoop/conf  # measures them on your own cluster
    """
    check_extras("the page of `howdah tune`", "charts")
    budget_s = parse_duration(budget, "--budget") if budget is not None else None
    requested = racing.race_request(race, budget_s) if race is not None else None
    job_folder = job_tuning.find_job(tune_dir, resume) if resume is not None and job is None else None
    if job is not None or job_folder is not None:
        if plan is not None or (job is not None and resume is not None):
            raise UserError("--job", "conflicts with PLAN and --resume", "leave these out")
        check_extras("the race of `howdah tune`", "statistics")
        output = output or Path("tuned-job.xml")
        plans.check_replaceable(output, job_tuning.check_properties, "file of tuned properties")
        if job_folder is None:
            job_search = job_tuning.job_request(job or "", requested, space, parse_seed(seed))
            if show_space:
                _show_parts(job_search.space, job_search.fixed, json=json)
                return
            job_folder = job_tuning.start_job(job_search, tune_dir, name)
        _tune_job(job_folder, output, budget_s, json=json, quiet=quiet)
        return
    output = output or Path("tuned.yaml")
    _check_plan_search(plan, output, resume, budget if race is None else None)
    if resume is not None:
        folder = racing.resume_search(tune_dir, resume, requested, budget_s)
    else:
        sizes = {"suite": suite, "rows": parse_count(rows, "--rows") if rows is not None else None}
        rules = {"space": space, "allowed": broken or (), "keep": keep, "goals": goal or ()}
        amounts = {"trials": trials, "replications": replications, "seed": parse_seed(seed)}
        fields = {"calibration": calibration, **sizes, **rules, **amounts}
        request = racing.search_request(plan, requested, tune_dir, **fields)
        if show_space:
            _show_parts(*session.space(request), json=json)
            return
        folder = session.start(request, tune_dir, name)
    _tune_plan(folder, output, json=json, quiet=quiet)


def _check_plan_search(plan: Path | None, output: Path, resume: str | None, useless: str | None) -> None:
    """Raise UserError for what a search cannot be; ``useless`` is the time of a race that is not given."""
    if plan is not None and resume is not None:
        raise UserError("--resume", "conflicts with PLAN: a search keeps its plan", "leave one of them out")
    if useless is not None and resume is None:
        hint = "add --race labs"
        raise UserError(f"--budget {useless}", "is the time for a race, and --race is missing", hint)
    if plan is not None and plans.writes_over(output, plan):
        raise UserError(f"--output {output}", "is the plan to improve", "give another file: -o tuned.yaml")
    plans.check_replaceable(output)


def _tune_plan(folder: TuningFolder, output: Path, *, json: bool, quiet: bool) -> None:
    silent = json or quiet
    with folder:
        with _Bar(silent=silent) as bar:
            tuned = session.search(folder, bar)
        document, page = _write(tuned, folder, output)
        if folder.request.race is not None:
            check_extras("the race of `howdah tune`", "statistics")
            if not silent:
                show(terminal(document))
            if learning.learns(folder, tuned.tuning):
                show_study, show_search = partial(StudyDisplay, silent=silent), partial(_Bar, silent=silent)
                learning.learn(folder, tuned.tuning, show_study, show_search)
                tuned = session.search(folder, lambda progress: None)
                document, page = _write(tuned, folder, output)
                if not silent and tuned.tuning.learned is not None:
                    show(blocks(*raced.learned_blocks(tuned.tuning.learned)))
            study = session.race_study(folder, tuned.tuning)
            with StudyDisplay(silent=silent) as display:
                tuned, paper = racing.run_race(folder, tuned, study, display)
            _, page = _write(tuned, folder, output)
    facts = [("plan", str(output)), ("page", str(page))]
    if tuned.tuning.race is not None:
        document = raced.raced(tuned.tuning.race)
        facts.append(("runs", str(paper)))
    elif laboratories.fits_here(folder.request.plan, folder.path):
        facts.append(("race", f"howdah tune --resume {folder.path.name} --race labs runs the plans in labs"))
    _show_tuned(tuned.tuning, document, facts, output, json=json, quiet=quiet)


def _write(tuned: session.Tuned, folder: TuningFolder, output: Path) -> tuple[Document, Path]:
    plans.save_plan(tuned.plan, output)
    document = tuned_page.tuned(tuned.tuning, learning.learned_calibration(folder))
    return document, reporting.write_page(document, folder.path)


class _Bar(MovingBar):
    """Candidates tried, the best so far and the time left, on a terminal's standard error."""

    def __init__(self, *, silent: bool) -> None:
        columns = (
            TextColumn("{task.description:<17}"),
            BarColumn(bar_width=24),
            TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
            TextColumn("{task.fields[best]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        super().__init__(*columns, silent=silent, total=1, best="")
        self.move(description="starting")

    def __call__(self, progress: TuneProgress) -> None:
        best = "" if progress.best is None else f"best {format_signed_percent(progress.best)}"
        self.move(description=progress.stage, completed=progress.done, total=progress.of, best=best)


def _tune_job(folder: Path, output: Path, budget_s: float | None, *, json: bool, quiet: bool) -> None:
    show_study = partial(StudyDisplay, silent=json or quiet)
    tuning, papers = job_tuning.tune_job(folder, show_study, budget_s)
    output.write_text(job_tuning.properties_text(tuning), encoding="utf-8")
    document = raced.tuned_job(tuning)
    page = reporting.write_page(document, folder)
    facts = [("properties", str(output)), ("page", str(page)), *(("runs", str(paper)) for paper in papers)]
    _show_tuned(tuning, document, facts, output, json=json, quiet=quiet)


def _show_tuned(
    tuning: Tuning | JobTuning,
    document: Document,
    facts: Sequence[tuple[str, str]],
    output: Path,
    *,
    json: bool,
    quiet: bool,
) -> None:
    content = tuning.model_dump(mode="json") | {"output": str(output), "page": dict(facts)["page"]}
    texts = terminal(document), blocks(FactList("", tuple(facts)))
    answer(content, *texts, json=json, only=output if quiet else None)


def _show_parts(varied: Sequence[TuneParameter], fixed: Sequence[Fixed], *, json: bool) -> None:
    parameters = [parameter.model_dump() for parameter in varied]
    content = {"parameters": parameters, "fixed": [part.model_dump() for part in fixed]}
    answer(content, blocks(*tuned_page.space_tables(varied, fixed)), json=json)
