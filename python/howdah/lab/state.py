"""A lab's state: ``lab.json`` in its directory, which every later command reads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from howdah.errors import UserError
from howdah.lab import registry
from howdah.lab.spec import LabSpec
from howdah.model.base import Model
from howdah.model.cluster import Laboratory
from howdah.model.plan import ClusterPlan, Role

STATE = "lab.json"
"""The file's name in a lab's directory."""


class LabSystem(Model):
    """A worker or a master of a lab, in place of one operating system of the plan."""

    name: str
    kind: Literal["worker", "master"]
    """A worker with masters is a worker."""
    worker_kind: str | None = None
    """The plan's kind of worker; None for a master."""
    host: str
    """Its physical host; its own name if it is the host itself."""
    rack: str
    address: str
    """An address in the lab's network, or a loopback address without root."""
    threads: int
    """Its planned CPUs, each of which may be only part of a CPU here."""
    roles: tuple[Role, ...]
    """Its daemons, in the order of the plan."""
    directory: Path
    """The directory of its configuration, logs and data."""
    data_dirs: tuple[Path, ...] = ()
    """The mounts of its data disks; plain directories without root."""

    @property
    def conf(self) -> Path:
        """Its HADOOP_CONF_DIR, and its HBASE_CONF_DIR too."""
        return self.directory / "conf"

    @property
    def logs(self) -> Path:
        """The folder of its daemons' logs."""
        return self.directory / "logs"


class Jars(Model):
    """An installation that a lab runs."""

    home: Path
    version: str
    fetched: bool
    """Whether ``howdah hadoop fetch`` put it there."""


class LabState(Model):
    """Facts about a lab that cannot be read from the machine."""

    howdah: Literal[1] = 1
    """The layout's version."""
    name: str
    directory: Path
    """The absolute path of its directory, which contains all its files."""
    rootless: bool
    """Whether it was built without root."""
    asked: str
    """The digest of the requested plan and limits."""
    source: str
    """The plan's file, as the user gave it."""
    complete: bool
    """Whether ``up`` completed; otherwise another ``up`` continues."""
    plan: ClusterPlan
    """The plan after scaling to this machine."""
    jars: Jars
    hbase: Jars | None = None
    """Its HBase; None if the plan has none."""
    machines: tuple[LabSystem, ...]
    """Masters first, then workers in the plan's order."""
    spec: LabSpec | None
    """Its namespaces, limits and disks; None without root."""
    client_conf: Path
    """HADOOP_CONF_DIR of clients, and their HBASE_CONF_DIR too."""
    names: dict[str, str]
    """The address of every machine by its name."""
    seat: int = 0
    """Its number among the labs on shared hosts."""
    leaving: tuple[str, ...] = ()
    """Workers that are being drained."""
    notes: tuple[str, ...] = ()
    """Differences from the plan that are not numbers."""
    laboratory: Laboratory
    """Its isolation and deviations compared with the planned cluster."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Its physical hosts; a host without virtual machines has the name of its machine."""
        return tuple(dict.fromkeys(machine.host for machine in self.machines))

    @property
    def hosts_file(self) -> Path:
        """The file of all machines' names and addresses, in the format of /etc/hosts."""
        return self.directory / "hosts"

    @property
    def mark(self) -> str:
        """Its name in the environment of its processes; without root it contains the user's id."""
        return mark_of(self.name, self.rootless)

    def machine(self, name: str) -> LabSystem:
        """Return the machine of this name; raise UserError with the names if there is none."""
        for machine in self.machines:
            if machine.name == name:
                return machine
        names = ", ".join(machine.name for machine in self.machines)
        raise UserError(name, f'is not a machine of lab "{self.name}"', f"one of {names}")

    def machines_of(self, name: str) -> tuple[LabSystem, ...]:
        """Return the machine of this name, or all on the host of this name; raise UserError otherwise."""
        machines = tuple(machine for machine in self.machines if name in (machine.name, machine.host))
        if machines:
            return machines
        hint = (
            f"one of {', '.join(dict.fromkeys([*(machine.name for machine in self.machines), *self.hosts]))}"
        )
        raise UserError(name, f'is not a machine or host of lab "{self.name}"', hint)

    def write(self) -> None:
        """Write ``lab.json`` atomically."""
        path = self.directory / STATE
        staged = path.with_suffix(".new")
        staged.write_text(self.model_dump_json(indent=1))
        staged.replace(path)


def mark_of(lab: str, rootless: bool) -> str:
    """Return the name of this user's lab in the environment of its processes."""
    return f"{lab}@{os.geteuid()}" if rootless else lab


def read_state(directory: Path) -> LabState | None:
    """Return the state in a directory's ``lab.json``; None if there is none.

    Raises UserError if it is damaged or of another version; ``lab down`` does not need it.
    """
    path = directory / STATE
    try:
        return LabState.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValidationError as error:
        raise UserError(
            str(path), "is damaged, or from another version of howdah", "howdah lab down, then up again"
        ) from error


def find(name: str) -> LabState | None:
    """Return the lab of this name, begun or complete; None if there is none."""
    entry = registry.entry(name)
    return read_state(entry.directory) if entry else None
