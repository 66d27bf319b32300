"""Studies: which there are, each one's matrix, its runs, and its paper as it grows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

from howdah.report.html import ShownPage
from howdah.report.study.paper import shown_paper
from howdah.serve.pages import Pages
from howdah.serve.places import run_place
from howdah.serve.routes.answers import Here, JsonRoute, Working, html, stream, svg
from howdah.serve.routes.runs import RunPlace, followed_run, run_html, run_picture_of
from howdah.serve.site import Site
from howdah.serve.studies import StudyState, list_studies, study_mark, study_place, study_state
from howdah.session.study.paper import find
from howdah.study.matrix import cells_of

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
