"""Releases on a host: whole or not there."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from howdah.deploy.ansible import mirror
from howdah.render.modules import releases
from howdah.render.modules.changes import HostChanges, HostRefusal
from howdah.render.modules.releases import install_releases

NAME = "hadoop-3.5.0"


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    folder = tmp_path / "source" / NAME
    folder.mkdir(parents=True)
    for number in range(40):
        (folder / f"{number}.jar").write_text(str(number))
    path = tmp_path / f"{NAME}.tar"
    with tarfile.open(path, "w") as archive:
        archive.add(folder, NAME)
    return path


@pytest.fixture
def opt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "opt"
    folder.mkdir()
    monkeypatch.setattr(releases, "OPT", str(folder))
    return folder


@pytest.fixture
def small(opt: Path) -> Iterator[Path]:
    """Where that is a file system that has room for the file, and not for all that is in it."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "nr_inodes=20", "tmpfs", str(opt)], check=True)
    yield opt
    subprocess.run(["umount", str(opt)], check=True)


def _install(packed: Path, sha256: str = "") -> None:
    digest = sha256 or hashlib.sha256(packed.read_bytes()).hexdigest()
    with mirror({packed.name: packed}) as port:
        install_releases(
            HostChanges(check=False),
            {"trees": [NAME]},
            {"trees": {NAME: {"file": packed.name, "sha256": digest}}, "mirror": f"http://127.0.0.1:{port}"},
        )


def test_a_release_is_unpacked(packed: Path, opt: Path) -> None:
    _install(packed)
    assert len(list((opt / NAME).glob("*.jar"))) == 40
    assert [path.name for path in opt.iterdir()] == [NAME]


def test_one_that_is_not_what_was_named_is_not(packed: Path, opt: Path) -> None:
    with pytest.raises(HostRefusal, match="differs from the expected file") as caught:
        _install(packed, "0" * 64)
    assert "howdah hadoop pack" in caught.value.fix
    assert not list(opt.iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a file system")
def test_a_disk_that_fills_meanwhile_is_told_and_nothing_half_unpacked_stays(
    packed: Path, small: Path
) -> None:
    with pytest.raises(HostRefusal, match="No space left on device") as caught:
        _install(packed)
    assert caught.value.fix.startswith("free space")
    assert not list(small.iterdir())
