"""The domains that libvirt is given."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from howdah.documents.files import read_inventory
from howdah.model.request import Demand, Hypervisor, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.render.cluster import render
from support.shared_labs import shared_plans

EXAMPLES = Path(__file__).parents[3] / "examples"
WORKLOADS = {"mapreduce": Demand(kind="terasuite"), "hbase": Demand(kind="ycsb")}


def domains(example: str, workload: str) -> dict[str, str]:
    request = PlanRequest(hypervisor=Hypervisor.KVM, workloads=(WORKLOADS[workload],))
    plan = plan_cluster(read_inventory(EXAMPLES / f"hosts-{example}.yaml"), request)
    files = {file.path: file.content for file in render(plan).files}
    return {path: content for path, content in files.items() if Path(path).match("hypervisor/*.xml")}


@pytest.mark.skipif(
    # The one is a script that asks the other.
    not all(map(shutil.which, ("virt-xml-validate", "xmllint"))),
    reason="needs virt-xml-validate (libvirt-clients) and xmllint (libxml2-utils)",
)
@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("example", ["32", "7", "hbase", "nvme", "mixed"])
def test_libvirt_accepts_every_domain(example: str, workload: str, tmp_path: Path) -> None:
    rendered = domains(example, workload)
    assert rendered
    for content in rendered.values():
        path = tmp_path / "domain.xml"
        path.write_text(content)
        done = subprocess.run(
            ["virt-xml-validate", path, "domain"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr + content


def test_every_data_disk_has_a_thread_a_place_and_a_serial_number_of_its_own() -> None:
    (content,) = domains("32", "mapreduce").values()
    disks = ElementTree.fromstring(content).findall("devices/disk")
    targets = [target.get("dev") for disk in disks if (target := disk.find("target")) is not None]
    threads = [driver.get("iothread") for disk in disks if (driver := disk.find("driver")) is not None]
    assert targets == ["vda", "vdb", "vdc", "vdd", "vde", "vdf"]
    assert threads == [None, "1", "2", "3", "4", "5"]
    assert [disk.findtext("serial") for disk in disks[1:]] == [f"data-0{number}" for number in range(1, 6)]


def test_how_a_machine_is_held_to_its_part_of_the_ports_is_said_where_hosts_are_shared(
    tmp_path: Path,
) -> None:
    for plan in shared_plans(tmp_path):
        (content,) = [
            file.content for file in render(plan).files if Path(file.path).match("hypervisor/*.xml")
        ]
        assert "50.0 Mb/s are this machine's part" in " ".join(content.split())
        assert '<bandwidth><inbound average="6250"/><outbound average="6250"/></bandwidth>' in content
        # It is said and not done: without it a machine may have what others leave.
        assert ElementTree.fromstring(content).find(".//bandwidth") is None
    assert not any("bandwidth" in content for content in domains("lab", "mapreduce").values())
