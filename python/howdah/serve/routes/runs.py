"""Runs: the list, one run as its report or under way, its note and tags, and stopping it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from pydantic import ValidationError
from starlette.responses import Response

from howdah.errors import RecordError, UserError
from howdah.model.base import Model, WrongValue
from howdah.model.run import Annotation, Outcome, RunRecord
from howdah.report import vega
from howdah.report.document import Figure, Key, Table
from howdah.report.html import ShownPage, shown_page
from howdah.report.renderer import figure_data
from howdah.report.run import run_report
from howdah.serve.finding import FoundRuns, RunsWanted, bars, find_runs, on_a_page
from howdah.serve.index import UNREADABLE, row_of
from howdah.serve.pages import NOT_ANNOTATED, Pages, Trail
from howdah.serve.places import run_place, signature
from howdah.serve.routes.answers import Here, JsonRoute, own_page, show, stream
from howdah.serve.site import Shown, Site
from howdah.session.reporting import analyse_run
from howdah.store.archive import read_annotation, write_annotation
from howdah.store.layout import LOCK, is_locked
from howdah.store.reader import load_run_json, read_record

_NONE = Table(("",), ())


_FIGURES = (
    ("cpu", "Processors", "How all processors spent the time; the rest was idle.", "% of all CPUs",
     {"user": "cpu-user", "system": "cpu-system", "I/O wait": "cpu-iowait", "steal": "cpu-steal"}),
    ("disks", "Disks", "All disks of all machines together.",
     "bytes a second", {"read": "disk-read", "written": "disk-write"}),
    ("network", "Network", "All interfaces of all machines together, but for the loopback ones.",
     "bytes a second", {"received": "net-receive", "sent": "net-send"}),
    ("memory", "Memory", "What the process holds, the page cache, and what of that waits to be written.",
     "bytes", {"process": "memory-process", "page cache": "memory-cached", "dirty": "memory-dirty"}),
)  # fmt: skip
"""Names, titles, captions, units, and the series with the colours that reports have for them."""


def _figure(name: str, title: str, caption: str, unit: str, colours: Mapping[str, str]) -> Figure:
    """A figure that grows while a run goes; shares are stacked."""
    keys = tuple(Key(*key) for key in colours.items())
    stacked = unit.startswith("%")
    scale: dict[str, Any] = {"domain": [0, 100]} if stacked else {"zero": True}
    axis = {"format": ".0f" if stacked else ".2~s", "tickCount": 4, **vega.level_title(unit)}
    time = {"title": "seconds since the run began", "tickCount": 6}
    encoding = {
        "x": vega.quantity("time_s", scale={"nice": False, "zero": False}, axis=time),
        "y": vega.quantity("value", stack="zero" if stacked else None, scale=scale, axis=axis),
        "color": vega.series_colour(keys),
    }
    mark = {"type": "area", "opacity": 0.85} if stacked else {"type": "line", "strokeWidth": 1.6}
    # A scale of no values at all is a warning on the reader's console.
    nothing = {"time_s": 0, "series": keys[0].name, "value": 0}
    layer = vega.layer(None, {**mark, "interpolate": "step-before"}, encoding, vega.SHOWN)
    spec = vega.chart([layer], height=120, width=390, right=14, data={"values": [nothing]})
    return Figure(name, title, caption, spec, _NONE, keys, half=True)


def stop_run(path: Path) -> None:
    """Stop a run as the user; raises UserError if it has ended or its process is out of reach."""
    record = load_run_json(path)
    if record.outcome is not Outcome.RUNNING or not is_locked(path / LOCK):
        raise UserError(record.id, "is not under way", "there is nothing to stop")
    elsewhere = UserError(
        record.id,
        "its process is not on this machine, or another user's",
        "press Ctrl-C where it was started",
    )
    if record.pid is None or not _holds(record.pid, path / LOCK):
        raise elsewhere
    try:
        os.kill(record.pid, signal.SIGINT)
    except OSError as error:
        raise elsewhere from error


def _holds(pid: int, lock: Path) -> bool:
    """Whether a process has the run's lock open: the number alone may be another process's by now."""
    try:
        locked = lock.stat()
        for entry in os.scandir(f"/proc/{pid}/fd"):
            file = Path(entry.path).stat()
            if (file.st_dev, file.st_ino) == (locked.st_dev, locked.st_ino):
                return True
    except OSError:
        return False
    return False


router = APIRouter(route_class=JsonRoute)

RunsQuery = Annotated[RunsWanted, Query()]


class RunDetail(Model):
    """A run's record with its note and tags."""

    record: RunRecord
    annotation: Annotation


@router.get("/", include_in_schema=False)
def runs_page(request: Request, site: Here, selection: RunsQuery) -> Response:
    """The list of runs."""
    if site.static:
        selection = selection.model_copy(update={"limit": 10**6})
    selection, runs = on_a_page(site.index, selection)

    def query(**changed: Any) -> str:
        fields = selection.model_dump(exclude_defaults=True) | changed
        texts = {
            name: str(value).lower() if isinstance(value, bool) else value for name, value in fields.items()
        }
        return urlencode({name: value for name, value in texts.items() if value != ""})

    return own_page(
        request,
        "runs.html.j2",
        "Runs",
        found=runs,
        wanted=selection,
        lengths=bars(runs.rows),
        query=query,
        complete=site.watch.complete,
        version_of_list=site.index.version,
    )


@router.get("/api/v1/runs")
def runs(site: Here, selection: RunsQuery) -> FoundRuns:
    """The runs that fit, page by page."""
    return find_runs(site.index, selection)


@router.get("/api/v1/events", response_class=Response)
async def events(site: Here) -> Response:
    """Server-sent events: ``runs`` whenever runs appear, change or go, ``studies`` likewise."""
    site.hub.check_room()
    return stream(site.hub.listen(site.watch.TOPIC))


class RunPlace(NamedTuple):
    """Where a run lies, and where its page does."""

    path: Path
    address: str
    trail: Trail = ()  # What leads to it, where it is a study's.

    @property
    def shown(self) -> Shown:
        """Its page: the report once it has ended, and before that what it does."""
        return Shown(("run", str(self.path), self.address, signature(self.path)), _page, (self,))

    def annotated(self) -> dict[str, Any]:
        """Its note and tags; a study's run has none."""
        if self.trail:
            return {"trail": self.trail, "run": None}
        row = row_of(self.path)
        try:
            return {"run": row, "annotation": read_annotation(self.path), "notable": True}
        except RecordError as error:
            return {"run": row, "annotation_error": str(error).replace(str(self.path.parent), "")}


def _shown(site: Site, name: str) -> Shown:
    return RunPlace(run_place(site.settings.runs_dir, name), f"/runs/{name}/").shown


show(router, "/runs/{name}/", _shown)


def _page(pages: Pages, place: RunPlace) -> ShownPage | str:
    path = place.path
    row = row_of(path)
    unreported = row.outcome not in (UNREADABLE, "running")
    if unreported:
        try:
            data, analysis = analyse_run(path)
            here = "Studies" if place.trail else "Runs"
            shell = pages.shell(place.address, here, **place.annotated())
            return shown_page(run_report(data, analysis), shell)
        except RecordError as error:
            row = row.model_copy(update={"error": str(error).replace(str(path), row.id)})
    figures = tuple(_figure(*row) for row in _FIGURES)
    return pages.page(
        "live.html.j2",
        place.address,
        "Studies" if place.trail else "Runs",
        now=row,
        unreported=unreported,
        stoppable=not place.trail,
        events=f"api/v1{place.address}events",
        figures=figures,
        data=figure_data(row.id, figures),
        **{**NOT_ANNOTATED, **place.annotated()},
    )


@router.get("/api/v1/runs/{name}")
def run(name: str, site: Here) -> RunDetail:
    """The record of a run with its note and tags."""
    path = run_place(site.settings.runs_dir, name)
    return RunDetail(record=read_record(path), annotation=read_annotation(path))


@router.get("/api/v1/runs/{name}/events", response_class=Response)
async def run_events(name: str, site: Here) -> Response:
    """Server-sent events of a run under way: ``state`` (a LiveRun), ``figures`` (LiveFigures), ``log``."""
    site.hub.check_room()
    return await followed_run(site, site.settings.runs_dir, name)


async def followed_run(site: Site, runs_dir: Path, name: str) -> Response:
    """The events of a run under way, in whichever folder of runs it is."""
    first = await site.live.begin(runs_dir, name)
    return stream(site.hub.listen(site.live.topic(runs_dir, name), first))


class AnnotationChange(Model):
    """The note and tags of a run."""

    tags: tuple[str, ...] = ()
    note: str = ""


@router.put("/api/v1/runs/{name}/annotation")
async def annotate(name: str, change: AnnotationChange, site: Here) -> Annotation:
    """Replace the tags and the note of a run."""
    path = run_place(site.settings.runs_dir, name)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        annotation = Annotation(tags=change.tags, note=change.note, changed=now)
    except ValidationError as error:
        raise _unfit(error) from error
    await asyncio.to_thread(write_annotation, path, annotation)
    await asyncio.to_thread(site.index.read_again, name)
    site.watch.announce({name})
    return annotation


def _unfit(error: ValidationError) -> UserError:
    """What is wrong with the tags or the note, whichever it is."""
    fault = error.errors(include_url=False, include_input=False)[0]
    where = str(fault["loc"][0])
    wrong = fault.get("ctx", {}).get("error")
    if isinstance(wrong, WrongValue):
        return UserError(where, wrong.what, wrong.hint)
    return UserError(where, fault["msg"], "correct it")


class StopAsked(Model):
    """What was asked of a run under way."""

    asked: str


@router.post("/api/v1/runs/{name}/stop")
async def stop(name: str, site: Here) -> StopAsked:
    """Stop a run that is under way, as Ctrl-C would."""
    path = run_place(site.settings.runs_dir, name)
    await asyncio.to_thread(stop_run, path)
    return StopAsked(asked="to stop")
