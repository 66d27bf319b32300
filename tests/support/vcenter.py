"""govmomi's simulator of vCenter with hosts of its own, and plans and sites for them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from howdah.documents.files import write_plan
from howdah.model.inventory import Inventory
from howdah.model.plan import ClusterPlan
from howdah.model.request import Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from support.patience import PATIENCE_S
from support.plans import group

PROGRAM = Path(__file__).parents[2] / "build" / "vcsim"
USER, PASSWORD = "howdah", "right"
HOSTS = ("w1.example.com", "w2.example.com", "w3.example.com")

STORED = 'datastores: ["{host}-data-[01-20]"]\n    disk_size: 1GiB'
"""What the simulator's hosts give to data disks."""

needs_vcsim = pytest.mark.skipif(not PROGRAM.exists(), reason="needs build/vcsim: make build/stamps/vcsim")


class VCenterSimulator(NamedTuple):
    """A simulator that runs: where it listens, and the certificate that it shows."""

    endpoint: str
    ca_file: Path


@contextmanager
def vcenter(folder: Path, *, hosts: Sequence[str] = HOSTS, **more: object) -> Iterator[VCenterSimulator]:
    """A simulator that lives as long as the block; ``more`` are its program's own flags."""
    flags = [
        f"-{name}={value}" for name, value in {"hosts": ",".join(hosts), "folder": folder, **more}.items()
    ]
    with subprocess.Popen(
        [PROGRAM, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        endpoint, ca_file = process.stdout.readline().split()
        try:
            yield VCenterSimulator(endpoint, Path(ca_file))
        finally:
            process.stdin.close()
            process.wait(timeout=PATIENCE_S)


def virtual_plan(
    hypervisor: Hypervisor = Hypervisor.VSPHERE,
    *,
    hosts: Sequence[str] = HOSTS,
    workers_per_host: int = 2,
    protection: Protection = Protection.NONE,
) -> ClusterPlan:
    """Hosts of the vSphere 6 study, divided."""
    request = PlanRequest(
        hypervisor=hypervisor, workers_per_host=workers_per_host, protection=protection, replication=2
    )
    inventory = Inventory(cluster="sample", groups=(group("w", len(hosts), hosts),))
    return plan_cluster(inventory, request)


def site_text(
    ca_file: Path, *, more: str = "", hosts: str = "w[1-3].example.com", disks: str = STORED
) -> str:
    """A site for the simulator's hosts, with an address for whatever machine they carry.

    Data disks are in datastores: the simulator ends where it is given a raw device map.
    """
    return f"""howdah: 1
vcenter:
  datacenter: DC0
  cluster: DC0_C0
  template: debian-12
  port_group: DC0_DVPG0
  user: {USER}
  ca_file: {ca_file}
network: {{prefix: 16, gateway: 10.0.0.1, name_servers: [10.0.0.2]}}
ssh:
  keys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBp admin@example.com"]
{more}hosts:
  - hosts: ["{hosts}"]
    system_datastore: LocalDS_0
    {disks}
machines:
  - {{names: ["w[1-3]-1.example.com"], address: 10.0.1.1, mac: "00:50:56:00:01:01"}}
  - {{names: ["w[1-3]-2.example.com"], address: 10.0.2.1}}
  - {{names: ["w[1-3]-nn1.example.com"], address: 10.0.3.1}}
  - {{names: ["w[1-3]-rm1.example.com"], address: 10.0.4.1}}
"""


def write_case(folder: Path, plan: ClusterPlan, site: str) -> None:
    """plan.yaml, site.yaml and the password's file."""
    (folder / "plan.yaml").write_text(write_plan(plan))
    (folder / "site.yaml").write_text(site)
    secret = folder / "password"
    secret.touch(mode=0o600)
    secret.write_text(f"{PASSWORD}\n")
