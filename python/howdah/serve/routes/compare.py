"""Comparisons: of runs that were ticked, at an address that anybody can open again."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from howdah.errors import UserError
from howdah.model.comparison import Comparison
from howdah.report.comparing.page import shown_comparison
from howdah.report.document import ShownPage
from howdah.serve.places import NotServed, run_place, signature
from howdah.serve.routes.answers import Here, html, svg
from howdah.serve.site import Site
from howdah.session.run.comparing import Compared, compare_runs, followed

router = APIRouter()

_MOST = 200
"""More runs than this are compared by `howdah compare`."""


@router.get("/compare/{names}/", include_in_schema=False)
async def comparison_page(names: str, request: Request, site: Here) -> Response:
    """The comparison of runs, of which the first is the baseline: ``/compare/a,b,c/``."""
    runs = _named(names)
    page = await site.working(lambda: _page(site, runs, request.url.path))
    return html(page.html)


@router.get("/compare/{names}/figures/{figure}.svg", include_in_schema=False)
async def comparison_picture(names: str, figure: str, site: Here) -> Response:
    """A still picture of a comparison, for paper."""
    runs, address = _named(names), f"/compare/{names}/"

    def draw() -> str | None:
        key = _key(site, runs, address)
        return site.shown.picture(key, figure, lambda: _page(site, runs, address))

    drawn = await site.working(draw)
    if drawn is None:
        raise NotServed(figure)
    return svg(drawn)


@router.get("/api/v1/compare")
async def comparison(
    site: Here,
    run: Annotated[list[str], Query(min_length=2, max_length=_MOST)],
    baseline: Annotated[str | None, Query()] = None,
) -> Comparison:
    """Runs against the baseline, which is the first unless another is named, with every test's figures."""
    ordered = tuple(dict.fromkeys([*([baseline] if baseline else []), *run]))
    return (await site.working(lambda: _compared(site, ordered))).comparison


def _named(names: str) -> tuple[str, ...]:
    runs = tuple(dict.fromkeys(names.split(",")))
    if not 2 <= len(runs) <= _MOST:
        raise UserError("runs", f"{len(runs)} are named", f"tick from 2 to {_MOST} runs")
    return runs


def _compared(site: Site, runs: tuple[str, ...]) -> Compared:
    # Whole paths, since a plain name could be something else in the directory that the server runs in.
    folder = site.settings.runs_dir
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


def _page(site: Site, runs: tuple[str, ...], address: str) -> ShownPage:
    def make() -> ShownPage:
        compared = _compared(site, runs)
        trail = (("Runs", ""), (f"{len(runs)} runs compared", None))
        shell = site.shell(address, "Runs", {"trail": trail})
        return shown_comparison(compared.comparison, followed(compared), shell)

    return site.shown.page(_key(site, runs, address), make)
