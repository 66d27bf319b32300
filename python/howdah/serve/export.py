"""The same pages as files, for any web server: asked of the application as a browser would ask it."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import httpx

from howdah.errors import UserError
from howdah.report.figure_data import page_specs
from howdah.report.folder import FIGURES
from howdah.serve.album import MARK, Album
from howdah.serve.app import application
from howdah.serve.routes.jobs import linked_jobs
from howdah.serve.security import Keys
from howdah.serve.settings import ServeSettings
from howdah.serve.site import Site
from howdah.serve.studies import list_studies, study_state
from howdah.store.predictions import list_predictions, read_scores

_PICTURE = re.compile(r'<img class="still"[^>]* src="figures/([\w.-]+)\.svg"')
_FOLDER = re.compile(r' href="((?:\.\.?/)*(?:[\w.,%-]+/)*)([?#][^"]*)?"')
"""A link to a page: web servers show its ``index.html``, a browser that opens a file a list of the folder."""
_PAPER = "/paper/"
"""A paper's pictures have legends, which what its page draws has not."""
_AT_ONCE = 2
"""Pages on their way: one is made while the pictures of another are drawn."""
_HERE = "http://localhost"


def export(settings: ServeSettings, directory: Path, tell: Callable[[str], None]) -> int:
    """Write every page into a directory and return how many there are; ``tell`` is told each one's address.

    The directory appears whole, or stays as it was. Raises UserError for one that holds anything else than
    an earlier export, and where it cannot be written.
    """
    if directory.exists() and not _replaceable(directory):
        raise UserError(
            f"--export {directory}",
            "contains files that are not part of an export",
            "give a new directory or an earlier export",
        )
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(prefix=".new-", dir=directory.parent))
        try:
            with Album(directory) as album:
                count = asyncio.run(_write(settings, staged, album, tell))
                (staged / MARK).write_text(album.mark())
            staged.chmod(0o755)
            _swap(staged, directory)
        finally:
            shutil.rmtree(staged, ignore_errors=True)
    except OSError as error:
        raise UserError(
            f"--export {directory}",
            f"cannot be written ({error.strerror})",
            "give a directory on a disk with free space",
        ) from error
    return count


def _replaceable(directory: Path) -> bool:
    return directory.is_dir() and ((directory / MARK).exists() or not any(directory.iterdir()))


def _swap(staged: Path, directory: Path) -> None:
    if not directory.exists():
        staged.rename(directory)
        return
    old = Path(tempfile.mkdtemp(prefix=".old-", dir=directory.parent))
    directory.rename(old / directory.name)
    staged.rename(directory)
    shutil.rmtree(old)


async def _write(settings: ServeSettings, folder: Path, album: Album, tell: Callable[[str], None]) -> int:
    site = Site(settings, Keys(), static=True)
    site.watch.look()
    site.watch.complete = True
    transport = httpx.ASGITransport(application(site))
    room = asyncio.Semaphore(_AT_ONCE)

    async def put(address: str) -> None:
        async with room:
            tell(address)
            page = await _asked(client, address)
            _put(folder / address.lstrip("/") / "index.html", _leading_to_files(page).encode())
            names = _PICTURE.findall(page)
            if address.endswith(_PAPER):
                pictures = {
                    _file(address, name): await _asked(client, _file(address, name)) for name in names
                }
            else:
                specs = page_specs(page)
                wanted = {_file(address, name): specs[name] for name in names}
                pictures = await asyncio.to_thread(album.pictures, wanted)
            for file, picture in pictures.items():
                _put(folder / file.lstrip("/"), picture.encode())

    async with httpx.AsyncClient(transport=transport, base_url=_HERE, timeout=None) as client:
        for name, asset in site.assets.files.items():
            _put(folder / "assets" / name, asset.content)
        pages = [put(address) for address in _addresses(site)]
        await asyncio.gather(*pages)
    await site.close()
    return len(pages)


def _file(address: str, figure: str) -> str:
    return f"{address}{FIGURES}/{figure}.svg"


def _leading_to_files(page: str) -> str:
    """The page with its links to folders as links to the pages in them, and back to the list as a file's."""

    def file(link: re.Match[str]) -> str:
        place, rest = link[1], link[2] or ""
        return f' href="{place}index.html{rest}"' if place else link[0]

    return _FOLDER.sub(file, page)


async def _asked(client: httpx.AsyncClient, address: str) -> str:
    answer = await client.get(quote(address), headers={"Accept": "text/html"})
    # What cannot be shown has a page that says why, which is worth keeping as well.
    return answer.text


def _addresses(site: Site) -> Iterator[str]:
    """Every page's address."""
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
    try:
        scores = read_scores(settings.predictions_dir)
    except UserError:
        scores = []
    for prediction, run in dict.fromkeys((score.prediction, score.run) for score in scores):
        yield f"/predictions/{prediction}/{run}/"


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
