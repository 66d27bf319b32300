"""Many machines at once: one clock, one moment, and nobody who holds up the others."""

from __future__ import annotations

import time
from collections.abc import Sequence
from threading import Event, get_ident

import pytest

from howdah.model.run import Sample
from howdah.telemetry import sampler as sampling
from howdah.telemetry.device import Away, Device, MetricReading
from howdah.telemetry.sampler import Sampler
from howdah.telemetry.source import Member, Membership, Source
from support.patience import wait_until
from support.sinks import MemorySink

METRIC = "process/rss_bytes"


class Counting(Device):
    """Counts its ticks and keeps the threads that made them."""

    name = "counting"
    paths = ()

    def __init__(self, away: Sequence[int] = (), hold: Event | None = None) -> None:
        super().__init__()
        self.ticks = 0
        self.threads: set[int] = set()
        self._away = away
        self._hold = hold

    def readings(self) -> list[MetricReading]:
        self.ticks += 1
        self.threads.add(get_ident())
        if self._hold is not None:
            self._hold.wait(20)
        if self.ticks in self._away:
            raise Away("nobody listens")
        return [MetricReading(METRIC, self.ticks)]


def of(rows: Sequence[Sample], machine: str) -> list[Sample]:
    return [row for row in rows if row.host == machine]


def test_machines_are_read_at_one_moment() -> None:
    sink = MemorySink()
    sources = [Source("w1", (Counting(),)), Source("w2", (Counting(), Counting()))]
    sampler = Sampler(sink, sources, run_start_ns=time.monotonic_ns(), interval_s=0.1)
    sampler.start()
    sampler.mark()
    sampler.stop()
    one, two = of(sink.sampled, "w1"), of(sink.sampled, "w2")
    assert len(one) >= 3
    assert [row.time_s for row in two] == [row.time_s for row in one for _ in range(2)]


def test_a_machine_that_keeps_one_waiting_holds_up_no_other_one() -> None:
    """With few machines: as many are asked at once as there are threads."""
    let_go = Event()
    waiting, other = Counting(hold=let_go), Counting()
    sampler = Sampler(
        MemorySink(),
        [Source("lost", (waiting,), 0.1), Source("well", (other,), 0.1)],
        run_start_ns=time.monotonic_ns(),
    )
    sampler.start()
    try:
        wait_until(lambda: other.ticks >= 3)
        assert waiting.ticks == 1
    finally:
        let_go.set()
        sampler.stop()


def test_machines_share_a_few_threads_each_with_all_its_daemons() -> None:
    daemons = [(Counting(), Counting()) for _ in range(20)]
    sources = [Source(f"w{number}", (one,), 3600.0) for number, pair in enumerate(daemons) for one in pair]
    sampler = Sampler(MemorySink(), sources, run_start_ns=time.monotonic_ns())
    sampler.start()
    wait_until(lambda: all(one.ticks for pair in daemons for one in pair))
    sampler.stop()
    assert all(first.threads == second.threads for first, second in daemons)
    assert len(set().union(*(first.threads for first, _ in daemons))) == 8


@pytest.mark.parametrize(("fresh_s", "last"), [(0.0, 1), (3600.0, 0)])
def test_what_has_an_interval_of_its_own_has_a_thread_of_its_own(
    fresh_s: float, last: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "_FRESH_S", fresh_s)
    sink, steady, slow = MemorySink(), Counting(), Counting()
    sampler = Sampler(
        sink,
        [Source("w1", (steady,)), Source("w1", (slow,), 3600.0)],
        run_start_ns=time.monotonic_ns(),
        interval_s=0.1,
    )
    sampler.start()
    wait_until(lambda: slow.ticks == 1 and steady.ticks >= 4)
    sampler.mark()
    wait_until(lambda: slow.ticks == 2)
    cost = sampler.stop()
    # At once, after the mark, and inside stop unless just after a mark: never by its interval, an hour.
    assert slow.ticks == 2 + last
    assert cost.ticks == steady.ticks
    assert get_ident() not in slow.threads
    assert len(slow.threads) == 1
    assert not slow.threads & steady.threads


def test_a_daemon_that_hangs_holds_up_nothing_else() -> None:
    sink, hold, steady, other = MemorySink(), Event(), Counting(), Counting()
    hanging = Counting(hold=hold)
    sources = [
        Source("w1", (steady,)),
        Source("w2", (hanging,), 0.1),
        Source("w3", (other,), 0.2),
    ]
    sampler = Sampler(sink, sources, run_start_ns=time.monotonic_ns(), interval_s=0.1)
    sampler.start()
    wait_until(lambda: steady.ticks >= 5 and other.ticks >= 3)
    assert hanging.ticks == 1
    hold.set()
    sampler.stop()


def test_a_gap_is_one_warning_with_its_times() -> None:
    sink, coming = MemorySink(), Counting(away=(2, 3, 6))
    sources = [Source("w1", (coming,)), Source("w2", (Counting(),))]
    sampler = Sampler(sink, sources, run_start_ns=time.monotonic_ns(), interval_s=3600.0)
    sampler.start()
    for _ in range(5):
        sampler.mark()
    sampler.stop()
    (warning,) = sampler.warnings
    times = sorted({row.time_s for row in of(sink.sampled, "w2")})
    assert warning.code == "gap-in-counting-samples"
    assert warning.text == (
        f"no samples of counting of w1 from {times[1]:.1f} to {times[3]:.1f} s, from {times[5]:.1f} to "
        f"{times[6]:.1f} s: nobody listens"
    )
    assert [row.value for row in of(sink.sampled, "w1")] == [1, 4, 5, 7]


def test_a_daemon_that_comes_and_goes_is_told_shortly() -> None:
    sampler = Sampler(
        MemorySink(),
        [Source("w1", (Counting(away=range(2, 60, 2)),)), Source("w2", ())],
        run_start_ns=time.monotonic_ns(),
        interval_s=3600.0,
    )
    sampler.start()
    for _ in range(18):
        sampler.mark()
    sampler.stop()
    (warning,) = sampler.warnings
    assert warning.text.count("from ") == 5
    assert warning.text.endswith(" and 5 times more: nobody listens")


def test_a_daemon_that_never_came_is_told_with_its_beginning() -> None:
    sampler = Sampler(
        MemorySink(),
        [Source("w1", (Counting(away=range(100)),)), Source("w2", ())],
        run_start_ns=time.monotonic_ns(),
        interval_s=3600.0,
    )
    sampler.start()
    sampler.stop()
    (warning,) = sampler.warnings
    assert warning.text == "no samples of counting of w1 from 0.0 s on: nobody listens"


class Refusing(MemorySink):
    """A sink that takes nothing of one machine."""

    def samples(self, rows: Sequence[Sample]) -> None:
        if of(rows, "w2"):
            raise OSError(28, "No space left on device")
        super().samples(rows)


def test_a_sink_that_fails_in_a_slow_thread_is_reported_by_stop() -> None:
    steady, slow = Counting(), Counting()
    sampler = Sampler(
        Refusing(),
        [Source("w1", (steady,)), Source("w2", (slow,), 0.1)],
        run_start_ns=0,
        interval_s=0.1,
    )
    sampler.start()
    wait_until(lambda: steady.ticks >= 3)
    with pytest.raises(OSError, match="No space left"):
        sampler.stop()
    assert slow.ticks == 1


class Failing(Counting):
    """Is gone from its second tick on, as the files of a control group that was removed are."""

    def readings(self) -> list[MetricReading]:
        if self.ticks >= 1:
            raise OSError(19, "No such device", "cpuacct.stat")
        return super().readings()


def test_machines_that_join_are_sampled_and_those_that_leave_are_not_missed() -> None:
    staying, leaving, its_daemon = Counting(), Failing(), Counting(away=range(2, 10_000))
    new, new_daemon = Counting(), Counting(away=(1, 2))
    fresh = Member("w3", "worker", "h3", "r1", (Source("w3", (new,)), Source("w3", (new_daemon,), 0.1)))
    told = [Membership((fresh,), frozenset({"w2"})), Membership(removed=frozenset({"w2"}))]
    sources = [Source("w1", (staying,)), Source("w2", (leaving,)), Source("w2", (its_daemon,), 0.1)]
    sink = MemorySink()
    sampler = Sampler(
        sink,
        sources,
        run_start_ns=time.monotonic_ns(),
        interval_s=0.1,
        follow=lambda: told.pop(0) if told else Membership(),
    )
    sampler.start()
    wait_until(lambda: not told and new_daemon.ticks >= 4)
    asked = its_daemon.ticks
    wait_until(lambda: new.ticks >= 12)
    assert its_daemon.ticks <= asked + 1
    sampler.stop()
    assert sampler.warnings == ()
    assert len(of(sink.sampled, "w3")) >= 12
    assert {(change.machine, change.what, change.host) for change in sampler.members} == {
        ("w2", "leaving", None),
        ("w3", "joined", "h3"),
    }


def test_what_went_missing_long_before_its_machine_left_is_told() -> None:
    """A daemon that was lost first, and was taken away later."""
    lost = Counting(away=range(2, 10_000))
    told = [Membership() for _ in range(7)]
    sampler = Sampler(
        MemorySink(),
        [Source("w1", (Counting(),)), Source("w2", (lost,), 0.1)],
        run_start_ns=time.monotonic_ns(),
        interval_s=0.1,
        follow=lambda: told.pop() if told else Membership(removed=frozenset({"w2"})),
    )
    sampler.start()
    wait_until(lambda: bool(sampler.members))
    sampler.stop()
    (warning,) = sampler.warnings
    assert warning.machine == "w2"
