"""What DataNodes' counters come to over a rebuild."""

from __future__ import annotations

from howdah.engines.hadoop.redundancy import _grown, _metrics, _Rebuild

NOTHING = dict.fromkeys(
    ("written", "copied_blocks", "units", "failed", "unit_bytes", "unit_read", "unit_remote", "decoding_ns"),
    0,
)


def counted(**values: int) -> dict[str, int]:
    return NOTHING | values


def test_counters_of_a_datanode_that_was_started_again_begin_at_zero() -> None:
    before = {"a": counted(written=100, units=1), "gone": counted(written=900)}
    after = {
        "a": counted(written=150, units=4),
        "again": counted(written=7),
    }
    assert _grown(before, after) == counted(written=57, units=3)
    assert _grown({"a": counted(written=100)}, {"a": counted(written=30, units=1)}) == counted(
        written=30, units=1
    )


def test_what_datanodes_wrote_beyond_units_was_copied() -> None:
    seen = _Rebuild(begun_s=10.0, rebuild_s=60.0, whole_s=80.0, lost=("h2-2",), drained=(), unrebuilt=0)
    told = {
        metric.name: metric.value
        for metric in _metrics(seen, counted(written=500, unit_bytes=300, unit_read=600, decoding_ns=10**9))
    }
    assert told["rebuild time"] == 20
    assert told["time until noticed"] == 50
    assert told["copied bytes"] == 200
    assert told["rebuild rate"] == 25
    assert told["decoding time"] == 1


def test_a_wait_without_a_loss_rebuilds_nothing() -> None:
    seen = _Rebuild(begun_s=10.0, rebuild_s=None, whole_s=12.0, lost=(), drained=(), unrebuilt=0)
    told = {metric.name: metric.value for metric in _metrics(seen, counted())}
    assert told["rebuild time"] == 0
    assert "time until noticed" not in told
    assert "rebuild rate" not in told
