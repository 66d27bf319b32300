"""The same pages as files, for any web server: asked of the application as a browser would ask it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Self
from urllib.parse import quote

import httpx
from pydantic import Field, ValidationError

import howdah
from howdah.errors import UserError
from howdah.model.base import Model
from howdah.model.prediction import Score
from howdah.report.drawing import VEGA_LITE
from howdah.report.html import FIGURES
from howdah.report.renderer import Renderer, page_specs, still_spec
from howdah.serve.places import ServeSettings
from howdah.serve.routes.jobs import linked_jobs
from howdah.serve.routes.studies import list_studies, study_state
from howdah.serve.security import Keys
from howdah.serve.server import application
from howdah.serve.site import Site
from howdah.store.predictions import list_predictions, read_scores

MARK = "howdah-export.json"  # What an export is known by; it says what each picture was drawn from.


class _Picture(Model):
    """A picture in the folder of an export."""

    file: Annotated[str, Field(pattern=r"^\w[\w.-]*(/\w[\w.-]*)*\.svg$")]
    sha256: str


class _Mark(Model):
    made_by: str
    pictures: dict[str, _Picture] = Field(default_factory=dict)  # By the digest of what each was drawn from.


class Album:
    """Draws pictures for any thread, one page's after the other's, and knows those of an earlier export."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._earlier: dict[str, _Picture] = {}
        with suppress(OSError, ValidationError):
            self._earlier = _Mark.model_validate_json((directory / MARK).read_bytes()).pictures
        self._pictures: dict[str, _Picture] = {}
        self._renderer: Renderer | None = None
        self._drawing = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._renderer is not None:
            self._renderer.dismiss()

    def pictures(self, specs: Mapping[str, dict[str, Any]]) -> dict[str, str]:
        """The figures of a page as SVG, by the files that they become."""
        stills = {file: still_spec(spec) for file, spec in specs.items()}
        digests = {file: _digest(spec) for file, spec in stills.items()}
        kept = {file: text for file, digest in digests.items() if (text := self._kept(digest)) is not None}
        with self._drawing:
            fresh = {file: spec for file, spec in stills.items() if file not in kept}
            if fresh and self._renderer is None:
                self._renderer = Renderer()
            drawn = self._renderer.draw(fresh) if self._renderer and fresh else {}
            made = kept | drawn
            for file, text in made.items():
                self._pictures[digests[file]] = _Picture(file=file.lstrip("/"), sha256=_sha256(text.encode()))
        return made

    def mark(self) -> str:
        """What the next export finds these pictures by."""
        mark = _Mark(made_by=f"howdah {howdah.__version__}", pictures=self._pictures)
        return mark.model_dump_json() + "\n"

    def _kept(self, digest: str) -> str | None:
        picture = self._earlier.get(digest)
        if picture is None:
            return None
        try:
            content = (self._directory / picture.file).read_bytes()
        except OSError:
            return None
        return content.decode() if _sha256(content) == picture.sha256 else None


def _digest(spec: dict[str, Any]) -> str:
    drawing = [howdah.__version__, VEGA_LITE, metadata.version("vl-convert-python"), spec]
    return _sha256(json.dumps(drawing, sort_keys=True).encode())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


_PICTURE = re.compile(r'<img class="still"[^>]* src="figures/([\w.-]+)\.svg"')
_FOLDER = re.compile(r' href="((?:\.\.?/)*(?:[\w.,%-]+/)*)([?#][^"]*)?"')
"""A link to a page: web servers show its ``index.html``, a browser that opens a file a list of the folder."""
_PAPER = "/paper/"  # A paper's pictures have legends, which what its page draws has not.
_AT_ONCE = 2  # Pages on their way: one is made while the pictures of another are drawn.
_HERE = "http://localhost"


def export(settings: ServeSettings, directory: Path, report: Callable[[str], None]) -> int:
    """Write every page into a directory and return how many there are; ``tell`` is told each one's address.

    The directory appears whole, or stays as it was. Raises UserError for one that holds anything else than
    an earlier export, and where it cannot be written.
    """
    replaceable = directory.is_dir() and ((directory / MARK).exists() or not any(directory.iterdir()))
    if directory.exists() and not replaceable:
        hint = "give a new directory or an earlier export"
        raise UserError(f"--export {directory}", "contains files that are not part of an export", hint)
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(prefix=".new-", dir=directory.parent))
        try:
            with Album(directory) as album:
                count = asyncio.run(_write(settings, staged, album, report))
                (staged / MARK).write_text(album.mark())
            staged.chmod(0o755)
            _swap(staged, directory)
        finally:
            shutil.rmtree(staged, ignore_errors=True)
    except OSError as error:
        hint = "give a directory on a disk with free space"
        raise UserError(f"--export {directory}", f"cannot be written ({error.strerror})", hint) from error
    return count


def _swap(staged: Path, directory: Path) -> None:
    if not directory.exists():
        staged.rename(directory)
        return
    old = Path(tempfile.mkdtemp(prefix=".old-", dir=directory.parent))
    directory.rename(old / directory.name)
    staged.rename(directory)
    shutil.rmtree(old)


async def _write(settings: ServeSettings, folder: Path, album: Album, report: Callable[[str], None]) -> int:
    site = Site(settings, Keys(), static=True)
    site.watch.refresh()
    site.watch.complete = True
    transport = httpx.ASGITransport(application(site))
    room = asyncio.Semaphore(_AT_ONCE)

    async def put(address: str) -> None:
        async with room:
            report(address)
            page = await _asked(client, address)
            _put(folder / address.lstrip("/") / "index.html", _leading_to_files(page).encode())
            names = _PICTURE.findall(page)
            files = {name: f"{address}{FIGURES}/{name}.svg" for name in names}
            if address.endswith(_PAPER):
                pictures = {file: await _asked(client, file) for file in files.values()}
            else:
                specs = page_specs(page)
                drawn = {file: specs[name] for name, file in files.items()}
                pictures = await asyncio.to_thread(album.pictures, drawn)
            for file, picture in pictures.items():
                _put(folder / file.lstrip("/"), picture.encode())

    async with httpx.AsyncClient(transport=transport, base_url=_HERE, timeout=None) as client:
        for name, asset in site.assets.files.items():
            _put(folder / "assets" / name, asset.content)
        pages = [put(address) for address in _addresses(site)]
        await asyncio.gather(*pages)
    await site.close()
    return len(pages)


def _leading_to_files(page: str) -> str:
    """The page with its links to folders as links to the pages in them, and back to the list as a file's."""

    def file(link: re.Match[str]) -> str:
        place, query = link[1], link[2] or ""
        return f' href="{place}index.html{query}"' if place else link[0]

    return _FOLDER.sub(file, page)


async def _asked(client: httpx.AsyncClient, address: str) -> str:
    answer = await client.get(quote(address), headers={"Accept": "text/html"})
    # What cannot be shown has a page that says why, which is worth keeping as well.
    return answer.text


def _addresses(site: Site) -> Iterator[str]:
    settings = site.settings
    yield "/"
    for name in sorted(site.index.names()):
        yield f"/runs/{name}/"
    yield "/studies/"
    for name in list_studies(settings.studies_dir):
        yield f"/studies/{name}/"
        yield f"/studies/{name}/paper/"
        state = study_state(settings.studies_dir, name)
        for run in (run.run for cell in state.cells for run in cell.runs if run.run):
            yield f"/studies/{name}/runs/{run}/"
    yield "/plan/"
    for number in range(1, len(settings.plans) + 1):
        yield f"/plans/file-{number}/"
    if settings.conf:
        yield "/checks/"
    if settings.jobs_dir.is_dir():
        yield "/jobs/"
        for name in dict.fromkeys(linked_jobs(settings.jobs_dir)):
            yield f"/jobs/{name}/"
    yield "/predictions/"
    for path in list_predictions(settings.predictions_dir):
        yield f"/predictions/{path.name}/"
    scores: Iterable[Score] = ()
    with suppress(UserError):
        scores = read_scores(settings.predictions_dir)
    for prediction, run in dict.fromkeys((score.prediction, score.run) for score in scores):
        yield f"/predictions/{prediction}/{run}/"


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
