"""The kept copy of the charts' scripts: used when whole, made anew when not, never needed."""

from __future__ import annotations

from pathlib import Path

import pytest
import vl_convert

from howdah.report.html import EXPOSED, vega_bundle


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Every bundle put together, in a cache of its own."""
    calls: list[str] = []

    def make(snippet: str, vl_version: str) -> str:
        calls.append(vl_version)
        return f"/* {snippet} é\n */"

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(vl_convert, "javascript_bundle", make)
    return calls


def test_a_whole_copy_is_used(made: list[str]) -> None:
    first = vega_bundle()
    assert vega_bundle() == first == f"/* {EXPOSED} é\n */"
    assert len(made) == 1


@pytest.mark.parametrize("damage", [b"", b"no digest", b"\xff\xfe"])
def test_a_damaged_copy_is_replaced(made: list[str], tmp_path: Path, damage: bytes) -> None:
    whole = vega_bundle()
    (kept,) = (tmp_path / "howdah").iterdir()
    good = kept.read_bytes()
    for bad in (damage, good[:-1], good + b"x"):
        kept.write_bytes(bad)
        assert vega_bundle() == whole
        assert kept.read_bytes() == good
    assert len(made) == 4


def test_nothing_is_lost_where_nothing_can_be_kept(
    made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert vega_bundle() == vega_bundle()
    assert len(made) == 2


def test_the_real_bundle_offers_what_the_page_calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    source = vega_bundle()
    assert "window.vegaEmbed" in source
    assert "</script" not in source
    assert vega_bundle() == source
