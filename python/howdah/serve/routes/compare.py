"""Comparisons: of runs that were ticked, at an address that anybody can open again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from howdah.errors import UserError
from howdah.model.comparison import Comparison
from howdah.report.comparing.content import document
from howdah.report.comparing.draw import draw
from howdah.report.html import ShownPage, shown_page
from howdah.serve.pages import Pages
from howdah.serve.places import run_place, signature
from howdah.serve.routes.answers import Here, JsonRoute, Working, html, svg
from howdah.serve.site import Site
from howdah.session.run.comparing import Compared, compare_runs, followed

router = APIRouter(route_class=JsonRoute)

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
        told = f"{folder.absolute()}/"
        raise UserError(
            error.where.replace(told, ""),
            error.what.replace(told, ""),
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
