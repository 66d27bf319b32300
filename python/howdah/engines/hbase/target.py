"""The HBase that a run goes to, and the machines that ask it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from howdah.installation.installation import HBaseInstallation
from howdah.installation.java_programs import java_command
from howdah.model.cluster import Laboratory
from howdah.model.workloads.ycsb_options import MOST_CLIENTS
from howdah.telemetry.server_logs import ServerLogs
from howdah.telemetry.source import Follow, Source

_TABLES = "HBaseTables"


@dataclass(frozen=True)
class ClientPlace:
    """A machine of HBase's clients."""

    name: str
    """Its name, as the plan has it."""
    prefix: tuple[str, ...] = ()
    """The beginning of a command line that runs there."""
    environment: Mapping[str, str] | None = None
    """All that a program finds there; howdah's own environment where it is None."""
    options: tuple[str, ...] = ()
    """Options of every JVM there."""


def places_here(name: str) -> tuple[ClientPlace, ...]:
    """Return clients on this machine, each with its own name."""
    return tuple(
        ClientPlace(f"{name} {number}" if number > 1 else name) for number in range(1, MOST_CLIENTS + 1)
    )


@dataclass(frozen=True)
class HBaseTarget:
    """All that the engine needs of a cluster."""

    installation: HBaseInstallation
    """The jars that clients run from, with YCSB's and howdah's own classes."""
    conf_dir: Path
    """The client's configuration directory, which is only read."""
    places: tuple[ClientPlace, ...]
    """The machines that may ask, in the order in which they are taken."""
    sources: Sequence[Source] = ()
    """The sources that are sampled while operations run."""
    logs: Sequence[ServerLogs] = ()
    """The daemons' logs, where they can be read."""
    follow: Follow | None = None
    """Detects machines that join or leave."""
    lab: Laboratory | None = None
    """The isolation and deviations of a lab; None for a user's cluster."""
    heal: Callable[[], None] | None = None
    """Reverts all faults and injects no more; None without faults."""

    def java(self, place: ClientPlace, main: str, *arguments: str, options: Sequence[str] = ()) -> list[str]:
        """The command line of a Java program on a machine."""
        command = java_command(
            self.installation, self.conf_dir, main, *arguments, options=(*place.options, *options)
        )
        return [*place.prefix, *command]

    def admin_command(self) -> list[str]:
        """The command line of the administration client."""
        return self.java(self.places[0], _TABLES, options=("-Xmx256m", "-XX:+UseSerialGC"))
