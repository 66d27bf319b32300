"""What is looked at before a host is changed: its Java, its room, where it fetches releases from."""

from __future__ import annotations

import os
import shutil
import struct
from pathlib import Path

import pytest

from howdah.deploy.ansible import mirror
from howdah.render.modules import howdah_look, releases
from howdah.render.modules.howdah_look import fetching, processors, room, software

MANIFEST = {"java": 17, "trees": ["hadoop-3.5.0"], "daemons": [], "disks": None, "files": []}
AARCH64, X86_64 = 183, 62


def _java(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A path for a java that comes before the system's own programs."""
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder / "java"


def test_a_java_for_other_processors_is_told_with_this_hosts_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bytearray(Path(shutil.which("true") or "/bin/true").read_bytes())
    other = X86_64 if os.uname().machine == "aarch64" else AARCH64
    content[18:20] = struct.pack("<H", other)
    java = _java(tmp_path, monkeypatch)
    java.write_bytes(content)
    java.chmod(0o755)
    said = {what: fix for what, fix in software(MANIFEST) if "java" in what}
    ((what, fix),) = said.items()
    assert what == f"its java ({java}) does not run: Exec format error, and this is {os.uname().machine}"
    assert "openjdk-17" in fix


def test_a_java_that_is_too_old_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = _java(tmp_path, monkeypatch)
    # What Debian's openjdk-8 says.
    java.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_402\"' >&2\n")
    java.chmod(0o755)
    assert [what for what, _ in software(MANIFEST) if "java" in what] == ["its java is 8"]


def test_a_release_for_other_processors_is_told_where_its_library_is_needed() -> None:
    trees = {"hadoop-3.5.0": {"machine": "riscv64"}}
    ((what, fix),) = processors({**MANIFEST, "native": True}, {"trees": trees})
    assert what.endswith(f"{os.uname().machine}, and hadoop-3.5.0 has libhadoop for riscv64")
    assert "shortcircuit=false" in fix
    assert not list(processors({**MANIFEST, "native": False}, {"trees": trees}))
    trees = {"hadoop-3.5.0": {"machine": os.uname().machine}, "hbase-2.6.4": {"machine": ""}}
    assert not list(processors({**MANIFEST, "native": True}, {"trees": trees}))


def test_directories_of_one_file_system_need_the_sum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = shutil.disk_usage(tmp_path).free
    (tmp_path / "log").mkdir()
    # Each alone would fit.
    monkeypatch.setattr(howdah_look, "OPT", str(tmp_path / "not/there/yet"))
    monkeypatch.setattr(howdah_look, "ROOM", {str(tmp_path / "log"): free // 2})
    trees = {"hadoop-3.5.0": {"file": "x.tar", "bytes": free // 3}}
    ((what, _),) = room(MANIFEST, {"trees": trees})
    assert what.startswith(f"{tmp_path / 'log'}, {tmp_path / 'not/there/yet'} has ")
    assert not list(room(MANIFEST, {"trees": {"hadoop-3.5.0": {"file": "x.tar", "bytes": 1}}}))


def test_it_is_told_before_anything_is_done_that_a_release_cannot_be_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(howdah_look, "OPT", str(tmp_path))
    monkeypatch.setattr(releases, "OPT", str(tmp_path))
    (tmp_path / "x.tar").write_bytes(b"release")
    trees = {"hadoop-3.5.0": {"file": "x.tar", "bytes": 7}}
    with mirror({"x.tar": tmp_path / "x.tar"}) as port:
        address = f"http://127.0.0.1:{port}"
        assert not list(fetching(MANIFEST, {"mirror": address, "trees": trees}))
        other = {"hadoop-3.5.0": {"file": "y.tar", "bytes": 7}}
        ((what, fix),) = fetching(MANIFEST, {"mirror": address, "trees": other})
        assert "Not Found" in what
    ((what, fix),) = fetching(MANIFEST, {"mirror": address, "trees": trees})
    assert what == f"hadoop-3.5.0 cannot be fetched from {address}/x.tar: [Errno 111] Connection refused"
    assert "--mirror" in fix
