"""The files that only the administrator has, looked at before any host is: is each there, and of use."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from howdah.deploy.keytab import STRONG, KeytabDamaged, KeytabEntry, keytab_entries
from howdah.deploy.wrong import HostWrong
from howdah.errors import UserError

_FLAG = "--secrets"


class SecretFile(NamedTuple):
    """A file that is handed to a host."""

    name: str
    file: Path
    sha256: str


def check_folder(folder: Path) -> None:
    """Raise UserError where a folder is none, or others may read or change what is in it."""
    if not folder.is_dir():
        raise UserError(
            f"{_FLAG} {folder}", "is not a folder", "give the folder that has a subfolder for each host"
        )
    if folder.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UserError(f"{_FLAG} {folder}", "is readable by other users", f"chmod 0700 {folder.resolve()}")


def found_secrets(
    folder: Path, host: str, wanted: Sequence[Mapping[str, Any]]
) -> tuple[list[SecretFile], list[HostWrong]]:
    """The files for one host, and all that is wrong with them.

    ``wanted`` is what the host's manifest says of them: ``name``, and ``principals`` of a keytab. A file is
    looked for in the host's own folder, ``FOLDER/HOST/NAME``, and then in ``FOLDER/NAME``.
    """
    found: list[SecretFile] = []
    wrong: list[HostWrong] = []
    for one in wanted:
        name = str(one["name"])
        file = next((path for path in (folder / host / name, folder / name) if path.is_file()), None)
        if file is None:
            wrong.append(HostWrong(host, f"{name} is not in {folder / host}", _how_made(host, one)))
            continue
        try:
            content = file.read_bytes()
        except OSError as error:
            wrong.append(
                HostWrong(host, f"{file}: {error.strerror}", "remove other users' permission to read it")
            )
            continue
        # A folder that is closed to others keeps its files so; a link may lead out of it.
        if file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO) and _open(file, folder):
            told = f"{file} is readable by other users"
            wrong.append(HostWrong(host, told, f"chmod 0600 {file.resolve()}"))
        if not content:
            wrong.append(HostWrong(host, f"{file} is empty", _how_made(host, one)))
        principals = [str(text).replace("_HOST", host.lower()) for text in one.get("principals") or ()]
        wrong += (HostWrong(host, *told) for told in _keytab_wrongs(file, content, principals))
        found.append(SecretFile(name, file, hashlib.sha256(content).hexdigest()))
    return found, wrong


def _open(file: Path, folder: Path) -> bool:
    """Whether a file lies outside of the folder, whose own mode would keep others from it."""
    return not file.resolve().is_relative_to(folder.resolve())


def _how_made(host: str, one: Mapping[str, Any]) -> str:
    if principals := one.get("principals"):
        names = ", ".join(str(text).replace("_HOST", host.lower()) for text in principals)
        return f"put the keytab with the keys of {names} there"
    return "put it there: the rendered README.md describes it"


def _keytab_wrongs(file: Path, content: bytes, principals: Iterable[str]) -> Iterator[tuple[str, str]]:
    wanted = list(principals)
    if not wanted or not content:
        return
    try:
        entries = keytab_entries(content)
    except KeytabDamaged as error:
        yield f"{file} {error}", "copy it again, in binary mode"
        return
    for principal in wanted:
        yield from _lacking(file, principal, entries)


def _lacking(file: Path, principal: str, entries: Sequence[KeytabEntry]) -> Iterator[tuple[str, str]]:
    """What is wrong with the keys of one principal."""
    make = f"kadmin: ktadd -k {file.name} {principal}"
    own = [entry for entry in entries if entry.principal == principal]
    name, _, realm = principal.rpartition("@")
    elsewhere = sorted({entry.realm for entry in entries if entry.principal.rpartition("@")[0] == name})
    if not own and elsewhere:
        yield (
            f"{file} has {name} in the realm {', '.join(elsewhere)}, but the plan's realm is {realm}",
            f"plan with --realm {elsewhere[0]}, or {make}",
        )
    elif not own:
        others = sorted({entry.principal for entry in entries})
        told = f"has keys of {', '.join(others[:3])}" if others else "contains no key"
        yield f"{file} has no key of {principal}: it {told}", make
    elif not any(entry.encryption in STRONG for entry in own):
        kinds = ", ".join(str(number) for number in sorted({entry.encryption for entry in own}))
        yield (
            f"{file} has no key of {principal} that is still accepted (encryption types {kinds})",
            f"create an AES key: ktadd -e aes256-cts-hmac-sha1-96:normal -k {file.name} {principal}",
        )
