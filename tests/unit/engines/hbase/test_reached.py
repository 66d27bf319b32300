"""How a laboratory's HBase is reached, and what is told where it cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.engines.hbase.reached import reach_lab_hbase, reach_own_hbase
from howdah.errors import UserError
from support.fetched import fetch
from support.labs import lab_state


def test_a_laboratory_without_hbase_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOWDAH_CACHE", str(tmp_path / "cache"))
    fetch(tmp_path / "cache", "hadoop")
    with pytest.raises(UserError, match='lab "lab": has no HBase'):
        reach_lab_hbase(lab_state(tmp_path / "lab"))


def test_a_directory_without_its_configuration_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"has no hbase-site\.xml"):
        reach_own_hbase(tmp_path, None, "here")
