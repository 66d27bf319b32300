"""Virtual machines are called after their hosts, and never as another host is."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.model.inventory import Inventory
from howdah.model.request import Hypervisor, PlanRequest
from howdah.planner.cluster import plan_cluster


def inventory(*hosts: str) -> Inventory:
    group = {
        "name": "hosts",
        "count": len(hosts),
        "hosts": list(hosts),
        "cpu": {"sockets": 2, "cores_per_socket": 10, "threads_per_core": 2},
        "memory": "256GiB",
        "disks": [{"count": 20, "kind": "hdd", "size": "600GB"}],
        "nics": [{"count": 2, "speed": "10Gb/s"}],
    }
    return Inventory.model_validate({"groups": [group]})


@pytest.mark.parametrize("taken", ["w-1", "w-4", "W-2"])
def test_a_host_called_as_a_virtual_machine_would_be_is_refused(taken: str) -> None:
    said = r"a virtual machine on w would be called \S+, which is a host"
    with pytest.raises(UserError, match=said) as caught:
        plan_cluster(inventory("w", taken, "v", "u"), PlanRequest(hypervisor=Hypervisor.VSPHERE))
    assert caught.value.where == "groups.hosts"


def test_native_workers_need_no_names_of_their_own() -> None:
    plan = plan_cluster(inventory("w", "w-1", "v", "u"), PlanRequest(hypervisor=Hypervisor.NONE))
    assert plan.platform == "native"
