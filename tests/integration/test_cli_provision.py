"""``howdah provision`` against govmomi's simulator of vCenter, as a user runs it."""

from __future__ import annotations

import base64
import json
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from howdah.model.inventory import Inventory
from howdah.model.request import Demand, Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.provision.vsphere.session import VCenterLogin, logged_in, properties, vim, wait_for
from support.command import HOWDAH, environment, howdah
from support.plans import group
from support.terminal import AtTerminal, at_terminal
from support.vcenter import (
    HOSTS,
    PASSWORD,
    USER,
    VCenterSimulator,
    needs_vcsim,
    site_text,
    vcenter,
    virtual_plan,
    write_case,
)

pytestmark = needs_vcsim


@pytest.fixture
def simulator(tmp_path: Path) -> Iterator[VCenterSimulator]:
    (tmp_path / "vcenter").mkdir()
    with vcenter(tmp_path / "vcenter") as running:
        write_case(tmp_path, virtual_plan(), site_text(running.ca_file))
        yield running


def _provision(
    folder: Path, simulator: VCenterSimulator, *more: str, command: str = "provision"
) -> subprocess.CompletedProcess[str]:
    words = ("provision", "plan.yaml") if command == "provision" else ("check", "--plan", "plan.yaml")
    return howdah(
        *words, "--vcenter", simulator.endpoint, "--password-file", "password", *more, cwd=folder
    )  # fmt: skip


def _machines(content: Any) -> dict[str, Any]:
    there = properties(content, vim.VirtualMachine, content.rootFolder, ("name",))
    return {given["name"]: one for one, given in there.items()}


def _login(simulator: VCenterSimulator) -> VCenterLogin:
    return VCenterLogin(simulator.endpoint, USER, PASSWORD, simulator.ca_file)


def _doing(folder: Path, simulator: VCenterSimulator) -> dict[str, str]:
    shown = json.loads(_provision(folder, simulator, "--dry-run", "--json").stdout)
    return {change["name"]: change["doing"] for change in shown["changes"]}


def test_machines_are_made_as_planned_and_then_left_alone(
    tmp_path: Path, simulator: VCenterSimulator
) -> None:
    shown = _provision(tmp_path, simulator, "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "17 to make, 0 to change, 0 as planned" in shown.stdout
    with logged_in(_login(simulator)) as content:
        assert set(_machines(content)) == {"debian-12"}
    done = _provision(tmp_path, simulator, "--yes")
    assert done.returncode == 0, done.stderr
    assert "done    all machines were verified: 0 to make, 0 to change, 17 as planned" in done.stdout
    assert PASSWORD not in done.stdout + done.stderr
    again = _provision(tmp_path, simulator, "--yes")
    assert (again.returncode, again.stderr) == (0, "")
    assert set(_doing(tmp_path, simulator).values()) == {"leave"}


def test_every_value_reaches_the_api(tmp_path: Path) -> None:
    request = PlanRequest(
        hypervisor=Hypervisor.VSPHERE, workers_per_host=2, replication=2, workloads=(Demand(kind="ycsb"),)
    )
    # High latency sensitivity takes a core for each virtual CPU: the hosts need more than the plan's.
    with vcenter(tmp_path, cores=40) as simulator:
        plan = plan_cluster(Inventory(cluster="sample", groups=(group("w", len(HOSTS), HOSTS),)), request)
        write_case(tmp_path, plan, site_text(simulator.ca_file, more="pin_numa: true\n"))
        done = _provision(tmp_path, simulator, "--yes")
        assert done.returncode == 0, done.stderr
        with logged_in(_login(simulator)) as content:
            _compare(_machines(content)["w2-1.example.com"], plan.workers[0].vcpus or 0)


def _compare(machine: Any, vcpus: int) -> None:
    """One machine, value by value, as vSphere's own client would show it."""
    config = machine.config
    options = {option.key: option.value for option in config.extraConfig}
    devices = {device.key: device for device in config.hardware.device}
    assert machine.runtime.host.name == "w2.example.com"
    assert machine.runtime.powerState == "poweredOn"
    assert machine.parent.name == "howdah"
    assert machine.resourcePool.name == "howdah"
    assert config.hardware.numCPU == vcpus
    assert config.memoryAllocation.reservation == config.hardware.memoryMB
    assert config.memoryReservationLockedToMax
    assert config.latencySensitivity.level == "high"
    assert config.cpuAllocation.reservation == vcpus * (machine.runtime.host.hardware.cpuInfo.hz // 10**6)
    assert config.flags.diskUuidEnabled
    assert options["howdah.cluster"] == "sample"
    assert options["numa.nodeAffinity"] == "0"
    assert options["numa.memory.gransize"] == "1024"
    assert options["sched.mem.prealloc"] == "TRUE"
    spread: dict[int, list[int]] = {}
    for disk in devices.values():
        bus = getattr(devices.get(disk.controllerKey), "busNumber", 0)
        if isinstance(disk, vim.vm.device.VirtualDisk) and bus:
            assert isinstance(devices[disk.controllerKey], vim.vm.device.ParaVirtualSCSIController)
            assert disk.backing.datastore.name.startswith("w2-data-")
            spread.setdefault(bus, []).append(disk.unitNumber)
    assert spread == {1: [0, 1, 2, 3], 2: [0, 1, 2], 3: [0, 1, 2]}
    (card,) = [one for one in devices.values() if isinstance(one, vim.vm.device.VirtualEthernetCard)]
    assert isinstance(card, vim.vm.device.VirtualVmxnet3)
    assert card.macAddress == "00:50:56:00:01:02"
    told = json.loads(base64.b64decode(options["guestinfo.metadata"]))
    assert told["local-hostname"] == "w2-1.example.com"
    assert told["network"]["ethernets"]["howdah0"]["addresses"] == ["10.0.1.2/16"]
    assert base64.b64decode(options["guestinfo.userdata"]).startswith(b"#cloud-config\n{")
    cluster = machine.runtime.host.parent.configurationEx
    rules = {rule.name: rule for rule in cluster.rule}
    assert rules["howdah sample: stay on w2.example.com"].mandatory
    groups = {group.name: group for group in cluster.group}
    assert machine in groups["howdah sample: machines of w2.example.com"].vm
    assert {one.key: one.dasSettings.restartPriority for one in cluster.dasVmConfig}[machine] == "disabled"


def test_what_drifted_is_found_and_mended(tmp_path: Path, simulator: VCenterSimulator) -> None:
    assert _provision(tmp_path, simulator, "--yes").returncode == 0
    sound = _provision(tmp_path, simulator, command="check")
    assert (sound.returncode, "0 fail" in sound.stdout) == (0, True), sound.stdout + sound.stderr
    with logged_in(_login(simulator)) as content:
        machines = _machines(content)
        # The simulator sets what such a key names: its machines have no tools by themselves.
        tools = vim.option.OptionValue(key="SET.guest.toolsRunningStatus", value="guestToolsRunning")
        none = vim.ResourceAllocationInfo(reservation=0)
        spec = vim.vm.ConfigSpec(memoryAllocation=none, extraConfig=[tools])
        wait_for(machines["w1-2.example.com"].ReconfigVM_Task(spec), "test")
        wait_for(machines["w3-1.example.com"].PowerOffVM_Task(), "test")
    found = _provision(tmp_path, simulator, "--json", command="check")
    assert found.returncode == 1
    failed = [check for check in json.loads(found.stdout)["checks"] if check["verdict"] == "fail"]
    assert {(check["where"], check["about"], check["found"]) for check in failed} == {
        ("w1-2.example.com", "memory reserved", "0 MiB"),
        ("w3-1.example.com", "power", "off"),
    }
    mended = _provision(tmp_path, simulator, "--yes")
    assert mended.returncode == 0, mended.stderr
    assert "will be shut down for the change and started again" in mended.stdout
    assert "shut down w1-2.example.com" in mended.stderr
    assert set(_doing(tmp_path, simulator).values()) == {"leave"}


def test_only_what_howdah_made_is_removed(tmp_path: Path, simulator: VCenterSimulator) -> None:
    assert _provision(tmp_path, simulator, "--yes").returncode == 0
    with logged_in(_login(simulator)) as content:
        machines = _machines(content)
        others = vim.vm.CloneSpec(
            location=vim.vm.RelocateSpec(pool=machines["w1-1.example.com"].resourcePool)
        )
        folder = machines["w1-1.example.com"].parent
        wait_for(machines["debian-12"].CloneVM_Task(folder, "somebody-elses", others), "test")
    asked = _provision(tmp_path, simulator, "--destroy")
    assert asked.returncode == 2
    assert "machine w3-2.example.com on w3.example.com" in asked.stdout
    assert "--yes: is missing" in asked.stderr
    # What machines were made of may be gone by then.
    site = tmp_path / "site.yaml"
    site.write_text(site.read_text().replace("template: debian-12", "template: debian-11"))
    done = _provision(tmp_path, simulator, "--destroy", "--yes")
    assert done.returncode == 0, done.stderr
    with logged_in(_login(simulator)) as content:
        assert set(_machines(content)) == {"debian-12", "somebody-elses"}
        cluster = _machines(content)["somebody-elses"].runtime.host.parent
        assert not cluster.configurationEx.rule
        assert not cluster.configurationEx.group
        assert folder in _folders(content), "it holds was not created by howdah machine"
    # What still holds somebody else's is not asked for again and again.
    assert _provision(tmp_path, simulator, "--destroy", "--yes").stdout == "nothing to remove\n"


def test_a_strangers_machine_of_the_same_name_hides_none_of_ours(
    tmp_path: Path, simulator: VCenterSimulator
) -> None:
    assert _provision(tmp_path, simulator, "--yes").returncode == 0
    with logged_in(_login(simulator)) as content:
        template = _machines(content)["debian-12"]
        pool = template.runtime.host.parent.resourcePool
        for name in ("a-team", "z-team"):
            # Whichever of the names comes last.
            folder = template.parent.CreateFolder(name)
            machine = wait_for(template.CloneVM_Task(folder, f"of-{name}", _clone(pool)), "test")
            wait_for(machine.Rename_Task("w3-2.example.com"), "test")
    assert set(_doing(tmp_path, simulator).values()) == {"leave"}
    done = _provision(tmp_path, simulator, "--destroy", "--yes")
    assert done.returncode == 0, done.stderr
    assert "removed w3-2.example.com" in done.stderr
    with logged_in(_login(simulator)) as content:
        left = properties(content, vim.VirtualMachine, content.rootFolder, ("name",))
        assert sorted(given["name"] for given in left.values()) == [
            "debian-12", "w3-2.example.com", "w3-2.example.com",
        ]  # fmt: skip


def test_memory_of_machines_that_are_no_longer_planned_is_taken(
    tmp_path: Path, simulator: VCenterSimulator
) -> None:
    assert _provision(tmp_path, simulator, "--yes").returncode == 0
    write_case(tmp_path, virtual_plan(workers_per_host=1), (tmp_path / "site.yaml").read_text())
    done = _provision(tmp_path, simulator, "--dry-run")
    assert done.returncode == 2, done.stdout
    assert "host w1.example.com: has " in done.stderr
    assert "of which others reserve" in done.stderr


def _clone(pool: Any) -> Any:
    return vim.vm.CloneSpec(location=vim.vm.RelocateSpec(pool=pool))


def _folders(content: Any) -> dict[Any, dict[str, Any]]:
    return properties(content, vim.Folder, content.rootFolder, ("name",))


def test_a_machine_of_somebody_elses_is_left_alone(tmp_path: Path, simulator: VCenterSimulator) -> None:
    with logged_in(_login(simulator)) as content:
        template = _machines(content)["debian-12"]
        pool = template.runtime.host.parent.resourcePool
        wait_for(template.CloneVM_Task(template.parent, "w1-1.example.com", _clone(pool)), "test")
    done = _provision(tmp_path, simulator, "--yes")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "error: machine w1-1.example.com: already exists and was not created by howdah"
    )
    with logged_in(_login(simulator)) as content:
        assert set(_machines(content)) == {"debian-12", "w1-1.example.com"}


@pytest.mark.parametrize(
    ("site", "said"),
    [
        (
            ("template: debian-12", "template: debian-13"),
            "site.yaml: vcenter.template: there is no 'debian-13'",
        ),
        (("cluster: DC0_C0", "cluster: DC0_C1"), "site.yaml: vcenter.cluster: there is no 'DC0_C1'"),
        (("DC0_DVPG0", "hadoop"), "site.yaml: vcenter.port_group: there is no 'hadoop'"),
        (("LocalDS_0", "LocalDS_9"), "host w1.example.com: has no access to LocalDS_9"),
        (("{host}-data-[", "{host}-disk-["), "host w1.example.com: has no access to w1-disk-01"),
        (("1GiB", "8PB"), "host w1.example.com: has "),
        (("w[1-3]-2", "w[1-3]-3"), "site.yaml: machine w1-2.example.com: has no address in the site"),
        (("prefix: 16", "prefix: 16x"), "site.yaml:9:19: network.prefix: '16x' is not a whole number"),
        (
            (f"user: {USER}", f"user: {USER}\n  password: x"),
            "site.yaml:8:13: vcenter.password: a site contains no",
        ),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_made(
    tmp_path: Path, simulator: VCenterSimulator, site: tuple[str, str], said: str
) -> None:
    file = tmp_path / "site.yaml"
    assert site[0] in file.read_text()
    file.write_text(file.read_text().replace(*site))
    done = _provision(tmp_path, simulator, "--yes")
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(f"error: {said}")
    with logged_in(_login(simulator)) as content:
        assert set(_machines(content)) == {"debian-12"}


def test_a_plan_for_other_hosts_or_with_more_memory_is_refused(
    tmp_path: Path, simulator: VCenterSimulator
) -> None:
    elsewhere = site_text(simulator.ca_file).replace("w[1-3]", "v[1-3]")
    write_case(
        tmp_path, virtual_plan(hosts=("v1.example.com", "v2.example.com", "v3.example.com")), elsewhere
    )
    done = _provision(tmp_path, simulator, "--yes")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "error: host v1.example.com: is unknown; known hosts: w[1-3].example.com; as well: "
    )
    (tmp_path / "small").mkdir()
    with vcenter(tmp_path / "small", memory=128) as small:
        write_case(tmp_path, virtual_plan(), site_text(small.ca_file))
        done = _provision(tmp_path, small, "--yes")
    assert done.returncode == 2
    assert "error: host w1.example.com: has 128 GiB of memory; its machines reserve 241 GiB" in done.stderr


def test_passwords_are_right_and_kept_secret(tmp_path: Path, simulator: VCenterSimulator) -> None:
    secret = tmp_path / "password"
    secret.write_text("hunter2\n")
    wrong = _provision(tmp_path, simulator, "--yes")
    assert wrong.returncode == 2
    assert f"rejects the password of {USER}" in wrong.stderr
    assert "hunter2" not in wrong.stdout + wrong.stderr
    secret.chmod(0o644)
    open_to_all = _provision(tmp_path, simulator, "--yes")
    assert open_to_all.returncode == 2
    assert open_to_all.stderr.startswith("error: --password-file password: is readable by other users")
    missing = howdah("provision", "plan.yaml", "--vcenter", simulator.endpoint, cwd=tmp_path)
    assert missing.returncode == 2
    assert missing.stderr.startswith("error: --password-file: is missing")


def _at_a_terminal(folder: Path, simulator: VCenterSimulator, *answers: str) -> AtTerminal:
    return at_terminal("provision", "plan.yaml", "--vcenter", simulator.endpoint, cwd=folder, answers=answers)


def test_at_a_terminal_the_password_is_asked_for_and_nothing_is_done_unasked(
    tmp_path: Path, simulator: VCenterSimulator
) -> None:
    code, shown = _at_a_terminal(tmp_path, simulator, PASSWORD, "n")
    assert f"Password of {USER}" in shown
    assert "Create and change these machines?" in shown
    assert PASSWORD not in shown
    assert (code, "nothing was changed" in shown) == (130, True)
    with logged_in(_login(simulator)) as content:
        assert set(_machines(content)) == {"debian-12"}
    code, shown = _at_a_terminal(tmp_path, simulator, PASSWORD, "y")
    assert (code, "done    all machines were verified" in shown) == (0, True), shown


def test_a_vcenter_that_is_not_there_or_not_trusted(tmp_path: Path, simulator: VCenterSimulator) -> None:
    nobody = howdah(
        "provision", "plan.yaml", "--vcenter", "127.0.0.1:9", "--password-file", "password", cwd=tmp_path
    )  # fmt: skip
    assert nobody.returncode == 1
    assert nobody.stderr.startswith("error: --vcenter 127.0.0.1:9: cannot be reached")
    file = tmp_path / "site.yaml"
    file.write_text(file.read_text().replace(f"  ca_file: {simulator.ca_file}\n", ""))
    stranger = _provision(tmp_path, simulator, "--yes")
    assert stranger.returncode == 2
    assert "presents an untrusted certificate" in stranger.stderr


def test_fault_tolerance_is_refused_with_the_reason(tmp_path: Path) -> None:
    plan = virtual_plan(workers_per_host=4, protection=Protection.FT)
    for name, flags, said in (
        ("without", {}, "cannot run w1-nn1.example.com with Fault Tolerance: its API reports"),
        ("claimed", {"ft": "true"}, "cannot be mirrored: this vCenter has no Fault Tolerance"),
    ):
        folder = tmp_path / name
        folder.mkdir()
        with vcenter(folder, **flags) as running:
            site = site_text(running.ca_file).replace("  ca_file", "  high_availability: true\n  ca_file")
            more = "".join(
                f'  - {{names: ["w[1-3]-{number}.example.com"], address: 10.0.{4 + number}.1}}\n'
                for number in (3, 4)
            )
            write_case(folder, plan, site + more)
            done = _provision(folder, running, "--yes")
            assert said in done.stderr
            assert "plan with --protect-masters ha" in done.stderr


@pytest.mark.parametrize("seed", range(3))
def test_what_a_killed_run_left_is_ended_by_the_next(tmp_path: Path, seed: int) -> None:
    moments = random.Random(seed)
    (tmp_path / "vcenter").mkdir()
    with vcenter(tmp_path / "vcenter", delay=60) as running:
        write_case(tmp_path, virtual_plan(), site_text(running.ca_file))
        for _ in range(3):
            with subprocess.Popen(
                [
                    HOWDAH, "provision", "plan.yaml", "--vcenter", running.endpoint,
                    "--password-file", "password", "--yes",
                ],
                cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(),
            ) as process:  # fmt: skip
                time.sleep(moments.uniform(0.6, 2.0))
                process.send_signal(signal.SIGKILL)
        done = _provision(tmp_path, running, "--yes")
        assert done.returncode == 0, done.stderr
        assert set(_doing(tmp_path, running).values()) == {"leave"}
        with logged_in(_login(running)) as content:
            assert len(_machines(content)) == 1 + 2 * len(HOSTS)
