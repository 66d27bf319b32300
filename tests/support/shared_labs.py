"""Two clusters that share their hosts, and laboratories of them as they are written down."""

from __future__ import annotations

from pathlib import Path

from howdah.documents.files import read_inventory, read_plan, write_plan
from howdah.lab import registry
from howdah.lab.machines import Power, host_specs, machine_specs, machines
from howdah.lab.shared_hosts import LabPlace
from howdah.lab.state import LabSpec, LabState
from howdah.model.inventory import Inventory
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Hypervisor, Override, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.session.plan_requests import RequestedShare, plan_shared
from support.labs import lab_state, soon_settings

SHARED_HOSTS = Path(__file__).parents[2] / "examples/hosts-lab-shared.yaml"
KVM = PlanRequest(
    hypervisor=Hypervisor.KVM, replication=2, workloads=(Demand(kind="terasuite", dataset_bytes=10**8),)
)
STORAGE = KVM.model_copy(update={"workloads": (Demand(kind="storage"),)})
QUARTER = Power(0.25, lambda disks: disks.outer_bytes_per_s or 1)


def shared_pair(
    folder: Path, request: PlanRequest = KVM, *, quick: bool = False, hosts: Inventory | None = None
) -> tuple[Path, Path]:
    """The plans of clusters a and b, each with a half of the example's hosts, as files.

    With ``quick`` they start with less to compile and wait less, for a laboratory of a few minutes.
    """
    paths = folder / "a.yaml", folder / "b.yaml"
    for path, share, beside in ((paths[0], 50, ()), (paths[1], None, paths[:1])):
        asked = RequestedShare(share, beside, path.stem)
        inventory = hosts or read_inventory(SHARED_HOSTS)
        plan = plan_shared(plan_cluster, asked, inventory, request)
        if quick:
            insisted = tuple(Override(key=key, value=value) for key, value in soon_settings(plan).items())
            plan = plan_shared(
                plan_cluster, asked, inventory, request.model_copy(update={"overrides": insisted})
            )
        path.write_text(write_plan(plan), encoding="utf-8")
    return paths


def shared_plans(folder: Path, request: PlanRequest = KVM) -> tuple[ClusterPlan, ClusterPlan]:
    """The same as plans."""
    first, second = shared_pair(folder, request)
    return read_plan(first), read_plan(second)


def begun_lab(name: str, directory: Path, plan: ClusterPlan, place: LabPlace) -> LabState:
    """A laboratory of a plan at a place as it is written down, with nothing behind it."""
    directory.mkdir(exist_ok=True)
    placed = machines(plan, directory, place.first_machine)
    spec = LabSpec(
        name=name,
        directory=directory,
        hosts=place.cabled(tuple(host_specs(plan.cluster, placed, QUARTER))),
        machines=tuple(machine_specs(plan, placed, QUARTER)),
        client_address=str(place.client_address),
        lot=place.lot,
    )
    state = lab_state(directory, plan).model_copy(
        update={
            "name": name,
            "machines": placed,
            "spec": spec,
            "seat": place.seat,
            "names": {machine.name: machine.address for machine in placed},
        }
    )
    state.write()
    return state


def lab_traces_of_lot(name: str) -> list[str]:
    """What there is of the hosts that a laboratory was the first on."""
    lot = registry.shared_name(name)
    spaces = Path("/run/netns").glob(f"howdah-{lot}_*")
    return sorted(str(path) for path in (*spaces, *Path("/run/howdah").glob(f"{lot}.*")))
