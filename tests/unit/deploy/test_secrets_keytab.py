"""Keytabs as MIT's programs write them, and as they must not be."""

from __future__ import annotations

import shutil
import struct
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.deploy.secrets import KeytabDamaged, KeytabEntry, keytab_entries

_NAMES = st.text(st.characters(codec="utf-8", exclude_characters="/@"), min_size=1, max_size=12)


def _counted(text: str) -> bytes:
    data = text.encode()
    return struct.pack(">H", len(data)) + data


def written(entry: KeytabEntry, *, old: bool = False, hole: int = 0) -> bytes:
    """An entry as the format has it; an old one has no room for large version numbers."""
    name, _, realm = entry.principal.rpartition("@")
    parts = name.split("/")
    body = struct.pack(">H", len(parts)) + _counted(realm) + b"".join(map(_counted, parts))
    body += struct.pack(">IIBHH", 1, 0, entry.version & 0xFF, entry.encryption, 4) + b"\1\2\3\4"
    if not old:
        body += struct.pack(">I", entry.version)
    free = struct.pack(">i", -hole) + bytes(hole) if hole else b""
    return free + struct.pack(">i", len(body)) + body


entries = st.builds(
    KeytabEntry,
    st.builds(
        lambda parts, realm: f"{'/'.join(parts)}@{realm}", st.lists(_NAMES, min_size=1, max_size=3), _NAMES
    ),
    st.integers(0, 0xFFFF),
    st.integers(1, 0xFF),
)


@given(st.lists(st.tuples(entries, st.booleans(), st.integers(0, 9)), max_size=4), st.integers(0, 3))
def test_what_is_written_is_read(made: list[tuple[KeytabEntry, bool, int]], zeros: int) -> None:
    content = b"\5\2" + b"".join(written(entry, old=old, hole=hole) for entry, old, hole in made)
    content += bytes(4 * zeros)
    assert keytab_entries(content) == tuple(entry for entry, _, _ in made)


@given(st.binary(max_size=200))
def test_anything_is_a_keytab_or_one_clear_error(content: bytes) -> None:
    for data in (content, b"\5\2" + content):
        with suppress(KeytabDamaged):
            keytab_entries(data)


@given(entries, st.data())
def test_what_is_cut_off_is_damaged(entry: KeytabEntry, data: st.DataObject) -> None:
    content = b"\5\2" + written(entry)
    end = data.draw(st.integers(0, len(content) - 1))
    if end != 2:
        with pytest.raises(KeytabDamaged):
            keytab_entries(content[:end])


def test_a_version_that_a_byte_does_not_hold() -> None:
    entry = KeytabEntry("hdfs/h1@EXAMPLE.COM", 18, 300)
    assert keytab_entries(b"\5\2" + written(entry)) == (entry,)


@pytest.mark.skipif(shutil.which("ktutil") is None, reason="apt-get install krb5-user")
def test_what_ktutil_writes_is_read(tmp_path: Path) -> None:
    keytab = tmp_path / "hdfs.service.keytab"
    script = "".join(
        f"addent -password -p hdfs/h1@EXAMPLE.COM -k 3 -e {kind}\nsecret\n"
        for kind in ("aes256-cts-hmac-sha1-96", "aes128-cts-hmac-sha256-128")
    )
    subprocess.run(["ktutil"], input=f"{script}wkt {keytab}\nquit\n", text=True, check=True)
    assert keytab_entries(keytab.read_bytes()) == (
        KeytabEntry("hdfs/h1@EXAMPLE.COM", 18, 3),
        KeytabEntry("hdfs/h1@EXAMPLE.COM", 19, 3),
    )
