"""Devices of a laboratory's machines on this kernel: control groups, a held link, a loop device."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from howdah.lab.kernel import cgroups
from howdah.lab.kernel.cgroups import ControlGroup
from howdah.telemetry.device import Device, VolumeDevice
from howdah.telemetry.lab import CgroupCpuDevice, CgroupMemoryDevice
from howdah.telemetry.nic import LinkDevice
from howdah.telemetry.processes import GroupDevice
from support.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")

MIB = 2**20

_SPIN = "import time\nend = time.monotonic() + 3\nwhile time.monotonic() < end: pass"
_HOLD = f"import time\nb = b'x' * {64 * MIB}\nprint(flush=True)\ntime.sleep(60)"
_TAKE = (
    "import socket\nc, _ = socket.create_server(('10.99.0.2', 5000)).accept()\nwhile c.recv(1 << 20): pass"
)
_PING = "import socket\nsocket.socket(type=socket.SOCK_DGRAM).sendto(b'x' * 1000, ('10.99.0.2', 9))"
_SEND = (
    "import socket, time\n"
    "for _ in range(100):\n"
    "    try: s = socket.create_connection(('10.99.0.2', 5000)); break\n"
    "    except OSError: time.sleep(0.1)\n"
    "s.sendall(b'x' * 4_000_000)"
)


def run(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def inside(group: ControlGroup, code: str) -> subprocess.Popen[str]:
    """A Python program in a control group."""
    script = "".join(f"echo $$ > {path} && " for path in group.entrances) + 'exec "$@"'
    command = ["sh", "-c", script, "sh", sys.executable, "-c", code]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@contextmanager
def started(device: Device) -> Iterator[Callable[[], dict[str, float]]]:
    """A device that was ticked once; calling it ticks it again."""
    device.start()
    try:
        device.tick()
        yield lambda: dict(device.tick())
    finally:
        device.stop()


@pytest.fixture
def group() -> Iterator[ControlGroup]:
    """A machine's group with a fifth of a CPU."""
    name = f"test-{os.getpid()}"
    made = ControlGroup.of(name, "h1", "w1")
    if not made.paths.keys() >= {"cpu", "memory"}:
        pytest.skip("this kernel has no control groups for CPU and memory")
    made.create()
    made.limit_cpu(0.2)
    try:
        yield made
    finally:
        assert cgroups.remove(name) == ()


def test_cpu_of_a_group_that_is_held_back(group: ControlGroup) -> None:
    with started(CgroupCpuDevice(group.paths, 0.2)) as tick:
        begin = time.monotonic()
        inside(group, _SPIN).communicate()
        elapsed_s = time.monotonic() - begin
        values = tick()
    used_s = values["cpu/all/user_s"] + values["cpu/all/system_s"]
    # It spins for three seconds and gets a fifth of them, or less where others are busy.
    assert 0.1 < used_s < 0.2 * elapsed_s + 0.2
    assert values["cpu/all/throttled_s"] > 0
    assert used_s + values["cpu/all/idle_s"] == pytest.approx(0.2 * elapsed_s, rel=0.15, abs=0.1)


def test_what_a_group_uses_of_the_machine_beneath_it(group: ControlGroup) -> None:
    """The laboratory's own group, above those of its machines, has all that they used."""
    above = ControlGroup.of(f"test-{os.getpid()}").paths
    with started(GroupDevice(above)) as tick, started(CgroupCpuDevice(group.paths, 0.2)) as machine:
        inside(group, _SPIN).communicate()
        values, below = tick(), machine()
    used_s = below["cpu/all/user_s"] + below["cpu/all/system_s"]
    assert values["own/lab/cpu_s"] == pytest.approx(used_s, abs=0.05)
    assert values["own/lab/cpu_s"] > 0.1


def test_memory_of_a_group(group: ControlGroup) -> None:
    with started(CgroupMemoryDevice(group.paths["memory"], 2**30)) as tick:
        before = tick()["memory/used_bytes"]
        process = inside(group, _HOLD)
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "\n"
            values = tick()
        finally:
            process.kill()
            process.communicate()
    assert 64 * MIB < values["memory/used_bytes"] - before < 110 * MIB
    assert values["memory/available_bytes"] == 2**30 - values["memory/used_bytes"]


@pytest.fixture
def spaces() -> Iterator[tuple[str, str]]:
    """Two network namespaces with a cable between them, held to 20 Mbit/s out of the first."""
    near, far = f"howdah-test-{os.getpid()}-a", f"howdah-test-{os.getpid()}-b"
    with ExitStack() as stack:
        for name in (near, far):
            run("ip", "netns", "add", name)
            stack.callback(run, "ip", "netns", "delete", name)
        run("ip", "link", "add", "eth0", "netns", near, "type", "veth", "peer", "name", "eth0", "netns", far)
        for name, address in ((near, "10.99.0.1/24"), (far, "10.99.0.2/24")):
            run("ip", "-n", name, "address", "add", address, "dev", "eth0")
            run("ip", "-n", name, "link", "set", "eth0", "up")
        limit = ("rate", "20mbit", "burst", "32kb", "latency", "200ms")
        run("tc", "-n", near, "qdisc", "add", "dev", "eth0", "root", "tbf", *limit)
        yield near, far


def test_a_link_held_to_its_speed(spaces: tuple[str, str]) -> None:
    """All that was sent is counted, and it waits in the queue while it is sent."""
    near, far = spaces
    taker, sender = (
        subprocess.Popen(["ip", "netns", "exec", space, sys.executable, "-c", code])
        for space, code in ((far, _TAKE), (near, _SEND))
    )
    waiting = 0.0
    with started(LinkDevice(Path("/run/netns", near), "eth0")) as tick:
        while sender.poll() is None:
            waiting = max(waiting, tick()["nic/eth0/queue_bytes"])
            time.sleep(0.05)
        assert taker.wait(PATIENCE_S) == sender.returncode == 0
        values = tick()
    assert 4_000_000 < values["nic/eth0/tx_bytes"] < 5_000_000
    assert values["nic/eth0/rx_packets"] > 100
    assert waiting > 1500
    assert values["nic/eth0/queue_bytes"] == 0


def test_a_link_outlives_the_processes_in_its_namespace(spaces: tuple[str, str]) -> None:
    """The device needs nobody there: a daemon that dies leaves no gap."""
    with started(LinkDevice(Path("/run/netns", spaces[0]), "eth0")) as tick:
        for count in (1, 2):
            run("ip", "netns", "exec", spaces[0], sys.executable, "-c", _PING)
            assert tick()["nic/eth0/tx_bytes"] >= 1000 * count


def test_namespaces_and_interfaces_that_are_not_there(spaces: tuple[str, str]) -> None:
    own = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(OSError, match="No such file"):
        LinkDevice(Path("/run/netns/howdah-none"), "eth0").start()
    with pytest.raises(OSError, match="no interface"):
        LinkDevice(Path("/run/netns", spaces[0]), "eth7").start()
    assert len(list(Path("/proc/self/fd").iterdir())) == own


def test_a_loop_device(tmp_path: Path) -> None:
    image = tmp_path / "disk.img"
    with image.open("wb") as file:
        file.truncate(64 * MIB)
    loop = run("losetup", "--find", "--show", image)
    try:
        with started(VolumeDevice({"disk1": Path(loop).name})) as tick:
            source, target = ("if=/dev/zero", f"of={loop}")
            run("dd", source, target, "bs=1M", "count=16", "oflag=direct", "status=none")
            values = tick()
    finally:
        run("losetup", "--detach", loop)
    assert values["disk/disk1/written_bytes"] == 16 * MIB
    assert values["disk/disk1/writes"] >= 16
    assert values["disk/disk1/busy_s"] >= 0
