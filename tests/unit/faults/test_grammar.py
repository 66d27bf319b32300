"""A fault's line: read, refused with what would be right, and written as it was read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.faults.grammar import DAEMONS, JOURNALNODE, PAIRS, STATES, parse_fault
from howdah.model.faults import AT_ONCE, OF_PLACES, WITH_RATE, Action, ClusterFault, FaultTarget, Moment


def test_a_line_says_what_whom_when_and_how_long() -> None:
    fault = parse_fault("pause regionserver@h1-1 at ycsb-a 40% for 20s")
    assert fault.action is Action.PAUSE
    assert fault.target == FaultTarget(daemon="regionserver", machine="h1-1")
    assert fault.when == Moment(workload="ycsb-a", share=0.4)
    assert fault.for_s == 20


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("kill namenode:active", None),
        ("kill namenode:active at 30s", Moment(after_s=30)),
        ("kill namenode:active at 2min", Moment(after_s=120)),
        ("kill namenode:active at terasort", Moment(workload="terasort")),
        ("kill namenode:active at terasort 10s", Moment(workload="terasort", after_s=10)),
        ("kill namenode:active at terasort reduce-merge", Moment(workload="terasort", phase="reduce-merge")),
    ],
)
def test_moments_are_of_the_run_or_of_a_program(text: str, when: Moment | None) -> None:
    assert parse_fault(text).when == when


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not a fault"),
        ("kill", "is not a fault"),
        ("break namenode", "is not a kind of fault"),
        ("kill foo", "is not a target"),
        ("kill namenode:asleep", "is not a state of a"),
        ("kill datanode:active", "is not a state of a"),
        ("kill namenode:active@m1", "not a state|gives both a name and a state"),
        ("kill datanode@", "does not name a machine"),
        ("kill host:h1", "is a machine, host or rack"),
        ("lose host:", "does not name a host"),
        ("kill datanode now", "is an unexpected word"),
        ("kill datanode at", "ends after"),
        ("kill datanode at 5s at 6s", "has 'at' twice"),
        ("kill datanode at ycsb-a 140%", "more than 100%"),
        ("kill datanode at ycsb-a 5", "is neither a time nor a percentage"),
        ("kill datanode at 5s later", "is not a point in time"),
        ("kill datanode at ycsb-a -1%", "is neither a time nor a percentage"),
        ("kill datanode for 3000000h", "longer than 30 days"),
        ("kill datanode at 1000000h", "longer than 30 days"),
        ("pause datanode for ever", "is not a time"),
        ("pause datanode for 0s", "has a duration of zero"),
        ("restart datanode for 5s", "has no duration"),
        ("wipe-disk worker:h1 for 5s", "has no duration"),
        ("wipe journalnode@m1 for 5s", "has no duration"),
        ("wipe namenode@m1", "works on JournalNodes only, and"),
        ("wipe master:m1", "is a machine, host or rack"),
        ("lose application-master", "not known in advance"),
        ("restart application-master", "YARN starts"),
        ("slow-link worker:w1", "needs a speed for"),
        ("slow-disk worker:w1 to 10Mb/s", "bits"),
        ("slow-disk worker:w1 to 10MB", "not a disk's speed"),
        ("kill datanode to 10MB/s", "has no speed"),
    ],
)
def test_what_says_no_fault_is_refused(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        parse_fault(text)


NAMES = st.sampled_from(["h1", "h1-1", "w3", "m-2"])
DAEMON = st.one_of(
    st.builds(FaultTarget, daemon=st.sampled_from(DAEMONS[:-1]), machine=st.none() | NAMES),
    st.builds(FaultTarget, daemon=st.sampled_from(PAIRS), state=st.sampled_from(STATES)),
)
JOURNAL = st.builds(FaultTarget, daemon=st.just(JOURNALNODE), machine=st.none() | NAMES)
PLACE = st.builds(FaultTarget, place=st.sampled_from(["worker", "master", "host", "rack"]), name=NAMES)
SECONDS = st.integers(0, 9999).map(float) | st.floats(0, 2_592_000)
MOMENTS = st.one_of(
    st.none(),
    st.builds(Moment, after_s=SECONDS),
    st.builds(
        Moment, workload=st.just("ycsb-a"), share=st.integers(0, 10**5).map(lambda part: part / 1000 / 100)
    ),
    st.builds(Moment, workload=st.just("terasort"), phase=st.just("map-shuffle")),
)


@st.composite
def faults(draw: st.DrawFn) -> ClusterFault:
    action = draw(st.sampled_from(list(Action)))
    place = action in OF_PLACES and (action is not Action.PAUSE or draw(st.booleans()))
    lasts = None if action in AT_ONCE else draw(st.none() | SECONDS.filter(bool))
    rate = draw(st.integers(1, 10_000)) * 1_000_000 if action in WITH_RATE else None
    target = draw(JOURNAL if action is Action.WIPE else PLACE if place else DAEMON)
    return ClusterFault(action=action, target=target, when=draw(MOMENTS), for_s=lasts, rate=rate)


@given(faults())
def test_a_fault_reads_back_from_its_own_line(fault: ClusterFault) -> None:
    assert parse_fault(fault.text) == fault
