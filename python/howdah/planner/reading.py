"""What exists as rules read it: values of keys, hosts that files name, file systems of data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import NamedTuple

from howdah.model.existing import ExistingSystem, FoundConfig, FoundProperty
from howdah.model.host import Disk, FileSystem, Host
from howdah.model.hostname import host_of
from howdah.model.plan import Input, Value
from howdah.releases.catalogue import spark_size
from howdah.releases.values import read_bool, read_float, read_list, read_size

_SLASHES = re.compile("/+")


Values = Mapping[str, object]  # What a function puts into the words of its rule, by the names in braces.
_NO_VALUES: Values = MappingProxyType({})


class Observation(NamedTuple):
    """One thing an inspection saw: whether it will do, what it is and where, and what would be right.

    ``ok`` is None if it is unknown; ``expected`` then names what is missing. An empty
    ``expected`` or ``fix`` stands for the text in the rule's file, the one called ``words`` of several, with
    ``values`` in it.
    """

    ok: bool | None
    about: str
    found: str
    expected: str = ""
    fix: str = ""
    where: str = ""
    inputs: tuple[Input, ...] = ()
    values: Values = _NO_VALUES
    words: str = ""


_NO_CONFIG = FoundConfig(folder="", properties=(), files=())


class Inspected:
    """A configuration, a host or both as rules read them; what is absent or has no such form is None.

    Without a configuration, ``config`` is empty.
    """

    def __init__(self, existing: ExistingSystem) -> None:
        self.config: FoundConfig = existing.config or _NO_CONFIG
        self.host: Host | None = existing.host
        self.effective = self.config.effective  # The active properties, variables replaced.
        self.properties = self.config.properties  # Every property of every file.
        self.environment = self.config.environment  # The variables that environment files set.

    @property
    def has_config(self) -> bool:
        """Whether there is a configuration."""
        return self.config is not _NO_CONFIG

    def has(self, file: str) -> bool:
        """Whether a file of this name was read."""
        return any(name.endswith(file) for name in self.config.files)

    def text(self, key: str) -> str | None:
        """The value as written."""
        winner = self.config.property(key)
        return winner.text if winner else None

    def where(self, key: str) -> str:
        """The file and line that decide it; empty where none does."""
        winner = self.config.property(key)
        return winner.place if winner else ""

    def verdict(
        self,
        key: str,
        ok: bool | None,
        *,
        found: str | None = None,
        default: str = "",
        expected: str = "",
        fix: str = "",
        elsewhere: str = "",
        inputs: tuple[Input, ...] = (),
        words: str = "",
        values: Values = _NO_VALUES,
        **named_values: object,
    ) -> Observation:
        """The verdict on a key, at the place that decides it, or ``elsewhere`` where no file has it.

        Unless ``found`` is given, it is the text of the key, or the release's ``default``.
        """
        unset = f"{default} (default)" if default else "not set"
        text = found if found is not None else self.text(key) or unset
        where, both = self.where(key) or elsewhere, {**values, **named_values}
        return Observation(ok, key, text, expected, fix, where, inputs, both, words)

    def number(self, key: str) -> float | None:
        """A plain number."""
        return read_float((self.text(key) or "").strip())

    def size(self, key: str) -> int | None:
        """A number of bytes, with a binary prefix or without: ``256m``."""
        text = (self.text(key) or "").strip()
        return spark_size(key, text) if key.startswith("spark.") else read_size(text)

    def truth(self, key: str) -> bool | None:
        """``true`` or ``false``."""
        return read_bool((self.text(key) or "").strip())

    def parts(self, key: str) -> tuple[str, ...]:
        """The parts of a list with commas; none where it is absent."""
        return read_list(self.text(key) or "")

    def folders(self, key: str) -> tuple[str, ...]:
        """The paths of a list of directories; none where it is absent."""
        text = self.text(key)
        return path_list(text) if text else ()

    def variable(self, name: str) -> str | None:
        """The value that an environment file gives to a variable; the last one wins."""
        entry = self._variable(name)
        return entry.text if entry else None

    def variable_where(self, name: str) -> str:
        """The file and line that give it; empty where none does."""
        entry = self._variable(name)
        return entry.place if entry else ""

    def _variable(self, name: str) -> FoundProperty | None:
        return next((entry for entry in reversed(self.environment) if entry.name == name), None)

    @cached_property
    def worker_hosts(self) -> frozenset[str]:
        """The hosts that files of workers list, without those that call themselves localhost."""
        return frozenset(map(host_of, self.config.workers)) - HERE

    @cached_property
    def named_hosts(self) -> frozenset[str]:
        """The hosts of workers and masters that a configuration names."""
        entries = self.effective or self.properties
        named = {entry.text for entry in entries if entry.name == "dfs.nameservices"}
        services = {service.lower() for text in named for service in read_list(text)}
        addresses = {
            entry.text for entry in entries if _MASTERS.fullmatch(entry.name) and "${" not in entry.text
        }
        return self.worker_hosts | (set(map(host_of, addresses)) - HERE - services - {""})

    @property
    def has_several_hosts(self) -> bool:
        """Whether the files name two hosts at least, which then read the same configuration."""
        return len(self.named_hosts) > 1

    @property
    def data_mounts(self) -> tuple[FileSystem, ...]:
        """The file systems that hold data: those the configuration names, else all but the system's."""
        if self.host is None:
            return ()
        if dirs := data_dirs(self.config):
            mounts = map(self.host.mount_of, dirs)
            return tuple({mount.mount: mount for mount in mounts if isinstance(mount, FileSystem)}.values())
        file_systems = (mount for mount in self.host.file_systems if mount.kind not in _NO_DATA)
        return tuple(mount for mount in file_systems if not is_system(mount.mount))

    @property
    def data_disks(self) -> tuple[Disk, ...]:
        """The disks below the file systems that hold data."""
        names = {name for mount in self.data_mounts for name in mount.disks or (mount.disk,)}
        return tuple(disk for disk in (self.host.disks if self.host else ()) if disk.name in names)

    @property
    def data_places(self) -> frozenset[PurePosixPath]:
        """Where data disks are mounted: by the host's mounts, or else where the directories' paths part."""
        folders = data_dirs(self.config)
        if self.host is not None:
            mounts = map(self.host.mount_of, folders)
            return frozenset(PurePosixPath(mount.mount) for mount in mounts if mount is not None)
        if len(folders) < 2:
            return frozenset(folders)
        shared = 0
        while len({folder.parts[: shared + 1] for folder in folders}) == 1:
            shared += 1
        return frozenset(PurePosixPath(*folder.parts[: shared + 1]) for folder in folders)

    def on_workers(self, hosts: Iterable[str]) -> bool:
        """Whether these hosts may have a DataNode: not if the files list workers without them."""
        workers = {worker.lower() for worker in self.config.workers}
        return not workers or not workers.isdisjoint(hosts)

    def below_data(self, folders: Iterable[PurePosixPath], hosts: Iterable[str]) -> list[PurePosixPath]:
        """Those of the folders of daemons on these hosts that lie on a disk of blocks."""
        if not self.on_workers(hosts):
            return []
        disks = self.data_places - {PurePosixPath("/")}
        return [folder for folder in folders if any(folder.is_relative_to(disk) for disk in disks)]

    def is_remote(self, folder: PurePosixPath) -> bool:
        """Whether the host has the folder from another one, over the network; no where no host is known."""
        mount = self.host.mount_of(folder) if self.host is not None else None
        return mount is not None and mount.kind.startswith(_REMOTE)


_SYSTEM = re.compile(r"/((boot|dev|efi|etc|home|nix|opt|proc|root|run|snap|sys|tmp|usr|var)(/.*)?)?")
_NO_DATA = frozenset({"vfat", "iso9660", "squashfs", "udf"})
_REMOTE = ("nfs", "cifs", "smb", "ceph", "gluster", "lustre", "9p")
"""How the kinds of file systems begin that another host holds."""
_SHOWN = 3


HERE = frozenset({"localhost", "127.0.0.1", "0.0.0.0", "::1", "::"})
"""Names of a host for itself, and of all of its addresses."""
_MASTERS = re.compile(
    r"fs\.defaultFS|dfs\.namenode\.(rpc|http|https)-address(\..+)?|dfs\.namenode\.secondary\.https?-address"
    r"|yarn\.resourcemanager\.(hostname|address)(\..+)?|mapreduce\.jobhistory\.address"
)


def value_list(value: Value) -> tuple[str, ...]:
    """The parts of a value, which is a list or Hadoop's comma-separated text."""
    return value if isinstance(value, tuple) else read_list(str(value))


def path_list(value: Value) -> tuple[str, ...]:
    """The paths of a list of directories."""
    # Hadoop writes ``[SSD]file:///data/01`` for ``/data/01``.
    paths = (part.rpartition("]")[2].strip().removeprefix("file:") for part in value_list(value))
    return tuple(_SLASHES.sub("/", path) for path in paths)


def is_temporary(path: str) -> bool:
    """Whether a path is below a directory that is emptied at boot, or by a cleaner.

    What begins with Java's own directory is, by default.
    """
    return path.startswith("${java.io.tmpdir}") or any(
        path == place or path.startswith(f"{place}/") for place in ("/tmp", "/var/tmp", "/run", "/dev/shm")
    )


def entry_verdict(
    entry: FoundProperty,
    ok: bool | None,
    *,
    about: str | None = None,
    found: str | None = None,
    words: str = "",
    values: Values = _NO_VALUES,
    **named_values: object,
) -> Observation:
    """The verdict on one ``entry`` of a file, with its name, text and place."""
    both = {"entry": entry, **values, **named_values}
    about = entry.name if about is None else about
    shown = entry.text if found is None else found
    return Observation(ok, about, shown, where=entry.place, values=both, words=words)


def data_dirs(config: FoundConfig) -> tuple[PurePosixPath, ...]:
    """The DataNode's directories; entries with a variable are left out, because its value is unknown here."""
    entry = config.property("dfs.datanode.data.dir")
    paths = path_list(entry.text) if entry else ()
    return tuple(PurePosixPath(path) for path in paths if path.startswith("/") and "${" not in path)


def is_system(mount: str) -> bool:
    """Whether the operating system lives on this mount."""
    return _SYSTEM.fullmatch(mount) is not None


def group_observations(judged: Iterable[tuple[str, bool | None, str]]) -> Iterator[Observation]:
    """One observation for all things, by their names, of which the same was found, or is unknown."""
    groups: dict[tuple[bool | None, str], list[str]] = {}
    for name, ok, text in judged:
        groups.setdefault((ok, text), []).append(name)
    for (ok, text), names in groups.items():
        few = ", ".join(names) if len(names) <= _SHOWN else f"{names[0]} … {names[-1]} ({len(names)})"
        yield Observation(ok, few, text, words="unknown" if ok is None else "known")
