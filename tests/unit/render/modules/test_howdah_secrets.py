"""What is handed over is kept; a name that would lead elsewhere is refused."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from howdah.render.modules import changes, secrets
from howdah.render.modules.howdah_secrets import main


@pytest.fixture
def handed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(secrets, "HANDED", str(tmp_path / "handed"))
    monkeypatch.setattr(changes, "LOCK", str(tmp_path / "lock"))
    return tmp_path / "handed"


def _told(capsys: pytest.CaptureFixture[str], contents: object) -> dict[str, Any]:
    main(json.dumps({"contents": contents}).encode())
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_it_keeps_what_it_is_given_once(handed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    contents = json.dumps({"hdfs.service.keytab": base64.b64encode(b"\5\2\0").decode()})
    assert _told(capsys, contents) == {"changed": True}
    assert _told(capsys, json.loads(contents)) == {"changed": False}
    assert (handed / "hdfs.service.keytab").read_bytes() == b"\5\2\0"


@pytest.mark.parametrize("name", ["", "..", "../shadow", "/etc/shadow"])
def test_a_name_that_leads_elsewhere(handed: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    told = _told(capsys, {name: ""})
    assert told["failed"]
    assert "is not a file name" in told["msg"]
    assert not handed.exists()
