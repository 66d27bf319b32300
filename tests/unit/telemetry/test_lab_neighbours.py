"""What another laboratory uses of a host, from its control group and the host's ends of its cables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from howdah.telemetry import lab
from howdah.telemetry.lab import NeighbourDevice

T = TypeVar("T")

DEV = """\
Inter-|   Receive          |  Transmit
 face |bytes    packets  |bytes    packets
uplink: {other} 1 0 0 0 0 0 0 {other} 1 0 0 0 0 0 0
machine1: {other} 1 0 0 0 0 0 0 {other} 1 0 0 0 0 0 0
machine4097: {sent} 1 0 0 0 0 0 0 {received} 1 0 0 0 0 0 0
machine4098: {sent} 1 0 0 0 0 0 0 {received} 1 0 0 0 0 0 0
"""


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host's counters in files, whose namespace is entered by staying where one is."""

    def stay(namespace: Path, open_it: Callable[[], T]) -> T:
        assert namespace == Path("/run/netns/howdah-a+_host_h1")
        return open_it()

    monkeypatch.setattr(lab, "open_in_namespace", stay)
    (tmp_path / "proc/thread-self/net").mkdir(parents=True)
    (tmp_path / "group").mkdir()
    return tmp_path


def put(host: Path, *, usage_ns: int, sent: int, received: int) -> None:
    for name, text in (
        ("group/cpuacct.usage", f"{usage_ns}\n"),
        ("proc/thread-self/net/dev", DEV.format(sent=sent, received=received, other=10**9)),
    ):
        # The same file, which stays open as the kernel's do.
        (host / name).write_text(text)


def test_only_what_the_other_ones_machines_use_is_counted(host: Path) -> None:
    put(host, usage_ns=7 * 10**9, sent=1000, received=50)
    device = NeighbourDevice(
        "b",
        {"cpuacct": host / "group", "cpu": host / "group"},
        Path("/run/netns/howdah-a+_host_h1"),
        ("machine4097", "machine4098"),
        host,
    )
    device.start()
    try:
        device.tick()
        put(host, usage_ns=8 * 10**9, sent=1600, received=150)
        found = {reading.metric: reading.value for reading in device.tick()}
    finally:
        device.stop()
    assert found == {
        "neighbour/b/cpu_s": pytest.approx(1.0),
        "neighbour/b/sent_bytes": 1200,
        "neighbour/b/received_bytes": 200,
    }
