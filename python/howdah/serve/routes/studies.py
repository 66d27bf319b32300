"""Studies as far as they are, each cell with its runs; their papers, and comparisons of runs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from statistics import fmean
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from howdah.errors import HowdahError, RecordError, UserError
from howdah.model.base import Model
from howdah.model.comparison import Comparison
from howdah.model.run import Outcome
from howdah.model.study import StudyRun
from howdah.model.tables import legible
from howdah.report.comparing.content import document
from howdah.report.comparing.draw import draw
from howdah.report.document import Table, TableCell
from howdah.report.html import ShownPage, shown_page
from howdah.report.study.paper import shown_paper
from howdah.serve.pages import Pages, trail
from howdah.serve.places import NotServed, names_in, odd_file, place_of, run_place, signature
from howdah.serve.routes.answers import Here, JsonRoute, Working, own_page, show, stream
from howdah.serve.routes.runs import RunPlace, followed_run
from howdah.serve.site import Shown, Site
from howdah.session.comparing import Compared, compare_runs, followed
from howdah.session.study_paper import find
from howdah.store.layout import LOCK, RUN_ID, RUN_JSON, is_locked
from howdah.store.reader import read_record
from howdah.study.directory import StudyDirectory
from howdah.study.matrix import Cell, cells_of
from howdah.study.schedule import due

router = APIRouter(route_class=JsonRoute)

_INTERVAL_S = 1.0


State = Literal["succeeded", "failed", "running", "left", "planned"]


class StudyCellRun(Model):
    """One run of a cell."""

    run: str  # Its name; empty for one that is yet to be made.
    state: State
    elapsed_s: float | None = None


class StudyCell(Model):
    """One cell of a study's matrix."""

    name: str
    levels: dict[str, str]
    runs: tuple[StudyCellRun, ...]  # Those that have ended, are under way, and are left as far as known.
    mean_s: float | None


class StudyState(Model):
    """A study as far as it is."""

    name: str
    question: str
    suite: str
    factors: tuple[str, ...]
    cells: tuple[StudyCell, ...]
    done: int
    running: int
    left: int  # Runs that are left, those under way among them.
    at_work: bool
    error: str = ""


@router.get("/studies/", include_in_schema=False)
async def studies_page(request: Request, site: Here, work: Working) -> Response:
    """All studies."""
    states = await work(_states, site.settings.studies_dir)
    rows = (
        (
            TableCell.to(state.name, f"{state.name}/", aside=state.question, fault=state.error),
            state.suite,
            " × ".join(state.factors).replace("_", " "),
            *map(str, (len(state.cells), state.done, state.left)),
            _state_word(state),
        )
        for state in states
    )
    columns = ("Study", "Suite", "Factors", "Cells", "Done", "Left", "State")
    table = Table(columns, tuple(rows))
    return own_page(request, "studies.html.j2", "Studies", studies=table)


def _state_word(state: StudyState) -> str:
    words = {"unreadable": state.error, "running": state.at_work, "stopped": state.left}
    return next((word for word, holds in words.items() if holds), "complete")


@router.get("/api/v1/studies")
async def studies(site: Here, work: Working) -> list[StudyState]:
    """All studies, as far as they are."""
    return await work(_states, site.settings.studies_dir)


def _states(folder: Path) -> list[StudyState]:
    return [study_state(folder, name) for name in list_studies(folder)]


@router.get("/studies/{name}/", include_in_schema=False)
async def study_page(name: str, request: Request, site: Here, work: Working) -> Response:
    """A study's matrix."""
    state = await work(study_state, site.settings.studies_dir, name)
    last = state.factors[-1] if state.factors else ""
    rows: dict[tuple[str, ...], dict[str, object]] = {}
    columns = dict.fromkeys(cell.levels[last] for cell in state.cells)
    for cell in state.cells:
        head = tuple(cell.levels[factor] for factor in state.factors[:-1])
        rows.setdefault(head, {})[cell.levels[last]] = cell
    return own_page(
        request,
        "study-state.html.j2",
        "Studies",
        study=state,
        columns=list(columns),
        rows=rows,
        last=last,
        run=None,
        trail=trail("Studies", name),
    )


@router.get("/api/v1/studies/{name}")
async def study(name: str, site: Here, work: Working) -> StudyState:
    """A study as far as it is."""
    return await work(study_state, site.settings.studies_dir, name)


@router.get("/api/v1/studies/{name}/events", response_class=Response)
async def study_events(name: str, site: Here) -> Response:
    """Server-sent events: ``study`` whenever it has come further."""
    study_place(site.settings.studies_dir, name)
    site.hub.check_room()
    return stream(_changes(site, name))


async def _changes(site: Site, name: str) -> AsyncIterator[bytes]:
    topic = f"study/{name}"
    if not site.hub.count(topic):
        # Whoever listens first looks for all; who comes later only listens.
        site.spawn(_look(site, name, topic))
    async for message in site.hub.listen(topic):
        yield message


async def _look(site: Site, name: str, topic: str) -> None:
    folder = site.settings.studies_dir
    mark = await asyncio.to_thread(study_mark, folder, name)
    while True:
        await asyncio.sleep(_INTERVAL_S)
        if not site.hub.count(topic):
            return
        now = await asyncio.to_thread(study_mark, folder, name)
        if now != mark:
            mark = now
            site.hub.publish(topic, "study", "{}")


def _shown_paper(site: Site, name: str) -> Shown:
    folder = site.settings.studies_dir
    study_place(folder, name)
    return Shown(("paper", name, study_mark(folder, name)), _paper, (name,))


show(router, "/studies/{name}/paper/", _shown_paper)


def _paper(pages: Pages, name: str) -> ShownPage:
    directory = study_place(pages.settings.studies_dir, name)
    shell = pages.shell(f"/studies/{name}/paper/", "Studies", name, "Paper")
    return shown_paper(find(directory), shell)


def _shown_run(site: Site, name: str, run: str) -> Shown:
    path = run_place(study_place(site.settings.studies_dir, name).runs, run)
    return RunPlace(path, f"/studies/{name}/runs/{run}/", trail("Studies", name, run)).shown


show(router, "/studies/{name}/runs/{run}/", _shown_run)


@router.get("/api/v1/studies/{name}/runs/{run}/events", response_class=Response)
async def study_run_events(name: str, run: str, site: Here) -> Response:
    """Server-sent events of a study's run under way."""
    site.hub.check_room()
    return await followed_run(site, study_place(site.settings.studies_dir, name).runs, run)


_MOST = 200  # More runs than this are compared by `howdah compare`.


@router.get("/api/v1/compare")
async def comparison(
    site: Here,
    work: Working,
    run: Annotated[list[str], Query(min_length=2, max_length=_MOST)],
    baseline: Annotated[str | None, Query()] = None,
) -> Comparison:
    """Runs against the baseline, which is the first unless another is named, with every test's figures."""
    ordered = tuple(dict.fromkeys([*([baseline] if baseline else []), *run]))
    return await work(_comparison, site.settings.runs_dir, ordered)


def _comparison(folder: Path, runs: tuple[str, ...]) -> Comparison:
    return _compared(folder, runs).comparison


def _compared(folder: Path, runs: tuple[str, ...]) -> Compared:
    # Whole paths, since a plain name could be something else in the directory that the server runs in.
    try:
        paths = [str(run_place(folder, run).absolute()) for run in runs]
        return compare_runs(paths, None, folder)
    except UserError as error:
        directory = f"{folder.absolute()}/"
        problem = error.what.replace(directory, "")
        hint = error.hint.replace(" with --baseline", " as the first")
        raise UserError(error.where.replace(directory, ""), problem, hint) from error


def _shown_comparison(site: Site, names: str) -> Shown:
    """A comparison of runs, of which the first is the baseline: ``/compare/a,b,c/``."""
    runs, address = tuple(dict.fromkeys(names.split(","))), f"/compare/{names}/"
    if not 2 <= len(runs) <= _MOST:
        raise UserError("runs", f"{len(runs)} were requested", f"tick from 2 to {_MOST} runs")
    marks = (signature(run_place(site.settings.runs_dir, run)) for run in runs)
    return Shown(("compare", address, *runs, *marks), _page, (runs, address))


show(router, "/compare/{names}/", _shown_comparison)


def _page(pages: Pages, runs: tuple[str, ...], address: str) -> ShownPage:
    compared = _compared(pages.settings.runs_dir, runs)
    shell = pages.shell(address, "Runs", f"{len(runs)} runs compared")
    figures = draw(compared.comparison, followed(compared))
    return shown_page(document(compared.comparison, figures), shell)


def study_place(folder: Path, name: str) -> StudyDirectory:
    """The directory of a study; raises NotServed where there is none, or only a link to one."""
    path = place_of(folder, name)
    directory = StudyDirectory(path, read_only=True)
    links = (path / "study.yaml", directory.runs, directory.inputs)
    if not directory.begun or any(link.is_symlink() for link in links):
        raise NotServed(name)
    return directory


def list_studies(folder: Path) -> list[str]:
    """The studies in a folder by name."""
    return sorted(name for name in names_in(folder) if (folder / name / "study.yaml").exists())


def study_mark(folder: Path, name: str) -> str:
    """What changes whenever a study has come further."""
    runs = folder / name / "runs"
    parts = [signature_of_file(folder / name / "study.yaml"), str(is_locked(folder / name / LOCK))]
    try:
        with os.scandir(runs) as entries:
            parts += sorted(f"{entry.name}:{signature(runs / entry.name)}" for entry in entries)
    except OSError:
        pass
    return "|".join(parts)


def signature_of_file(path: Path) -> str:
    """A file's time and size; empty where it is not there."""
    try:
        state = path.stat()
    except OSError:
        return ""
    return f"{state.st_mtime_ns}-{state.st_size}"


def study_state(folder: Path, name: str) -> StudyState:
    """A study as far as it is; one that cannot be read says why. Raises NotServed where there is none."""
    return legible(_state(folder, name))


def _state(folder: Path, name: str) -> StudyState:
    directory = study_place(folder, name)
    at_work = is_locked(directory.path / LOCK)
    try:
        study = directory.study()
        done = directory.done()
        going = set(_running(directory))
    except HowdahError as error:
        return StudyState(
            name=name, question=name, suite="", factors=(), cells=(), done=0, running=0, left=0,
            at_work=at_work, error=str(error).replace(str(directory.path), name),
        )  # fmt: skip
    cells = cells_of(study)
    entries = list(due(study, cells, done))
    remaining: dict[int, list[str]] = {}
    for entry in entries:
        if entry.repeat:
            remaining.setdefault(entry.cell.number, []).append(entry.run_id)
    return StudyState(
        name=name,
        question=study.question,
        suite=study.suite,
        factors=tuple(factor.vary for factor in study.factors),
        cells=tuple(_cell(cell, done, remaining.get(cell.number, []), going) for cell in cells),
        done=len(done),
        running=len(going),
        left=len(entries),
        at_work=at_work,
    )


def _cell(cell: Cell, done: tuple[StudyRun, ...], remaining: list[str], going: set[str]) -> StudyCell:
    runs = [
        StudyCellRun(
            run=f"{cell.number + 1:03d}-{run.repeat:02d}",
            state="succeeded" if run.figures.outcome is Outcome.SUCCEEDED else "failed",
            elapsed_s=run.figures.elapsed_s or None,
        )
        for run in done
        if run.cell == cell.number and run.repeat
    ]
    times = [run.elapsed_s for run in runs if run.state == "succeeded" and run.elapsed_s is not None]
    runs += [
        StudyCellRun(run=name if name in going else "", state="running" if name in going else "left")
        for name in remaining
    ]
    if not cell.runs:
        runs = [StudyCellRun(run="", state="planned")]
    return StudyCell(
        name=cell.name, levels=dict(cell.levels), runs=tuple(runs), mean_s=fmean(times) if times else None
    )


def _running(directory: StudyDirectory) -> Iterator[str]:
    if not directory.runs.is_dir():
        return
    for path in directory.runs.iterdir():
        named = RUN_ID.fullmatch(path.name) and (path / RUN_JSON).is_file()
        if named and not odd_file(path) and is_locked(path / LOCK):
            try:
                if read_record(path).outcome is Outcome.RUNNING:
                    yield path.name
            except RecordError:
                continue
