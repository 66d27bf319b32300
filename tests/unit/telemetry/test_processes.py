"""The process's own memory, and the descriptors that telemetry holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from howdah.telemetry.processes import ProcessDevice, peak_rss_bytes, reset_peak_rss
from howdah.telemetry.source import host_devices


def test_devices_leave_no_descriptor_behind() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for device in host_devices():
        try:
            device.start()
        except OSError:
            continue
        device.tick()
        device.stop()
        device.stop()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_resident_set() -> None:
    device = ProcessDevice()
    device.start()
    before = device.tick()[0].value
    ballast = bytearray(os.urandom(1)) * (64 * 2**20)
    grown = device.tick()[0].value - before
    device.stop()
    assert len(ballast) == 64 * 2**20
    assert grown == pytest.approx(64 * 2**20, rel=0.1)


def test_peak_of_the_resident_set() -> None:
    if not reset_peak_rss():
        pytest.skip("the kernel refuses to reset the peak (/proc/self/clear_refs)")
    low = peak_rss_bytes()
    ballast = bytearray(os.urandom(1)) * (64 * 2**20)
    assert len(ballast) == 64 * 2**20
    del ballast
    high = peak_rss_bytes()
    assert low is not None
    assert high is not None
    assert high - low >= 60 * 2**20
    assert reset_peak_rss()
    after = peak_rss_bytes()
    assert after is not None
    assert after < high - 60 * 2**20


def test_a_refused_reset_is_told(tmp_path: Path) -> None:
    assert not reset_peak_rss(tmp_path / "none" / "clear_refs")
    (tmp_path / "status").write_text("Name:\tx\n")
    assert peak_rss_bytes(tmp_path / "status") is None
