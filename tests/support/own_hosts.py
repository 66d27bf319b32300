"""Hosts of one's own in a small network, their plan, and the command that reaches them, as ssh would."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from howdah.documents.files import write_plan
from howdah.model.inventory import CpuLayout, DiskKind, DiskSet, HostGroup, Inventory, NicSet
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Hypervisor, PlanRequest
from howdah.planner.cluster import plan_cluster
from support.network import Network

HOSTS = ("h1", "h2", "h3", "h4")
NOMINAL = 200_000_000
SLOW = 60_000_000
"""What the slow host's port carries, bits per second."""

_SWITCH = "switch"


@dataclass(frozen=True)
class OwnHosts:
    """Four hosts with ports of 200 Mb/s, joined by a switch."""

    network: Network
    folder: Path
    plan: ClusterPlan

    @property
    def plan_file(self) -> Path:
        """The plan that says which hosts there are."""
        return self.folder / "plan.yaml"

    @property
    def reach(self) -> str:
        """The command that runs others on a host."""
        return f"sh {shlex.quote(str(self.folder / 'reach.sh'))} {{host}}"

    def port(self, host: str, state: str) -> None:
        """Switch a host's port off or on."""
        self.run("ip", "link", "set", "eth0", state, host=host)

    def run(self, *command: str, host: str) -> str:
        """What a command says on a host."""
        line = [*self.network.inside(host), *command]
        return subprocess.run(line, check=True, capture_output=True, text=True).stdout

    def at_work(self) -> list[str]:
        """The programs that measure on any of the hosts."""
        found = []
        for process in self.network.processes():
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue  # It has ended.
            if words[0] in (b"iperf3", b"ping"):
                found.append(b" ".join(words).decode())
        return found


@contextmanager
def own_hosts(folder: Path, slow: str | None = None) -> Iterator[OwnHosts]:
    """The hosts, up; ``slow`` has a port that is slower than planned."""
    group = HostGroup(
        name="workers",
        count=len(HOSTS),
        hosts=HOSTS,
        cpu=CpuLayout(sockets=1, cores_per_socket=8),
        memory="64GiB",
        disks=(DiskSet(count=4, kind=DiskKind.HDD, size="4TB"),),
        nics=(NicSet(count=1, speed=f"{NOMINAL // 10**6}Mb/s"),),
        serves="workers",
    )
    masters = group.model_copy(update={"name": "masters", "count": 1, "hosts": ("m1",), "serves": "masters"})
    inventory = Inventory(cluster="own", groups=(group, masters))
    demand = Demand(kind="terasuite", dataset_bytes=10**9)
    plan = plan_cluster(inventory, PlanRequest(workloads=(demand,), hypervisor=Hypervisor.NONE))
    with Network((_SWITCH, *HOSTS), folder) as network:
        hosts = OwnHosts(network, folder, plan)
        hosts.plan_file.write_text(write_plan(plan))
        (folder / "reach.sh").write_text(_script({host: network.inside(host) for host in HOSTS}))
        for number, host in enumerate(HOSTS):
            rate = SLOW if host == slow else NOMINAL
            held = ("root", "tbf", "rate", f"{rate}bit", "burst", "32k", "limit", "100k")
            hosts.run("tc", "qdisc", "add", "dev", "eth0", *held, host=host)
            hosts.run("tc", "qdisc", "add", "dev", f"port{number}", *held, host=_SWITCH)
        yield hosts


def _script(inside: Mapping[str, list[str]]) -> str:
    """What an administrator's own command may be: it takes a host's name and what is to run there."""
    cases = "\n".join(f'{host}) exec {shlex.join(words)} "$@";;' for host, words in inside.items())
    return f'host=$1; shift\ncase $host in\n{cases}\n*) echo "no such host: $host" >&2; exit 255;;\nesac\n'
