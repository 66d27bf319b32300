"""Which laboratories there are on this machine, and by which names what belongs to them is found again."""

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

VARIABLE = "HOWDAH_LAB"
"""The environment variable that holds a laboratory's name in each of its processes."""

MACHINE = "HOWDAH_MACHINE"
"""The environment variable that holds the name of the machine that a process runs on."""

SWITCH = "switch"
"""The last part of the name of the namespace with the bridge that joins the hosts."""

CLIENT = "client"
"""The last part of the name of the namespace where jobs are submitted."""

CLIENT_GROUP = "_client"
"""The control group of what is started where jobs are submitted; no host has such a name."""

DEFAULT_NAME = "lab"
"""The laboratory that is meant where none is named."""

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?")

_OF_ROOT = Path("/run/howdah")


def check_lab_name(name: str) -> str:
    """The name, if a laboratory can have it; raises UserError if not."""
    if _NAME.fullmatch(name):
        return name
    raise UserError(
        "--name",
        f"{name!r} is not a valid name of a lab",
        "use at most 32 lower-case letters, digits and inner hyphens, such as ten-gigabit",
    )


def group_name(lab: str) -> str:
    """The laboratory's own control group, above those of its hosts."""
    return f"howdah-{lab}"


def prefix(lab: str) -> str:
    """What the names of its namespaces and disk images begin with."""
    return f"howdah-{lab}_"


def lot_of(lab: str) -> str:
    """The name of the hosts that a laboratory is the first on, which others may be on, too.

    No laboratory has such a name, so that nothing of theirs is taken for one's own.
    """
    return f"{lab}+"


def host_space(lab: str, host: str) -> str:
    """The network namespace of a physical host; also that of the machine which is this host.

    Where laboratories share it, it has the name of their lot of hosts.
    """
    return f"{prefix(lab)}host_{host}"


def machine_space(lab: str, machine: str) -> str:
    """The network namespace of a virtual machine."""
    return f"{prefix(lab)}machine_{machine}"


def image_name(lab: str, machine: str, number: int) -> str:
    """The file that holds a machine's disk, counted from 1."""
    return f"{prefix(lab)}{machine}_{number}.img"


class Entry(Model):
    """A laboratory and where its directory is."""

    name: str
    directory: Path
    """Its directory, absolute."""
    lot: str | None = None
    """The lot of hosts that it is on, where others may be on it, too."""
    seat: int = 0
    """Which of those it is that are on the lot: each has addresses of its own."""


def registry() -> Path:
    """The folder of entries; a user's own, or the machine's for root, as laboratories are."""
    if os.geteuid() == 0:
        return _OF_ROOT
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        return Path(runtime) / "howdah"
    return Path("/tmp") / f"howdah-{os.geteuid()}"


def entries() -> list[Entry]:
    """Every laboratory that was begun and not taken down, by name."""
    return [known for path in sorted(_trusted().glob("*.json")) if (known := _read(path)) is not None]


def on_lot(lot: str) -> list[Entry]:
    """The laboratories that are on a lot of hosts."""
    return [entered for entered in entries() if entered.lot == lot]


def entry(name: str) -> Entry | None:
    """The entry of a laboratory; None if there is none of this name."""
    return _read(_trusted() / f"{check_lab_name(name)}.json")


def _trusted() -> Path:
    """The registry, if it is there and nobody else could have written what it leads to: jars that are run."""
    folder = registry()
    if folder.exists() or folder.is_symlink():
        _check_owner(folder)
    return folder


def belongs_to_root(name: str) -> bool:
    """Whether there is a laboratory of this name that this user has no say in."""
    return os.geteuid() != 0 and (_OF_ROOT / f"{check_lab_name(name)}.json").exists()


def enter(name: str, directory: Path, lot: str | None = None, seat: int = 0) -> None:
    """Write a laboratory's entry; the lock is held, and that of its lot of hosts if it is on one."""
    path = registry() / f"{name}.json"
    staged = path.with_suffix(".new")
    shared = {} if lot is None else {"lot": lot, "seat": seat}
    staged.write_text(json.dumps({"name": name, "directory": str(directory), **shared}))
    staged.replace(path)


def strike(name: str) -> None:
    """Remove a laboratory's entry, as the last of all that it had; the lock is held."""
    for suffix in (".new", ".json"):
        (registry() / f"{name}{suffix}").unlink(missing_ok=True)


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Keep other commands from changing this laboratory; raises UserError while one does.

    The kernel releases the lock of a process that dies. The lock's file goes with the laboratory.
    """
    path = registry() / f"{check_lab_name(name)}.lock"
    try:
        descriptor = _locked_file(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise UserError(
            f'lab "{name}"',
            "another command is changing it",
            "wait for that command; howdah lab status shows its progress",
        ) from error
    try:
        yield
    finally:
        _let_go(path, descriptor, gone=entry(name) is None)


@contextmanager
def lot_locked(lot: str) -> Iterator[None]:
    """Keep other laboratories from changing a lot of hosts meanwhile; waits for one that does.

    Nobody holds it for longer than its network takes to be made or removed.
    """
    path = registry() / f"{lot}.lock"
    descriptor = _locked_file(path, fcntl.LOCK_EX)
    try:
        yield
    finally:
        _let_go(path, descriptor, gone=not on_lot(lot))


def _locked_file(path: Path, how: int) -> int:
    """A lock's file, opened and locked; raises BlockingIOError where somebody has it, if ``how`` says so."""
    while True:
        descriptor = _opened(path)
        try:
            fcntl.flock(descriptor, how)
        except BlockingIOError:
            os.close(descriptor)
            raise
        if _still(descriptor, path):
            return descriptor
        # Whoever held it has just removed the file: a lock on that is none.
        os.close(descriptor)


def _let_go(path: Path, descriptor: int, *, gone: bool) -> None:
    """Let go of a lock; the file goes with what it was for."""
    if gone:
        path.unlink(missing_ok=True)
        with suppress(OSError):
            path.parent.rmdir()
    os.close(descriptor)


def _opened(path: Path) -> int:
    """A lock's file, opened; whoever removed the last laboratory may be removing the folder meanwhile."""
    while True:
        try:
            _make_folder(path.parent)
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except FileNotFoundError:
            continue


def _make_folder(folder: Path) -> None:
    """Make the registry's folder if need be; nobody else may write to it."""
    try:
        # Others may look: a laboratory of root's is no secret.
        folder.mkdir(mode=0o755, parents=True)
    except FileExistsError:
        pass
    except OSError as error:
        raise UserError(
            str(folder), f"cannot be created: {error.strerror}", "set XDG_RUNTIME_DIR to your own directory"
        ) from error
    _check_owner(folder)


def _check_owner(folder: Path) -> None:
    """Raise UserError where somebody else may write to the folder."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise UserError(
            str(folder),
            "belongs to another user, or is writable by others",
            "remove it, or set XDG_RUNTIME_DIR to your own directory",
        )


def _still(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _read(path: Path) -> Entry | None:
    try:
        return Entry.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValueError):
        # A registry is replaced whole; what does not read is no entry of howdah's.
        return None


class Leftover(NamedTuple):
    """One thing of a laboratory that exists, and after removing, why it could not be removed."""

    kind: Literal["process", "mount", "loop device", "file", "network namespace", "control group"]
    name: str
    """Its name: a process's id and command, a path, a namespace."""
    why: str = ""
    """Why it is still there."""
