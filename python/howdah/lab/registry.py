"""The labs on this machine, their locks, and the names of their parts."""

from __future__ import annotations

import fcntl
import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple

from howdah.errors import UserError
from howdah.model.base import Model

VARIABLE = "HOWDAH_LAB"  # The environment variable with a lab's name in each of its processes.
MACHINE = "HOWDAH_MACHINE"  # The environment variable with the name of a process's machine.
SWITCH = "switch"  # The last part of the name of the namespace with the bridge that joins the hosts.
CLIENT_GROUP = "_client"  # The control group of the client's processes; no host has such a name.
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?")
_OF_ROOT = Path("/run/howdah")


def check_lab_name(name: str) -> str:
    """Return the name if it is valid for a lab; raise UserError otherwise."""
    if _NAME.fullmatch(name):
        return name
    hint = "use at most 32 lower-case letters, digits and inner hyphens, such as ten-gigabit"
    raise UserError("--name", f"{name!r} is not a valid name of a lab", hint)


def group_name(lab: str) -> str:
    """Return a lab's control group, which is above those of its hosts."""
    return f"howdah-{lab}"


def prefix(lab: str) -> str:
    """Return the beginning of the names of its namespaces and disk images."""
    return f"howdah-{lab}_"


def shared_name(lab: str) -> str:
    """Return the name of the hosts that a lab creates and others may share, which no lab can have."""
    return f"{lab}+"


def host_space(lab: str, host: str) -> str:
    """Return the network namespace of a physical host, by the name of its lab or of shared hosts."""
    return f"{prefix(lab)}host_{host}"


def machine_space(lab: str, machine: str) -> str:
    """Return the network namespace of a virtual machine."""
    return f"{prefix(lab)}machine_{machine}"


def image_name(lab: str, machine: str, number: int) -> str:
    """Return the file name of a machine's disk, counted from 1."""
    return f"{prefix(lab)}{machine}_{number}.img"


class Entry(Model):
    name: str
    directory: Path
    lot: str | None = None  # The name of its hosts if other labs may share them.
    seat: int = 0  # Its number among the labs on these hosts, which determines its addresses.


def registry() -> Path:
    """Return the folder of entries: the machine's for root, otherwise the user's own."""
    if os.geteuid() == 0:
        return _OF_ROOT
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        return Path(runtime) / "howdah"
    return Path("/tmp") / f"howdah-{os.geteuid()}"


def entries() -> list[Entry]:
    """Return every lab that was begun and not taken down, by name."""
    return [lab_entry for path in sorted(_trusted().glob("*.json")) if (lab_entry := _read(path)) is not None]


def labs_on(lot: str) -> list[Entry]:
    return [entered for entered in entries() if entered.lot == lot]


def entry(name: str) -> Entry | None:
    """Return the entry of a lab; None if there is none of this name."""
    return _read(_trusted() / f"{check_lab_name(name)}.json")


def _trusted() -> Path:
    """Return the registry after checking its owner, because its entries lead to jars that are executed."""
    folder = registry()
    if folder.exists() or folder.is_symlink():
        _check_owner(folder)
    return folder


def belongs_to_root(name: str) -> bool:
    """Whether root has a lab of this name, which this user cannot change."""
    return os.geteuid() != 0 and (_OF_ROOT / f"{check_lab_name(name)}.json").exists()


def register(name: str, directory: Path, lot: str | None = None, seat: int = 0) -> None:
    """Write a lab's entry; the caller has its lock, and that of its shared hosts if there are any."""
    path = registry() / f"{name}.json"
    staged = path.with_suffix(".new")
    shared = {} if lot is None else {"lot": lot, "seat": seat}
    staged.write_text(json.dumps({"name": name, "directory": str(directory), **shared}))
    staged.replace(path)


def unregister(name: str) -> None:
    """Remove a lab's entry as its last part; the caller has its lock."""
    for suffix in (".new", ".json"):
        (registry() / f"{name}{suffix}").unlink(missing_ok=True)


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Lock a lab against changes by other commands; raise UserError if another command has the lock.

    The kernel releases the lock of a killed process. The lock's file is removed with the lab.
    """
    path = registry() / f"{check_lab_name(name)}.lock"
    try:
        descriptor = _locked_file(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        hint = "wait for that command; howdah lab status shows its progress"
        raise UserError(f'lab "{name}"', "another command is changing it", hint) from error
    try:
        yield
    finally:
        _unlock(path, descriptor, remove=entry(name) is None)


@contextmanager
def shared_hosts_locked(lot: str) -> Iterator[None]:
    """Wait for the lock of shared hosts, which is held only while a network is created or removed."""
    path = registry() / f"{lot}.lock"
    descriptor = _locked_file(path, fcntl.LOCK_EX)
    try:
        yield
    finally:
        _unlock(path, descriptor, remove=not labs_on(lot))


def _locked_file(path: Path, how: int) -> int:
    """Return a lock's file, opened and locked; may raise BlockingIOError if ``how`` has LOCK_NB."""
    while True:
        try:
            _make_folder(path.parent)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except FileNotFoundError:
            # Another process has just removed the folder with the last lab.
            continue
        try:
            fcntl.flock(descriptor, how)
        except BlockingIOError:
            os.close(descriptor)
            raise
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        # The former holder has just removed the file, so this lock is useless.
        os.close(descriptor)


def _unlock(path: Path, descriptor: int, *, remove: bool) -> None:
    if remove:
        path.unlink(missing_ok=True)
        with suppress(OSError):
            path.parent.rmdir()
    os.close(descriptor)


def _make_folder(folder: Path) -> None:
    """Create the registry's folder if it is missing; only this user may write to it."""
    try:
        # Other users may read it: root's labs are no secret.
        folder.mkdir(mode=0o755, parents=True)
    except FileExistsError:
        pass
    except OSError as error:
        problem = f"cannot be created: {error.strerror}"
        raise UserError(str(folder), problem, "set XDG_RUNTIME_DIR to your own directory") from error
    _check_owner(folder)


def _check_owner(folder: Path) -> None:
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        hint = "remove it, or set XDG_RUNTIME_DIR to your own directory"
        raise UserError(str(folder), "belongs to another user, or is writable by others", hint)


def _read(path: Path) -> Entry | None:
    try:
        return Entry.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValueError):
        # Entries are replaced atomically, so an unreadable file is not howdah's.
        return None


class Leftover(NamedTuple):
    """An existing part of a lab, and after a removal the reason why it remains."""

    kind: Literal["process", "mount", "loop device", "file", "network namespace", "control group"]
    name: str
    why: str = ""
