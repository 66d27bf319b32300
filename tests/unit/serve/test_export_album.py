"""An export draws a picture once, and takes it from an earlier export only if it is the very same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from howdah.report.vega import chart
from howdah.serve.export import MARK, Album

FILE = "/runs/one/figures/bars.svg"


def _spec(height: int) -> dict[str, Any]:
    return chart(
        [{"data": {"values": [{"a": height}]}, "mark": "bar", "encoding": {"y": {"field": "a"}}}], height=20
    )


def _exported(folder: Path, specs: dict[str, dict[str, Any]]) -> tuple[dict[str, str], bool]:
    """The pictures of an export into a folder, and whether any was drawn for it."""
    with Album(folder) as album:
        pictures = album.pictures(specs)
        for file, picture in pictures.items():
            path = folder / file.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(picture)
        (folder / MARK).write_text(album.mark())
        return pictures, album._renderer is not None


def test_what_is_unchanged_is_drawn_once(tmp_path: Path) -> None:
    first, drawn = _exported(tmp_path, {FILE: _spec(1)})
    assert drawn
    assert first[FILE].startswith("<svg")
    # Wherever it stands now.
    other = "/runs/two/figures/bars.svg"
    assert _exported(tmp_path, {other: _spec(1)}) == ({other: first[FILE]}, False)
    changed, drawn = _exported(tmp_path, {other: _spec(2)})
    assert drawn
    assert changed[other] != first[FILE]


def test_a_picture_or_a_mark_that_was_changed_is_not_believed(tmp_path: Path) -> None:
    first = _exported(tmp_path, {FILE: _spec(1)})
    (tmp_path / FILE.lstrip("/")).write_text("<svg>something else</svg>")
    assert _exported(tmp_path, {FILE: _spec(1)}) == first
    mark = (tmp_path / MARK).read_text()
    for wrong in ("", "{", mark.replace("runs/one", "../../etc"), mark.replace("runs/one", "/etc")):
        (tmp_path / MARK).write_text(wrong)
        assert _exported(tmp_path, {FILE: _spec(1)}) == first
