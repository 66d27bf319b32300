"""Keytabs and key stores are kept for root alone and put where daemons read them, each with its rights."""

from __future__ import annotations

import grp
import hashlib
import os
import pwd
from pathlib import Path
from typing import Any

import pytest

from howdah.render.modules import secrets
from howdah.render.modules.changes import HostChanges, HostRefusal
from howdah.render.modules.secrets import digests, keep, keytab_is_late, place_secrets

ME = pwd.getpwuid(os.getuid()).pw_name
MINE = grp.getgrgid(os.getgid()).gr_name


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "HANDED", str(tmp_path / "handed"))


def _manifest(tmp_path: Path, mode: str = "0400") -> dict[str, Any]:
    path = str(tmp_path / "etc/hdfs.service.keytab")
    return {
        "secrets": [{"name": "hdfs.service.keytab", "path": path, "owner": ME, "group": MINE, "mode": mode}]
    }


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def _placed(manifest: dict[str, Any], former: dict[str, Any], *, check: bool = False) -> list[str]:
    host = HostChanges(check=check)
    place_secrets(host, manifest, former, digests(manifest, {}))
    return host.changes


def test_what_is_handed_over_is_kept_closed_and_put_in_its_place_once(tmp_path: Path) -> None:
    manifest = _manifest(tmp_path)
    place = Path(manifest["secrets"][0]["path"])
    assert keep("hdfs.service.keytab", b"key")
    assert not keep("hdfs.service.keytab", b"key")
    assert (_mode(tmp_path / "handed"), _mode(tmp_path / "handed/hdfs.service.keytab")) == (0o700, 0o600)
    assert _placed(manifest, {}, check=True) == [f"secret {place}"]
    assert not place.exists()
    assert _placed(manifest, {}) == [f"secret {place}"]
    assert (place.read_bytes(), _mode(place)) == (b"key", 0o400)
    assert _placed(manifest, {}) == []


def test_a_keytab_is_late_from_its_announcement_until_it_is_in_place(tmp_path: Path) -> None:
    manifest = _manifest(tmp_path)
    keep("hdfs.service.keytab", b"key")
    _placed(manifest, {})
    assert not keytab_is_late(manifest, {})
    newer = {"secrets": {"hdfs.service.keytab": {"sha256": hashlib.sha256(b"newer").hexdigest()}}}
    assert keytab_is_late(manifest, newer)
    keep("hdfs.service.keytab", b"newer")
    _placed(manifest, {})
    assert not keytab_is_late(manifest, newer)


def test_other_rights_or_another_content_are_put_right(tmp_path: Path) -> None:
    manifest = _manifest(tmp_path)
    place = Path(manifest["secrets"][0]["path"])
    keep("hdfs.service.keytab", b"key")
    _placed(manifest, {})
    place.chmod(0o644)
    assert _placed(manifest, {}) == [f"secret {place}"]
    assert _mode(place) == 0o400
    keep("hdfs.service.keytab", b"newer")
    assert _placed(manifest, {}) == [f"secret {place}"]
    assert place.read_bytes() == b"newer"


def test_a_dry_run_knows_what_is_to_come_by_its_digest(tmp_path: Path) -> None:
    manifest = _manifest(tmp_path)
    keep("hdfs.service.keytab", b"key")
    coming = hashlib.sha256(b"newer").hexdigest()
    given = {"secrets": {"hdfs.service.keytab": {"file": "/x", "sha256": coming}}}
    assert digests(manifest, given) == {"hdfs.service.keytab": coming}
    with pytest.raises(HostRefusal, match="differs from the file to copy"):
        place_secrets(HostChanges(check=False), manifest, {}, digests(manifest, given))


def test_what_never_was_handed_over_is_named(tmp_path: Path) -> None:
    with pytest.raises(HostRefusal, match=r"did not get hdfs.service.keytab: deploy with --secrets DIR"):
        digests(_manifest(tmp_path), {})


def test_what_no_daemon_reads_any_more_is_removed(tmp_path: Path) -> None:
    manifest = _manifest(tmp_path)
    place = Path(manifest["secrets"][0]["path"])
    keep("hdfs.service.keytab", b"key")
    _placed(manifest, {})
    handed = tmp_path / "handed/hdfs.service.keytab"
    assert _placed({"secrets": []}, manifest) == [f"remove {place}", f"remove {handed}"]
    assert not place.exists()
