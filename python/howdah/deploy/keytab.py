"""Keytabs, in which Kerberos keeps the keys of services: whose keys they hold, and of which encryption.

The format is MIT's, version 0x502: https://web.mit.edu/kerberos/krb5-latest/doc/formats/keytab_file_format.html.
The keys themselves are never kept here: they are passed over.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

_VERSION = b"\x05\x02"
STRONG = {
    17: "aes128-cts-hmac-sha1-96",
    18: "aes256-cts-hmac-sha1-96",
    19: "aes128-cts-hmac-sha256-128",
    20: "aes256-cts-hmac-sha384-192",
}
"""The encryption types that Java and KDCs, as they are installed, still accept, by their numbers."""


class KeytabDamaged(ValueError):
    """A file is no keytab, or a keytab that is cut off or altered; the text says where."""


class KeytabEntry(NamedTuple):
    """One key in a keytab: whose it is, and what it is for; never the key."""

    principal: str
    """``hdfs/h1.example.com@EXAMPLE.COM``."""
    encryption: int
    """The number of its encryption type, as RFC 3961 has them."""
    version: int
    """The number of the key among those that the principal has had."""

    @property
    def realm(self) -> str:
        """The realm of the principal."""
        return self.principal.rpartition("@")[2]


def keytab_entries(content: bytes) -> tuple[KeytabEntry, ...]:
    """Every key of a keytab, in the order of the file; raises KeytabDamaged."""
    if content[:2] != _VERSION:
        raise KeytabDamaged("is not a keytab: it does not begin with the bytes 05 02")
    return tuple(_entries(content))


def _entries(content: bytes) -> Iterator[KeytabEntry]:
    place = len(_VERSION)
    while place < len(content):
        if len(content) - place < 4:
            raise KeytabDamaged(f"is cut off at byte {place}")
        (size,) = struct.unpack_from(">i", content, place)
        place += 4
        if size == 0:
            # What follows the last entry may be zeros.
            return
        if abs(size) > len(content) - place:
            raise KeytabDamaged(f"is cut off: the entry at byte {place} needs {abs(size)} bytes")
        if size > 0:
            yield _entry(_Record(content[place : place + size], place))
        # A negative size is the room of an entry that was removed.
        place += abs(size)


class _Record:
    """The bytes of one entry, read from front to back."""

    def __init__(self, content: bytes, place: int) -> None:
        self.content, self.place, self.read = content, place, 0

    @property
    def left(self) -> int:
        return len(self.content) - self.read

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise KeytabDamaged(f"has an entry at byte {self.place} that is too short")
        self.read += count
        return self.content[self.read - count : self.read]

    def number(self, count: int) -> int:
        return int.from_bytes(self.take(count), "big")

    def text(self) -> str:
        try:
            return self.take(self.number(2)).decode("utf-8")
        except UnicodeDecodeError as error:
            raise KeytabDamaged(f"has a name at byte {self.place} that is not text") from error


def _entry(record: _Record) -> KeytabEntry:
    parts = record.number(2)
    realm = record.text()
    name = "/".join(record.text() for _ in range(parts))
    record.take(8)  # The type of the name, and when the key was written.
    version = record.number(1)
    encryption = record.number(2)
    record.take(record.number(2))
    if record.left >= 4:
        # Versions from 256 on did not fit into the byte, which older programs still read.
        version = record.number(4) or version
    if not name or not realm:
        raise KeytabDamaged(f"has an entry at byte {record.place} without a principal")
    return KeytabEntry(f"{name}@{realm}", encryption, version)
