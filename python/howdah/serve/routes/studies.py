"""Studies as far as they are, their papers, and comparisons of runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from howdah.errors import UserError
from howdah.model.comparison import Comparison
from howdah.report.comparing.content import document
from howdah.report.comparing.draw import draw
from howdah.report.html import ShownPage, shown_page
from howdah.report.study.paper import shown_paper
from howdah.serve.pages import Pages
from howdah.serve.places import run_place, signature
from howdah.serve.routes.answers import Here, JsonRoute, Working, html, stream, svg
from howdah.serve.routes.runs import RunPlace, followed_run, run_html, run_picture_of
from howdah.serve.site import Site
from howdah.serve.studies import StudyState, list_studies, study_mark, study_place, study_state
from howdah.session.comparing import Compared, compare_runs, followed
from howdah.session.study_paper import find
from howdah.study import cells_of

router = APIRouter(route_class=JsonRoute)

_INTERVAL_S = 1.0


@router.get("/studies/", include_in_schema=False)
async def studies_page(request: Request, site: Here, work: Working) -> Response:
    """All studies."""
    known = await work(_states, site.settings.studies_dir)
    return html(site.page("studies.html.j2", request.url.path, "Studies", studies=known))


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
    return html(
        site.page(
            "study-state.html.j2",
            request.url.path,
            "Studies",
            study=state,
            columns=list(columns),
            rows=rows,
            last=last,
            run=None,
            trail=(("Studies", "studies/"), (name, None)),
        )
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
        site.beside(_look(site, name, topic))
    async for message in site.hub.listen(topic):
        yield message


async def _look(site: Site, name: str, topic: str) -> None:
    folder = site.settings.studies_dir
    known = await asyncio.to_thread(study_mark, folder, name)
    while True:
        await asyncio.sleep(_INTERVAL_S)
        if not site.hub.count(topic):
            return
        now = await asyncio.to_thread(study_mark, folder, name)
        if now != known:
            known = now
            site.hub.publish(topic, "study", "{}")


@router.get("/studies/{name}/paper/", include_in_schema=False)
async def paper_page(name: str, site: Here, work: Working) -> Response:
    """A study's paper, as far as it has come."""
    page = await site.shown.page(await _paper_key(site, name), work, _paper, site.pages, name)
    return html(page.html)


@router.get("/studies/{name}/paper/figures/{figure}.svg", include_in_schema=False)
async def paper_picture(name: str, figure: str, site: Here, work: Working) -> Response:
    """A still picture of a paper."""
    key = await _paper_key(site, name)
    return svg(await site.shown.picture(key, figure, work, _paper, site.pages, name))


async def _paper_key(site: Site, name: str) -> tuple[str, ...]:
    folder = site.settings.studies_dir
    study_place(folder, name)
    return ("paper", name, await asyncio.to_thread(study_mark, folder, name))


def _paper(pages: Pages, name: str) -> ShownPage:
    directory = study_place(pages.settings.studies_dir, name)
    study = directory.study()
    trail = (("Studies", "studies/"), (name, f"studies/{name}/"), ("Paper", None))
    shell = pages.shell(f"/studies/{name}/paper/", "Studies", {"trail": trail})
    return shown_paper(find(study, cells_of(study), directory), shell)


def _run(site: Site, name: str, run: str) -> RunPlace:
    directory = study_place(site.settings.studies_dir, name)
    path = run_place(directory.runs, run)
    trail = (("Studies", "studies/"), (name, f"studies/{name}/"), (run, None))
    return RunPlace(path, f"/studies/{name}/runs/{run}/", trail)


@router.get("/studies/{name}/runs/{run}/", include_in_schema=False)
async def study_run_page(name: str, run: str, site: Here, work: Working) -> Response:
    """A run of a study."""
    place = _run(site, name, run)
    return html(await run_html(site, work, place))


@router.get("/studies/{name}/runs/{run}/figures/{figure}.svg", include_in_schema=False)
async def study_run_picture(name: str, run: str, figure: str, site: Here, work: Working) -> Response:
    """A still picture of a study's run."""
    place = _run(site, name, run)
    return svg(await run_picture_of(site, work, place, figure))


@router.get("/api/v1/studies/{name}/runs/{run}/events", response_class=Response)
async def study_run_events(name: str, run: str, site: Here) -> Response:
    """Server-sent events of a study's run under way."""
    site.hub.check_room()
    return await followed_run(site, study_place(site.settings.studies_dir, name).runs, run)


_MOST = 200
"""More runs than this are compared by `howdah compare`."""


@router.get("/compare/{names}/", include_in_schema=False)
async def comparison_page(names: str, request: Request, site: Here, work: Working) -> Response:
    """The comparison of runs, of which the first is the baseline: ``/compare/a,b,c/``."""
    runs = _named(names)
    address = request.url.path
    page = await site.shown.page(_key(site, runs, address), work, _page, site.pages, runs, address)
    return html(page.html)


@router.get("/compare/{names}/figures/{figure}.svg", include_in_schema=False)
async def comparison_picture(names: str, figure: str, site: Here, work: Working) -> Response:
    """A still picture of a comparison, for paper."""
    runs, address = _named(names), f"/compare/{names}/"
    key = _key(site, runs, address)
    return svg(await site.shown.picture(key, figure, work, _page, site.pages, runs, address))


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


def _named(names: str) -> tuple[str, ...]:
    runs = tuple(dict.fromkeys(names.split(",")))
    if not 2 <= len(runs) <= _MOST:
        raise UserError("runs", f"{len(runs)} were requested", f"tick from 2 to {_MOST} runs")
    return runs


def _compared(folder: Path, runs: tuple[str, ...]) -> Compared:
    # Whole paths, since a plain name could be something else in the directory that the server runs in.
    try:
        paths = [str(run_place(folder, run).absolute()) for run in runs]
        return compare_runs(paths, None, folder)
    except UserError as error:
        directory = f"{folder.absolute()}/"
        raise UserError(
            error.where.replace(directory, ""),
            error.what.replace(directory, ""),
            error.hint.replace(" with --baseline", " as the first"),
        ) from error


def _key(site: Site, runs: tuple[str, ...], address: str) -> tuple[str, ...]:
    marks = (signature(run_place(site.settings.runs_dir, run)) for run in runs)
    return ("compare", address, *runs, *marks)


def _page(pages: Pages, runs: tuple[str, ...], address: str) -> ShownPage:
    compared = _compared(pages.settings.runs_dir, runs)
    trail = (("Runs", ""), (f"{len(runs)} runs compared", None))
    shell = pages.shell(address, "Runs", {"trail": trail})
    figures = draw(compared.comparison, followed(compared))
    return shown_page(document(compared.comparison, figures), shell)
