"""Resource use within phases, and what is said where samples are too far apart."""

from __future__ import annotations

import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence.use import StretchUse
from howdah.model.reported import Counters
from howdah.model.tables import RunData
from support.building import RunBuilder, Stage, kind
from support.findings import found
from support.records import terasuite


def two_phases(
    interval_s: float = 0.2,
    seconds: float = 4.0,
    hosts: tuple[str, ...] = ("host1",),
    lead_s: float = 1.0,
) -> RunData:
    run = RunBuilder(interval_s=interval_s, hosts=hosts)
    run.pause(lead_s)
    run.workload(
        kind("terasort", 10_000_000),
        [
            Stage("map-shuffle", seconds, user=0.5, system=0.2, iowait=0.1, steal=0.05, read=1e9, busy=0.8),
            Stage("reduce-merge", seconds, user=0.2, system=0.1, iowait=0.4, write=1e9, busy=0.6),
        ],
        Counters(input_rows=10_000_000, output_rows=10_000_000, read_bytes=10**9, written_bytes=10**9),
    )
    run.pause(1.0)
    return run.build()


def use_of(run: RunData, phase: str | None) -> StretchUse:
    return next(use for use in analyse(run).evidence.use if use.phase == phase)


def test_use_is_what_happened_in_each_phase() -> None:
    run = two_phases()
    (first,), (second,) = use_of(run, "map-shuffle").hosts, use_of(run, "reduce-merge").hosts
    assert first.cpu is not None
    assert second.cpu is not None
    assert first.cpu.user == pytest.approx(0.5, abs=0.01)
    assert first.cpu.steal == pytest.approx(0.05, abs=0.01)
    assert first.cpu.busy == pytest.approx(0.7, abs=0.01)
    assert second.cpu.iowait == pytest.approx(0.4, abs=0.01)
    assert first.disks[0].read_bytes == pytest.approx(1e9, rel=0.01)
    assert first.disks[0].read_bytes_per_s == pytest.approx(0.25e9, rel=0.01)
    assert first.disks[0].busy_share == pytest.approx(0.8, abs=0.01)
    assert second.disks[0].written_bytes == pytest.approx(1e9, rel=0.01)


def test_use_over_phases_sums_to_use_over_the_workload() -> None:
    run = two_phases(interval_s=0.37)
    whole = use_of(run, None).hosts[0].disks[0]
    parts = [use_of(run, phase).hosts[0].disks[0] for phase in ("map-shuffle", "reduce-merge")]
    assert sum(part.read_bytes for part in parts) == pytest.approx(whole.read_bytes)
    assert sum(part.written_bytes for part in parts) == pytest.approx(whole.written_bytes)


def test_every_host_is_told_apart() -> None:
    run = two_phases(hosts=("host1", "host2"))
    assert [host.host for host in use_of(run, "map-shuffle").hosts] == ["host1", "host2"]
    texts = [finding.text for finding in found(run, "use")]
    assert any("on host2" in text for text in texts)


def test_a_phase_shorter_than_two_intervals_is_called_coarse() -> None:
    short = two_phases(interval_s=1.0, seconds=1.3, lead_s=1.4)
    assert use_of(short, "map-shuffle").coarse
    (finding,) = found(short, "resolution")
    assert "terasort map-shuffle" in finding.text
    (told,) = [each for each in found(short, "time") if each.phase == "map-shuffle"]
    assert "CPU" not in told.text


def test_a_long_phase_is_not() -> None:
    assert not found(two_phases(), "resolution")
    told = [finding for finding in found(two_phases(), "time") if "CPU" in finding.text]
    assert [finding.phase for finding in told] == ["map-shuffle", "reduce-merge"]


def test_traffic_is_told_only_where_there_is_some() -> None:
    assert not any("eth0" in finding.text for finding in found(terasuite(), "time"))
    run = RunBuilder()
    run.workload(kind("terasort", 100), [Stage("map-shuffle", 4.0, extra={"nic/eth0/rx_bytes": 4e9})])
    assert any("eth0 received 1.00 GB/s" in finding.text for finding in found(run.build(), "time"))


@pytest.mark.parametrize("factor", [0.25, 3.0])
def test_scaling_time_scales_rates(factor: float) -> None:
    """The same bytes in ``factor`` times the time, sampled as often, go at the inverse rate."""
    base, scaled = two_phases(), two_phases(interval_s=0.2 * factor, seconds=4.0 * factor, lead_s=factor)
    one = use_of(base, "map-shuffle").hosts[0].disks[0].read_bytes_per_s
    other = use_of(scaled, "map-shuffle").hosts[0].disks[0].read_bytes_per_s
    assert other * factor == pytest.approx(one, rel=1e-6)
    rates = [analyse(run).evidence.workloads[0].rate for run in (base, scaled)]
    assert rates[0] is not None
    assert rates[1] is not None
    assert rates[1].bytes_per_s * factor == pytest.approx(rates[0].bytes_per_s)
