"""A laboratory as it was built: ``lab.json`` in its directory, which every later command reads."""

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
"""The file's name in a laboratory's directory."""


class LabSystem(Model):
    """A worker or a master of the laboratory: what stands for one operating system of the plan."""

    name: str
    kind: Literal["worker", "master"]
    """What it is in the plan; a worker that masters share is a worker."""
    worker_kind: str | None = None
    """The plan's kind of worker; none on a master."""
    host: str
    """The physical host it is on; its own name where it is the host itself."""
    rack: str
    address: str
    """Its address: of the laboratory's own network, or a loopback address without root."""
    threads: int
    """The CPUs that the plan gives it, whatever part of one each is worth here."""
    roles: tuple[Role, ...]
    """The daemons it runs, in the order of the plan."""
    directory: Path
    """Its own directory, below which its configuration, logs and data are."""
    data_dirs: tuple[Path, ...] = ()
    """Where its data disks are mounted; plain directories without root."""

    @property
    def conf(self) -> Path:
        """Its HADOOP_CONF_DIR, and its HBASE_CONF_DIR too."""
        return self.directory / "conf"

    @property
    def logs(self) -> Path:
        """Where its daemons log to, a file each."""
        return self.directory / "logs"


class Jars(Model):
    """The installation that runs in the laboratory, to be found again by later commands."""

    home: Path
    version: str
    fetched: bool
    """Whether ``howdah hadoop fetch`` put it there."""


class LabState(Model):
    """Everything about a laboratory that cannot be found by looking at the machine."""

    howdah: Literal[1] = 1
    """The layout's version."""
    name: str
    directory: Path
    """Its directory, absolute; everything it needs is below it."""
    rootless: bool
    """Whether it was built without root."""
    asked: str
    """The digest of what was asked for; another plan or other limits give another one."""
    source: str
    """The plan's file, as it was named."""
    complete: bool
    """Whether ``up`` came to its end; if not, another ``up`` goes on."""
    plan: ClusterPlan
    """The plan as it was built, small enough for this machine."""
    jars: Jars
    """The Hadoop it runs."""
    hbase: Jars | None = None
    """The HBase it runs; none where the plan has none."""
    machines: tuple[LabSystem, ...]
    """Its machines: masters first, then workers in the plan's order."""
    spec: LabSpec | None
    """What the kernel holds for it: namespaces, limits, disks; none without root."""
    client_conf: Path
    """HADOOP_CONF_DIR of clients, and their HBASE_CONF_DIR too."""
    names: dict[str, str]
    """The address of every machine by its name."""
    seat: int = 0
    """Which of the laboratories on its lot of hosts it is, if it is on one."""
    leaving: tuple[str, ...] = ()
    """Workers whose data and tasks go elsewhere, before they are taken away."""
    notes: tuple[str, ...] = ()
    """What no number says of how it differs from the plan."""
    laboratory: Laboratory
    """What is like the planned cluster and what is not."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Its physical hosts; one without virtual machines has the name of its machine."""
        return tuple(dict.fromkeys(machine.host for machine in self.machines))

    @property
    def hosts_file(self) -> Path:
        """The names of all machines with their addresses, as /etc/hosts has them."""
        return self.directory / "hosts"

    @property
    def mark(self) -> str:
        """What its processes carry as its name; without root each user has laboratories of their own."""
        return mark_of(self.name, self.rootless)

    def machine(self, name: str) -> LabSystem:
        """The machine of this name; raises UserError that lists them if there is none."""
        for machine in self.machines:
            if machine.name == name:
                return machine
        names = ", ".join(machine.name for machine in self.machines)
        raise UserError(name, f'is not a machine of lab "{self.name}"', f"one of {names}")

    def machines_of(self, name: str) -> tuple[LabSystem, ...]:
        """The machine of this name, or all on the host of this name; raises UserError that lists both."""
        machines = tuple(machine for machine in self.machines if name in (machine.name, machine.host))
        if machines:
            return machines
        hint = (
            f"one of {', '.join(dict.fromkeys([*(machine.name for machine in self.machines), *self.hosts]))}"
        )
        raise UserError(name, f'is not a machine or host of lab "{self.name}"', hint)

    def write(self) -> None:
        """Write ``lab.json``, whole or not at all."""
        path = self.directory / STATE
        staged = path.with_suffix(".new")
        staged.write_text(self.model_dump_json(indent=1))
        staged.replace(path)


def mark_of(lab: str, rootless: bool) -> str:
    """What the processes of a laboratory of this user carry as its name."""
    return f"{lab}@{os.geteuid()}" if rootless else lab


def read_state(directory: Path) -> LabState | None:
    """The state that ``lab.json`` of a directory holds; None where there is none.

    Raises UserError for one that is damaged or another howdah's: ``lab down`` does not need it.
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
    """The laboratory of this name, begun or complete; None if there is none that could be read."""
    entry = registry.entry(name)
    return read_state(entry.directory) if entry else None
