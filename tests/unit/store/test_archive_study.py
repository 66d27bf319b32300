"""A bundle holds what was packed, and nothing else gets out of one."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.store.archive import MANIFEST, pack, unpack


def _bundle(path: Path, members: Mapping[str, bytes], digests: Mapping[str, bytes]) -> Path:
    """An archive with these members whose manifest tells the digests of those contents."""
    files = {name: sha256(content).hexdigest() for name, content in digests.items()}
    manifest = json.dumps({"made_by": "1", "files": files}).encode()
    with tarfile.open(path, "w:gz") as tar:
        for name, content in {MANIFEST: manifest, **members}.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def test_what_is_packed_comes_out(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"1" * 3_000_000)
    (tmp_path / "two").write_bytes(b"")
    pack({"a/one": tmp_path / "one", "two": tmp_path / "two"}, tmp_path / "bundle", "0.9")
    unpacked = unpack(tmp_path / "bundle", tmp_path / "out")
    assert unpacked == ("0.9", 2)
    assert (tmp_path / "out/a/one").read_bytes() == b"1" * 3_000_000
    assert (tmp_path / "out/two").read_bytes() == b""


@pytest.mark.parametrize(
    ("members", "digests", "says"),
    [
        ({"a": b"1"}, {"a": b"2"}, "a was changed"),
        ({}, {"a": b"2"}, "a is missing"),
        ({"a": b"1", "b": b""}, {"a": b"1"}, "contains 'b', which does not belong to it"),
        ({"../a": b"1"}, {"../a": b"1"}, "contains '../a', which does not belong to it"),
        ({"/tmp/a": b"1"}, {"/tmp/a": b"1"}, "contains '/tmp/a', which does not belong to it"),
    ],
)
def test_whatever_was_changed_is_found(
    members: Mapping[str, bytes], digests: Mapping[str, bytes], says: str, tmp_path: Path
) -> None:
    bundle = _bundle(tmp_path / "bundle", members, digests)
    with pytest.raises(UserError) as caught:
        unpack(bundle, tmp_path / "out")
    assert says in str(caught.value)
    assert not (tmp_path / "a").exists()


def test_a_folder_is_no_bundle(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be unpacked: Is a directory"):
        unpack(tmp_path, tmp_path / "out")


def test_a_file_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    with tarfile.open(_bundle(bundle, {}, {}), "r:gz") as tar:
        assert tar.getnames() == [MANIFEST]
    manifest = json.dumps({"made_by": "1", "files": {"a": sha256(b"1").hexdigest()}}).encode()
    with tarfile.open(bundle, "w:gz") as tar:
        for name, content in ((MANIFEST, manifest), ("a", b"1"), ("a", b"2")):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    with pytest.raises(UserError, match="which does not belong to it"):
        unpack(bundle, tmp_path / "out")


def test_a_link_is_refused(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    manifest = json.dumps({"made_by": "1", "files": {"a": "0"}}).encode()
    with tarfile.open(bundle, "w:gz") as tar:
        first = tarfile.TarInfo(MANIFEST)
        first.size = len(manifest)
        tar.addfile(first, io.BytesIO(manifest))
        link = tarfile.TarInfo("a")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    with pytest.raises(UserError, match="which does not belong to it"):
        unpack(bundle, tmp_path / "out")


@pytest.mark.parametrize("content", [b"", b"no archive", b"\x1f\x8b\x08"])
def test_what_is_no_bundle_is_one_message(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "bundle").write_bytes(content)
    with pytest.raises(UserError, match="is not a bundle, or damaged"):
        unpack(tmp_path / "bundle", tmp_path / "out")
