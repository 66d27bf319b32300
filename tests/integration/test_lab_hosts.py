"""The hosts of a laboratory, built for real: what they are held to, and that nothing of them stays."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.lab.kernel import cgroups, disks, namespaces, network
from howdah.lab.kernel.cgroups import machine_group
from howdah.lab.machines import build_hosts, remove_hosts, survey_hosts
from howdah.lab.state import LabSpec
from howdah.units import MIB
from support import lab_hosts, transfer

pytestmark = pytest.mark.skipif(
    not lab_hosts.can_build(), reason="needs root, network namespaces, tbf, loop devices and XFS"
)

RATE = 20_000_000
TRIES = 40

TAKE = """
import sys
held = bytearray(int(sys.argv[1]))
held[::4096] = bytes(len(held[::4096]))
print("held")
"""

# Does part of the work of a laboratory, as long as it is let live.
WORK = """
import sys
from howdah.lab.machines import build_hosts, remove_hosts
from howdah.lab.state import LabSpec
spec = LabSpec.model_validate_json(sys.argv[1])
print("ready", flush=True)
"""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Callable[..., LabSpec]]:
    """Builds laboratories in the test's directory, and removes what is left of them."""
    built: list[LabSpec] = []

    def build(**wanted: object) -> LabSpec:
        spec = lab_hosts.lab_spec(tmp_path, **wanted)  # type: ignore[arg-type]
        built.append(spec)
        build_hosts(spec, lambda said: None)
        return spec

    yield build
    for spec in built:
        assert remove_hosts(spec.name, spec.directory) == ()


def inside(spec: LabSpec, machine: str, *command: str) -> str:
    line = [*namespaces.entry(spec, machine, lab_hosts.names_file(spec)), *command]
    return subprocess.run(line, check=True, capture_output=True, text=True).stdout


@contextmanager
def started(line: Sequence[str], folder: Path | None = None) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def within(wanted: float, share: float, measure: Callable[[], float]) -> None:
    """Measure until it is as wanted: a busy machine may keep a limit from being reached, never lift it."""
    found = []
    for _ in range(TRIES):
        found.append(measure())
        assert found[-1] < wanted * (1 + share), found
        if found[-1] > wanted * (1 - share):
            return
    pytest.fail(f"{found}, not {wanted} within {share:.0%}")


def test_a_machine_has_its_own_name_address_and_limits(lab: Callable[..., LabSpec]) -> None:
    spec = lab(cpus=0.5, memory_bytes=256 * MIB)

    told = inside(
        spec, "h1-w2", "sh", "-c", "hostname; ip -brief address; getent hosts h2-w1; cat /proc/self/cgroup"
    )

    assert told.splitlines()[0] == "h1-w2"
    assert "10.77.0.2/16" in told
    assert "10.77.0.3" in told
    assert f"/howdah-{spec.name}/h1/h1-w2" in told


def test_a_machine_has_its_own_kernel_settings_of_the_network(lab: Callable[..., LabSpec]) -> None:
    own = Path("/proc/sys/net/ipv4/tcp_retries2")
    before = own.read_text()
    spec = lab()

    assert inside(spec, "h1-w2", "cat", str(own)).strip() == "5"
    assert own.read_text() == before


def test_links_carry_what_they_are_held_to_and_no_more_both_ways_at_once(lab: Callable[..., LabSpec]) -> None:
    rate = 100_000_000
    spec = lab(uplink_bits_per_s=rate)

    def slowest_way() -> float:
        return min(transfer.bits_per_s(spec, [("h1-w1", "h2-w1"), ("h2-w1", "h1-w1")]))

    within(rate, 0.1, slowest_way)
    assert transfer.bits_per_s(spec, [("h1-w1", "h1-w2")])[0] > 2 * rate


def test_a_native_host_s_own_link_is_held(lab: Callable[..., LabSpec]) -> None:
    rate = 50_000_000
    spec = lab(virtual=False, uplink_bits_per_s=rate)

    within(rate, 0.1, lambda: transfer.bits_per_s(spec, [("h1", "h2")])[0])


def test_a_machine_gets_its_share_of_cpu_and_its_host_s_holds_for_all_its_machines(
    lab: Callable[..., LabSpec],
) -> None:
    spec = lab(cpus=0.25, host_cpus=0.4)
    machine = machine_group(spec, spec.machines[0])
    host = cgroups.ControlGroup.of(spec.name, "h1")

    with spinning(spec, "h1-w1"):
        assert_held(machine, 0.25)
        with spinning(spec, "h1-w2"):
            assert_held(host, 0.4)


@contextmanager
def spinning(spec: LabSpec, machine: str) -> Iterator[None]:
    line = [*namespaces.entry(spec, machine, lab_hosts.names_file(spec)), "sh", "-c", "while :; do :; done"]
    with started(line):
        yield


def assert_held(group: cgroups.ControlGroup, cpus: float) -> None:
    """Within 10 %: never more than its quota, and all of it in each period that the quota ended.

    A busy machine may give it less; then no quota ends the period.
    """
    held = tries = 0
    while held == 0 and tries < TRIES:
        tries += 1
        used, periods, began = cpu_seconds(group), throttled(group), time.monotonic()
        time.sleep(2)
        used, periods, elapsed = (
            cpu_seconds(group) - used,
            throttled(group) - periods,
            time.monotonic() - began,
        )
        assert used < 1.1 * cpus * elapsed
        assert used > 0.9 * cpus * (periods - 1) * 0.1
        held += periods
    assert held > 0


def cpu_seconds(group: cgroups.ControlGroup) -> float:
    path = group.paths["cpuacct"]
    if (path / "cpuacct.usage").exists():
        return int((path / "cpuacct.usage").read_text()) / 1e9
    return statistic(path, "usage_usec") / 1e6


def throttled(group: cgroups.ControlGroup) -> int:
    return statistic(group.paths["cpu"], "nr_throttled")


def statistic(path: Path, name: str) -> int:
    return int(dict(line.split() for line in (path / "cpu.stat").read_text().splitlines())[name])


def test_a_process_that_takes_more_memory_than_its_machine_has_is_killed(lab: Callable[..., LabSpec]) -> None:
    spec = lab(memory_bytes=64 * MIB)

    assert inside(spec, "h1-w1", sys.executable, "-c", TAKE, str(16 * MIB)) == "held\n"
    with pytest.raises(subprocess.CalledProcessError) as error:
        inside(spec, "h1-w1", sys.executable, "-c", TAKE, str(128 * MIB))
    assert error.value.returncode == -signal.SIGKILL


@pytest.mark.parametrize("how", ["oflag=direct", "conv=fsync"])
def test_a_disk_writes_at_its_speed_direct_and_buffered(lab: Callable[..., LabSpec], how: str) -> None:
    spec = lab(disks=1, disk_bytes_per_s=RATE)
    file = spec.machines[0].disks[0].mount / "file"

    within(RATE, 0.15, lambda: dd(spec, "if=/dev/zero", f"of={file}", how))


def test_a_disk_writes_back_at_its_speed_what_nobody_waits_for(lab: Callable[..., LabSpec]) -> None:
    spec = lab(disks=1, disk_bytes_per_s=RATE)
    mount = spec.machines[0].disks[0].mount

    def write_and_sync() -> float:
        began = time.monotonic()
        dd(spec, "if=/dev/zero", f"of={mount}/file")
        os.sync()
        return 40 * MIB / (time.monotonic() - began)

    within(RATE, 0.15, write_and_sync)


def test_a_disk_reads_at_its_speed(lab: Callable[..., LabSpec]) -> None:
    spec = lab(disks=1, disk_bytes_per_s=RATE)
    file = spec.machines[0].disks[0].mount / "file"
    dd(spec, "if=/dev/zero", f"of={file}", "oflag=direct")

    within(RATE, 0.15, lambda: dd(spec, f"if={file}", "of=/dev/null", "iflag=direct"))


def dd(spec: LabSpec, *arguments: str) -> float:
    began = time.monotonic()
    inside(spec, spec.machines[0].name, "dd", "bs=1M", "count=40", *arguments)
    return 40 * MIB / (time.monotonic() - began)


def test_disks_are_made_as_planned_or_say_why_not(tmp_path: Path, lab: Callable[..., LabSpec]) -> None:
    spec = lab(disks=2)

    again = build_hosts(spec, lambda said: None)

    assert [(one.key, one.planned, one.used) for one in again] == [
        ("mkfs.options", "-d agcount=1", "-d agcount=2")
    ]
    mounts = [disk.mount for machine in spec.machines for disk in machine.disks]
    assert sorted(disks.devices(spec)) == sorted(mounts)
    assert len(set(disks.devices(spec).values())) == len(mounts)
    told = subprocess.run(["xfs_info", str(mounts[0])], capture_output=True, text=True, check=True).stdout
    assert "agcount=2" in told


def test_building_twice_makes_nothing_new_and_keeps_what_is_on_disks(lab: Callable[..., LabSpec]) -> None:
    spec = lab(disks=1)
    kept = spec.machines[0].disks[0].mount / "kept"
    kept.write_text("kept")
    before = survey_hosts(spec.name, spec.directory)

    build_hosts(spec, lambda said: None)

    assert survey_hosts(spec.name, spec.directory) == before
    assert kept.read_text() == "kept"


def test_building_again_makes_what_is_missing(lab: Callable[..., LabSpec]) -> None:
    spec = lab(disks=1, uplink_bits_per_s=100_000_000)
    before = set(survey_hosts(spec.name, spec.directory))
    mount = spec.machines[0].disks[0].mount
    subprocess.run(["umount", str(mount)], check=True)
    subprocess.run(["ip", "netns", "delete", network.space(spec, spec.machines[1])], check=True)
    assert set(survey_hosts(spec.name, spec.directory)) < before

    build_hosts(spec, lambda said: None)

    assert set(survey_hosts(spec.name, spec.directory)) == before
    assert inside(spec, "h1-w2", "sh", "-c", "ip -brief address").count("10.77.0.2/16") == 1


def test_removing_ends_whoever_is_inside(lab: Callable[..., LabSpec]) -> None:
    spec = lab(disks=1)
    mount = spec.machines[0].disks[0].mount
    line = [
        *namespaces.entry(spec, "h1-w1", lab_hosts.names_file(spec)),
        "sh",
        "-c",
        f"cd {mount}; echo in; sleep 600",
    ]
    with started(line) as shell:
        assert shell.stdout is not None
        assert shell.stdout.readline() == "in\n"
        assert shell.pid in machine_group(spec, spec.machines[0]).processes()

        assert remove_hosts(spec.name, spec.directory) == ()

        assert shell.wait() == -signal.SIGKILL
    assert lab_hosts.traces(spec) == ""


def test_removing_names_who_holds_a_disk_goes_on_and_ends_when_it_is_let_go(
    lab: Callable[..., LabSpec],
) -> None:
    spec = lab(disks=1)
    mount = spec.machines[0].disks[0].mount
    with started(["sleep", "600"], mount) as stranger:
        left = remove_hosts(spec.name, spec.directory)

        assert [one.kind for one in left] == ["mount", "loop device"]
        assert left[0].why == f"is in use by {stranger.pid} (sleep)"
        assert stranger.poll() is None
        assert {one.kind for one in survey_hosts(spec.name, spec.directory)} == {
            "mount",
            "loop device",
            "file",
        }
    assert remove_hosts(spec.name, spec.directory) == ()
    assert lab_hosts.traces(spec) == ""


def test_a_disk_goes_although_a_program_with_mounts_of_its_own_saw_it(lab: Callable[..., LabSpec]) -> None:
    spec = lab(disks=1)
    line = ["unshare", "--mount", "--propagation", "slave", "sh", "-c", "echo in; exec sleep 600"]
    with started(line) as stranger:
        assert stranger.stdout is not None
        assert stranger.stdout.readline() == "in\n"

        assert remove_hosts(spec.name, spec.directory) == ()

        assert stranger.poll() is None
    assert lab_hosts.traces(spec) == ""


def test_who_keeps_a_disk_mounted_for_itself_is_named(lab: Callable[..., LabSpec]) -> None:
    spec = lab(disks=1)
    line = ["unshare", "--mount", "--propagation", "private", "sh", "-c", "echo in; exec sleep 600"]
    with started(line) as stranger:
        assert stranger.stdout is not None
        assert stranger.stdout.readline() == "in\n"

        left = remove_hosts(spec.name, spec.directory)

        assert {(one.kind, one.why) for one in left} == {
            ("loop device", f"is mounted for {stranger.pid} (sleep)")
        }
    assert remove_hosts(spec.name, spec.directory) == ()


def test_removing_twice_and_what_never_was_is_no_error(lab: Callable[..., LabSpec], tmp_path: Path) -> None:
    spec = lab(disks=1)

    assert remove_hosts(spec.name, spec.directory) == ()
    assert remove_hosts(spec.name, spec.directory) == ()
    assert remove_hosts("never-was", tmp_path / "nowhere") == ()
    assert remove_hosts("never-was", None) == ()


def test_removing_leaves_another_laboratory_alone(lab: Callable[..., LabSpec]) -> None:
    spec = lab(disks=1)
    before = survey_hosts(spec.name, spec.directory)

    # Its name begins like the other's.
    assert remove_hosts(spec.name[:-1], None) == ()

    assert survey_hosts(spec.name, spec.directory) == before


def test_removing_from_inside_is_refused(lab: Callable[..., LabSpec]) -> None:
    spec = lab()
    code = "import sys; from howdah.lab.machines import remove_hosts; remove_hosts(sys.argv[1], None)"

    with pytest.raises(subprocess.CalledProcessError) as error:
        inside(spec, "h1-w1", sys.executable, "-c", code, spec.name)

    assert "this command runs inside the lab" in error.value.stderr


@pytest.mark.parametrize("seed", range(4))
def test_killed_at_any_moment_building_and_removing_leave_nothing(tmp_path: Path, seed: int) -> None:
    spec = lab_hosts.lab_spec(tmp_path, disks=1, uplink_bits_per_s=10**9, disk_bytes_per_s=RATE, cpus=0.5)
    before = lab_hosts.traces(spec)
    chance = random.Random(seed)

    for work in ("build_hosts(spec, print)", "remove_hosts(spec.name, spec.directory)"):
        kill_midway(spec, work, chance.uniform(0, 0.4))

    assert remove_hosts(spec.name, spec.directory) == ()
    assert survey_hosts(spec.name, spec.directory) == ()
    assert lab_hosts.traces(spec) == before


def kill_midway(spec: LabSpec, work: str, after_s: float) -> None:
    line = [sys.executable, "-c", WORK + work, spec.model_dump_json()]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
        time.sleep(after_s)
        worker.kill()


def test_this_process_joins_the_client_s_network(lab: Callable[..., LabSpec]) -> None:
    spec = lab()
    code = (
        "import socket, sys\n"
        "from howdah.lab.kernel.namespaces import join_network\n"
        "join_network(sys.argv[1])\n"
        "print(socket.create_server(('10.77.255.254', 0)).getsockname()[0])"
    )

    done = subprocess.run([sys.executable, "-c", code, spec.name], capture_output=True, text=True, check=True)

    assert done.stdout == "10.77.255.254\n"
    with pytest.raises(UserError, match="no such lab is up"):
        namespaces.join_network("never-was")


def test_disks_that_do_not_fit_are_refused_before_anything_is_made(tmp_path: Path) -> None:
    spec = lab_hosts.lab_spec(tmp_path, disks=1)
    machine = spec.machines[0]
    huge = machine.disks[0].model_copy(update={"size_bytes": 10**18})
    spec = spec.model_copy(update={"machines": (machine.model_copy(update={"disks": (huge,)}),)})

    with pytest.raises(UserError, match="may grow by 1000 PB") as error:
        build_hosts(spec, lambda said: None)

    assert "fewer hosts or smaller disks" in error.value.hint
    assert survey_hosts(spec.name, tmp_path) == ()


def test_a_mount_that_holds_files_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    spec = lab_hosts.lab_spec(tmp_path, disks=1)
    mount = spec.machines[0].disks[0].mount
    mount.mkdir(parents=True)
    (mount / "mine").write_text("mine")

    with pytest.raises(UserError, match="is not empty"):
        build_hosts(spec, lambda said: None)

    assert survey_hosts(spec.name, tmp_path) == ()
    assert (mount / "mine").read_text() == "mine"


def test_a_mount_that_is_another_s_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    spec = lab_hosts.lab_spec(tmp_path, disks=1)
    mount = spec.machines[0].disks[0].mount
    mount.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "another's", str(mount)], check=True)
    try:
        with pytest.raises(UserError, match="is already a mount point"):
            build_hosts(spec, lambda said: None)
    finally:
        subprocess.run(["umount", str(mount)], check=True)

    assert survey_hosts(spec.name, tmp_path) == ()


def test_options_that_mkfs_refuses_are_named(tmp_path: Path) -> None:
    spec = lab_hosts.lab_spec(tmp_path, disks=1)
    spec = spec.model_copy(
        update={"format": spec.format.model_copy(update={"mkfs_options": ("-d", "agcount=x")})}
    )

    try:
        with pytest.raises(UserError, match=r"mkfs.options: mkfs.xfs refuses '-d agcount=x'"):
            build_hosts(spec, lambda said: None)
    finally:
        assert remove_hosts(spec.name, tmp_path) == ()
