"""Secrets for hosts: the files that a plan needs, their problems, and the format of keytabs."""

from __future__ import annotations

import hashlib
import stat
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from howdah.deploy.ansible import HostProblem
from howdah.errors import UserError

_VERSION = b"\x05\x02"
STRONG = {
    17: "aes128-cts-hmac-sha1-96", 18: "aes256-cts-hmac-sha1-96",
    19: "aes128-cts-hmac-sha256-128", 20: "aes256-cts-hmac-sha384-192",
}  # fmt: skip
"""The encryption types that Java and KDCs accept by default, by their numbers."""


class KeytabDamaged(ValueError):
    """A file is not a keytab, or is truncated or altered; the text has the position."""


class KeytabEntry(NamedTuple):
    """One key in a keytab: its principal and type, without the key itself."""

    principal: str  # ``hdfs/h1.example.com@EXAMPLE.COM``.
    encryption: int  # The number of its encryption type in RFC 3961.
    version: int  # The number of the key among all keys of its principal.


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
            # Zeros may follow the last entry.
            return
        if abs(size) > len(content) - place:
            raise KeytabDamaged(f"is cut off: the entry at byte {place} needs {abs(size)} bytes")
        if size > 0:
            record = _Record(content[place : place + size], place)
            parts = record.number(2)
            realm = record.text()
            name = "/".join(record.text() for _ in range(parts))
            record.take(8)  # The type of the name, and when the key was written.
            version, encryption = record.number(1), record.number(2)
            record.take(record.number(2))
            if len(record.content) >= 4:
                # Versions from 256 on do not fit into the byte, which older programs still read.
                version = record.number(4) or version
            if not name or not realm:
                raise KeytabDamaged(f"has an entry at byte {place} without a principal")
            yield KeytabEntry(f"{name}@{realm}", encryption, version)
        # A negative size is that of a removed entry.
        place += abs(size)


class _Record:
    """The bytes of one entry that were not read yet."""

    def __init__(self, content: bytes, place: int) -> None:
        self.content, self.place = content, place

    def take(self, count: int) -> bytes:
        if count > len(self.content):
            raise KeytabDamaged(f"has an entry at byte {self.place} that is too short")
        taken, self.content = self.content[:count], self.content[count:]
        return taken

    def number(self, count: int) -> int:
        return int.from_bytes(self.take(count), "big")

    def text(self) -> str:
        try:
            return self.take(self.number(2)).decode("utf-8")
        except UnicodeDecodeError as error:
            raise KeytabDamaged(f"has a name at byte {self.place} that is not text") from error


_FLAG = "--secrets"


class SecretFile(NamedTuple):
    """A file that is copied to a host."""

    name: str
    file: Path
    sha256: str


def check_folder(folder: Path) -> None:
    """Raise UserError if a folder does not exist, or if other users may read or change it."""
    if not folder.is_dir():
        hint = "give the folder that has a subfolder for each host"
        raise UserError(f"{_FLAG} {folder}", "is not a folder", hint)
    if folder.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UserError(f"{_FLAG} {folder}", "is readable by other users", f"chmod 0700 {folder.resolve()}")


def collect_secrets(
    folder: Path, host: str, expected: Sequence[Mapping[str, Any]]
) -> tuple[list[SecretFile], list[HostProblem]]:
    """Return the files for one host, and their problems.

    ``expected`` is the list in the host's manifest: ``name``, and ``principals`` of a keytab. The file is
    ``FOLDER/HOST/NAME`` in the host's own folder or, if that is missing, ``FOLDER/NAME``.
    """
    files: list[SecretFile] = []
    wrong: list[HostProblem] = []
    for entry in expected:
        name = str(entry["name"])
        file = next((path for path in (folder / host / name, folder / name) if path.is_file()), None)
        if file is None:
            wrong.append(HostProblem(host, f"{name} is not in {folder / host}", _how_to_create(host, entry)))
            continue
        try:
            content = file.read_bytes()
        except OSError as error:
            fix = "remove other users' permission to read it"
            wrong.append(HostProblem(host, f"{file}: {error.strerror}", fix))
            continue
        # The folder's own mode protects its files, but a link may lead out of it.
        outside = not file.resolve().is_relative_to(folder.resolve())
        if file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO) and outside:
            problem = f"{file} is readable by other users"
            wrong.append(HostProblem(host, problem, f"chmod 0600 {file.resolve()}"))
        if not content:
            wrong.append(HostProblem(host, f"{file} is empty", _how_to_create(host, entry)))
        principals = [str(text).replace("_HOST", host.lower()) for text in entry.get("principals") or ()]
        wrong += (HostProblem(host, *problem) for problem in _keytab_problems(file, content, principals))
        files.append(SecretFile(name, file, hashlib.sha256(content).hexdigest()))
    return files, wrong


def _how_to_create(host: str, entry: Mapping[str, Any]) -> str:
    if principals := entry.get("principals"):
        names = ", ".join(str(text).replace("_HOST", host.lower()) for text in principals)
        return f"put the keytab with the keys of {names} there"
    return "put it there: the rendered README.md describes it"


def _keytab_problems(file: Path, content: bytes, principals: Iterable[str]) -> Iterator[tuple[str, str]]:
    expected = list(principals)
    if not expected or not content:
        return
    try:
        entries = keytab_entries(content)
    except KeytabDamaged as error:
        yield f"{file} {error}", "copy it again, in binary mode"
        return
    for principal in expected:
        yield from _key_problems(file, principal, entries)


def _key_problems(file: Path, principal: str, entries: Sequence[KeytabEntry]) -> Iterator[tuple[str, str]]:
    make = f"kadmin: ktadd -k {file.name} {principal}"
    own = [entry for entry in entries if entry.principal == principal]
    name, _, realm = principal.rpartition("@")
    parts = (entry.principal.rpartition("@") for entry in entries)
    elsewhere = sorted({own_realm for own_name, _, own_realm in parts if own_name == name})
    if not own and elsewhere:
        fix = f"plan with --realm {elsewhere[0]}, or {make}"
        yield f"{file} has {name} in the realm {', '.join(elsewhere)}, but the plan's realm is {realm}", fix
    elif not own:
        principals = sorted({entry.principal for entry in entries})
        content = f"has keys of {', '.join(principals[:3])}" if principals else "contains no key"
        yield f"{file} has no key of {principal}: it {content}", make
    elif not any(entry.encryption in STRONG for entry in own):
        kinds = ", ".join(str(number) for number in sorted({entry.encryption for entry in own}))
        fix = f"create an AES key: ktadd -e aes256-cts-hmac-sha1-96:normal -k {file.name} {principal}"
        yield f"{file} has no key of {principal} that is still accepted (encryption types {kinds})", fix
