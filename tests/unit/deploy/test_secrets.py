"""What is wrong with keytabs and key stores is told for each host, before any is asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from howdah.deploy.secrets import KeytabEntry, check_folder, collect_secrets
from howdah.errors import UserError
from unit.deploy.test_secrets_keytab import written

HDFS = {"name": "hdfs.service.keytab", "principals": ["hdfs/_HOST@EXAMPLE.COM"]}


def _keytab(principal: str, encryption: int = 18) -> bytes:
    return b"\5\2" + written(KeytabEntry(principal, encryption, 1))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "secrets"
    (place / "h1").mkdir(parents=True)
    place.chmod(0o700)
    return place


def _wrong(folder: Path, content: bytes) -> str:
    (folder / "h1/hdfs.service.keytab").write_bytes(content)
    _, wrong = collect_secrets(folder, "h1", [HDFS])
    return "; ".join(f"{one.what}: {one.fix}" for one in wrong)


def test_a_keytab_with_the_hosts_own_key_is_handed_over(folder: Path) -> None:
    content = _keytab("hdfs/h1@EXAMPLE.COM")
    assert _wrong(folder, content) == ""
    found, _ = collect_secrets(folder, "h1", [HDFS])
    assert [(one.name, len(one.sha256)) for one in found] == [("hdfs.service.keytab", 64)]


def test_what_all_hosts_share_lies_above(folder: Path) -> None:
    (folder / "trust.jks").write_bytes(b"x")
    found, wrong = collect_secrets(folder, "h1", [{"name": "trust.jks"}])
    assert not wrong
    assert found[0].file == folder / "trust.jks"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\5\1abc", "is not a keytab"),
        (_keytab("hdfs/h1@EXAMPLE.COM")[:-3], "is cut off"),
        (_keytab("hdfs/h2@EXAMPLE.COM"), "has no key of hdfs/h1@EXAMPLE.COM: it has keys of hdfs/h2@"),
        (_keytab("hdfs/h1@OTHER.ORG"), "in the realm OTHER.ORG, but the plan's realm is EXAMPLE.COM"),
        (_keytab("hdfs/h1@EXAMPLE.COM", 23), "still accepted (encryption types 23): create an AES key"),
    ],
)
def test_a_keytab_that_is_of_no_use(folder: Path, content: bytes, says: str) -> None:
    assert says in _wrong(folder, content)


def test_all_that_is_missing_is_told_at_once(folder: Path) -> None:
    _, wrong = collect_secrets(folder, "h1", [HDFS, {"name": "host.jks"}])
    assert [one.what.split()[0] for one in wrong] == ["hdfs.service.keytab", "host.jks"]
    assert "hdfs/h1@EXAMPLE.COM" in wrong[0].fix


def test_a_link_to_what_others_read(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "open.keytab"
    outside.write_bytes(_keytab("hdfs/h1@EXAMPLE.COM"))
    outside.chmod(0o644)
    (folder / "h1/hdfs.service.keytab").symlink_to(outside)
    _, wrong = collect_secrets(folder, "h1", [HDFS])
    assert "is readable by other users" in wrong[0].what


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda place: place.chmod(0o750), "is readable by other users"),
        (lambda place: (place / "h1").rmdir() or place.rmdir(), "is not a folder"),
    ],
)
def test_a_folder_that_is_open_or_none(folder: Path, spoil: Callable[[Path], None], says: str) -> None:
    spoil(folder)
    with pytest.raises(UserError, match=says):
        check_folder(folder)
