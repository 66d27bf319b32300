"""What the table of imported applications shows."""

from __future__ import annotations

from pathlib import Path

from howdah.errors import UserError
from howdah.jobs.ranking import Filters, Overview, find_application, overview
from howdah.jobs.store import JobStore, texts
from howdah.model.application import Application
from howdah.report.document import Document
from howdah.report.imported_jobs import application_document, jobs_overview


def overview_of(jobs_dir: Path, filters: Filters, order: str = "waste", top: int = 20) -> Overview:
    """What the imported applications show; raises UserError for a directory that does not exist."""
    if jobs_dir.exists() and not jobs_dir.is_dir():
        raise UserError(f"--jobs-dir {jobs_dir}", "is a file", "give the directory of imported applications")
    return overview(JobStore(jobs_dir), filters, order, top)


def application_of(jobs_dir: Path, name: str) -> Application:
    """The application of this id, beginning or last number; raises UserError unless it is exactly one."""
    found = find_application(JobStore(jobs_dir), name)
    if not found:
        raise UserError(name, f"no such application in {jobs_dir}", "`howdah jobs` lists them")
    if len({application.id for application in found}) > 1:
        names = ", ".join(application.id for application in found[:5])
        raise UserError(name, f"matches several applications: {names}", "give more of the id")
    return found[-1]


def applications_in(jobs_dir: Path) -> list[str]:
    """The ids of all imported applications, for completion; none of a directory that cannot be read."""
    try:
        return sorted(set(texts(JobStore(jobs_dir).read(("id",)), "id")))
    except (OSError, UserError):
        return []


def document_of(subject: Overview | Application) -> Document:
    """The overview or an application as a document."""
    if isinstance(subject, Application):
        return application_document(subject)
    return jobs_overview(subject)


def write_page(subject: Overview, jobs_dir: Path) -> Path:
    """Write the overview's page below the directory of applications; return its path."""
    from howdah.report.write import write_document  # noqa: PLC0415

    return write_document(jobs_overview(subject), jobs_dir / "report")
