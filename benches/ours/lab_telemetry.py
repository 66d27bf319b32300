"""howdah's telemetry of a laboratory, by itself: two hosts with two workers each, and a master.

``python -m benches.ours.lab_telemetry INTERVAL_S SECONDS FOLDER`` prints the CPU time it took as JSON.
Control groups, links and namespaces are those of a laboratory; its daemons are stood in for by one
process that answers what real ones answered, and whose time is not counted. Needs root.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benches.ours.sampling import sample
from howdah.lab.kernel import cgroups, network
from howdah.lab.kernel.cgroups import ControlGroup, machine_group
from howdah.lab.registry import host_space
from howdah.lab.state import HostSpec, LabSpec, MachineSpec
from howdah.services.web import Web
from howdah.telemetry.lab import LabMachine, lab_sources
from howdah.telemetry.processes import grouped_lab
from howdah.telemetry.source import Source, shared_machine

_NAME = f"bench-{os.getpid()}"
_BEANS = Path(__file__).parents[2] / "tests/data/hadoop-3.5.0/jmx.json"
_WORKER, _MASTER = ("datanode", "nodemanager"), ("namenode", "resourcemanager", "historyserver")


def _spec(folder: Path) -> LabSpec:
    hosts = [HostSpec(name=host, virtual=True, cpus=0.5, uplink_bits_per_s=10**9) for host in ("h1", "h2")]
    workers = [("h1-1", "h1"), ("h1-2", "h1"), ("h2-1", "h2"), ("h2-2", "h2")]
    machines = [
        MachineSpec(name=name, host=host, address=f"10.77.0.{number}", cpus=0.25)
        for number, (name, host) in enumerate(workers, start=1)
    ]
    master = MachineSpec(name="m1", host="m1", address="10.77.0.9")
    return LabSpec(
        name=_NAME,
        directory=folder.absolute(),
        hosts=(*hosts, HostSpec(name="m1", virtual=False, cpus=0.5)),
        machines=(*machines, master),
    )


def _machines(spec: LabSpec, ports: Mapping[str, int]) -> Iterator[LabMachine]:
    """As a run on a laboratory samples it, with a disk of this machine in place of each of four."""
    disk = next(path.name for path in sorted(Path("/sys/class/block").iterdir()))
    for host in spec.hosts:
        if host.virtual:
            groups = ControlGroup.of(spec.name, host.name).paths
            space = network.SPACES / host_space(spec.name, host.name)
            yield LabMachine(host.name, 0.5, 2**34, groups, space, network.UPLINK)
    for machine in spec.machines:
        daemons = _MASTER if machine.name == "m1" else _WORKER
        yield LabMachine(
            machine.name,
            0.25,
            2**33,
            machine_group(spec, machine).paths,
            network.SPACES / network.space(spec, machine),
            network.INTERFACE,
            {f"disk{number}": disk for number in (1, 2, 3, 4)},
            {name: f"http://127.0.0.1:{ports[name]}" for name in daemons},
        )


def _beneath(spec: LabSpec) -> tuple[Source, ...]:
    """This machine as it is sampled beneath a laboratory, of which each disk is one of this machine's."""
    disk = next(path.name for path in sorted(Path("/sys/class/block").iterdir()))
    return shared_machine(
        "beneath", grouped_lab(ControlGroup.of(spec.name).paths, [disk] * 4 * len(spec.machines))
    )


@contextmanager
def _daemons() -> Iterator[Mapping[str, int]]:
    """The ports of the stand-ins by the daemon's name."""
    command = [sys.executable, "-m", "benches.ours.daemons", str(_BEANS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())
        finally:
            process.terminate()


def _measure(interval_s: float, seconds: float, folder: Path) -> dict[str, float]:
    spec = _spec(folder)
    try:
        cgroups.build(spec)
        network.build(spec)
        with _daemons() as ports, Web() as web:
            sources = (*lab_sources(tuple(_machines(spec, ports)), web), *_beneath(spec))
            return sample(sources, interval_s, seconds, folder)
    finally:
        network.remove(spec.name)
        cgroups.remove(spec.name)


if __name__ == "__main__":
    print(json.dumps(_measure(float(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3]))))
