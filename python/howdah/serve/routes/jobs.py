"""Imported applications: their ranking, slow hosts and waiting queues; and each of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query

from howdah.model.application import Application
from howdah.model.job_ranking import Filters
from howdah.report.html import ShownPage, shown_page
from howdah.report.imported_jobs import application_document, jobs_overview, row_names
from howdah.serve.pages import Pages
from howdah.serve.places import NotServed
from howdah.serve.routes.answers import Here, JsonRoute, Working, show
from howdah.serve.routes.studies import signature_of_file
from howdah.serve.site import Shown, Site
from howdah.session.jobs import exact_application, overview_of, stored_files

router = APIRouter(route_class=JsonRoute)

_TOP = 50
_ALL = Filters()


def _shown(site: Site, name: str = "") -> Shown:
    files = stored_files(site.settings.jobs_dir)
    return Shown(
        ("jobs", name, *(f"{file.name}:{signature_of_file(file)}" for file in files)), _page, (name,)
    )


show(router, "/jobs/", _shown)
show(router, "/jobs/{name}/", _shown)


@router.get("/api/v1/jobs")
async def jobs(
    site: Here,
    work: Working,
    queue: str | None = None,
    user: str | None = None,
    top: Annotated[int, Query(ge=1, le=10_000)] = _TOP,
) -> dict[str, Any]:
    """The ranking, hosts and queues, for programs."""
    return (await work(overview_of, site.settings.jobs_dir, Filters(queue, user), top=top)).as_json()


@router.get("/api/v1/jobs/{name}")
async def job(name: str, site: Here, work: Working) -> dict[str, Any]:
    """An imported application, its stages and every change."""
    return (await work(_application, site.settings.jobs_dir, name)).as_json()


def linked_jobs(folder: Path) -> list[str]:
    """The ids of the applications that the ranking links to."""
    return list(row_names(overview_of(folder, _ALL, top=_TOP).applications))


def _page(pages: Pages, name: str) -> ShownPage:
    folder = pages.settings.jobs_dir
    if name:
        shell = pages.shell(f"/jobs/{name}/", "Jobs", name)
        return shown_page(application_document(_application(folder, name)), shell)
    return shown_page(
        jobs_overview(overview_of(folder, _ALL, top=_TOP), linked=True), pages.shell("/jobs/", "Jobs")
    )


def _application(folder: Path, name: str) -> Application:
    application = exact_application(folder, name)
    if application is None:
        raise NotServed(name)
    return application
