"""What holds of the platforms of any host."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.model.inventory import HostGroup
from howdah.model.plan import Candidate, Worker
from howdah.model.request import Demand, Hypervisor, PlanRequest
from howdah.planner.platforms.candidates import layout_of, size_settings, weigh
from howdah.units import GIB
from support.hosts import host_group

WORKLOADS = (
    (Demand(kind="terasuite"),),
    (Demand(kind="ycsb"),),
    (Demand(kind="terasuite"), Demand(kind="ycsb")),
)
requests = st.builds(
    PlanRequest,
    workloads=st.sampled_from(WORKLOADS),
    hypervisor=st.sampled_from([None, *Hypervisor]),
    replication=st.sampled_from([None, 1, 3]),
    overcommit=st.booleans(),
)
insisting = st.builds(
    PlanRequest,
    workloads=st.sampled_from(WORKLOADS),
    hypervisor=st.sampled_from([None, *Hypervisor]),
    workers_per_host=st.none() | st.integers(-1, 40),
    slots=st.none() | st.integers(-1, 12),
)


@st.composite
def groups(draw: st.DrawFn, least_memory: int = 16 * 1024, least: int = 2) -> HostGroup:
    """Hosts of all sizes; ``least_memory`` in MiB, and the least cores of a socket."""
    return host_group(
        count=draw(st.integers(1, 10_000)),
        sockets=draw(st.sampled_from([1, 2, 4, 8])),
        cores=draw(st.integers(least, 64)),
        threads=draw(st.sampled_from([1, 2])),
        numa=draw(st.sampled_from([1, 1, 2, 4])),
        memory=f"{draw(st.integers(least_memory, 4096 * 1024))}MiB",
        disks=draw(st.integers(least - 1, 60)),
        kind=draw(st.sampled_from(["hdd", "ssd", "nvme"])),
    )


def weighed(group: HostGroup, request: PlanRequest) -> tuple[Candidate, ...]:
    """The candidates; none where a mistake is said, which is the only thing that may be raised."""
    try:
        return weigh(group, request)
    except UserError:
        return ()


@given(groups(least_memory=1, least=1), insisting)
def test_a_mistake_is_said_and_nothing_else_is_raised(group: HostGroup, request: PlanRequest) -> None:
    try:
        best = weigh(group, request)[0]
    except UserError as error:
        said = (error.where, error.what, error.hint)
    else:
        said = (best.platform, best.verdict, best.group)
    assert all(said)
    if said[1] == "recommended" and request.workers_per_host is not None:
        assert len(layout_of(best).workers) == request.workers_per_host


def total(candidate: Candidate, attribute: str) -> int:
    return sum(kind.per_host * getattr(kind, attribute) for kind in candidate.kinds)


@given(groups(), requests)
def test_what_workers_get_is_within_the_host_and_whole(group: HostGroup, request: PlanRequest) -> None:
    for candidate in weighed(group, request):
        if candidate.verdict == "refused":
            assert candidate.kinds == ()
            assert candidate.workers == 0
            assert [one.verdict for one in candidate.judgements] == ["refused"]
            continue
        assert total(candidate, "data_disks") == group.data_disks
        assert total(candidate, "memory_bytes") <= group.memory_bytes
        if not request.overcommit:
            assert total(candidate, "vcpus") <= group.cpu.threads
        assert candidate.workers == group.count * len(layout_of(candidate).workers)
        for kind in candidate.kinds:
            numbers = (kind.vcpus, kind.memory_bytes, kind.data_disks, kind.numa_nodes, kind.map_slots)
            assert all(type(number) is int for number in numbers)
            assert (kind.data_disks or 0) >= 1
            assert (kind.vcpus or 0) >= 1
            assert len(set(kind.data_dirs)) == kind.data_disks


@given(groups(), requests.filter(lambda request: not request.overcommit and not request.hbase_used))
def test_threads_are_committed_exactly(group: HostGroup, request: PlanRequest) -> None:
    for candidate in weighed(group, request):
        if candidate.kinds:
            assert total(candidate, "vcpus") == group.cpu.threads


@given(groups(), requests)
def test_a_worker_fits_the_numa_nodes_it_is_given(group: HostGroup, request: PlanRequest) -> None:
    nodes = group.cpu.numa_nodes
    for candidate in weighed(group, request):
        for kind in candidate.kinds:
            spanned = kind.numa_nodes or 0
            assert nodes % spanned == 0
            assert kind.memory_bytes <= Fraction(group.memory_bytes * spanned, nodes)
            if not request.overcommit:
                assert (kind.vcpus or 0) <= Fraction(group.cpu.threads * spanned, nodes)


@given(groups(), requests)
def test_one_is_recommended_and_it_comes_first(group: HostGroup, request: PlanRequest) -> None:
    candidates = weighed(group, request)
    if not candidates:
        return
    assert [one.verdict for one in candidates].count("recommended") == 1
    assert candidates[0].verdict == "recommended"
    scores = [one.score for one in candidates if one.verdict != "refused"]
    assert scores == sorted(scores, reverse=True)
    assert weighed(group, request) == candidates
    assert len({one.platform for one in candidates if one.kinds}) == sum(1 for one in candidates if one.kinds)


@given(groups(), requests)
def test_every_size_of_every_platform_carries_its_rule(group: HostGroup, request: PlanRequest) -> None:
    for candidate in weighed(group, request):
        if candidate.verdict == "refused":
            continue
        for setting in size_settings(group, candidate, request):
            assert setting.rule
            assert setting.reason
            assert setting.source
            assert setting.group == group.name


def kinds_by_platform(group: HostGroup, request: PlanRequest) -> dict[str, tuple[Worker, ...]]:
    return {one.platform: one.kinds for one in weighed(group, request) if one.kinds}


@given(
    groups(),
    requests,
    st.integers(1, 512 * GIB),
)
def test_more_memory_never_gives_less(group: HostGroup, request: PlanRequest, more: int) -> None:
    larger = group.model_copy(update={"memory": group.memory_bytes + more})
    before, after = kinds_by_platform(group, request), kinds_by_platform(larger, request)
    assert set(before) <= set(after)
    for platform, kinds in before.items():
        for kind, grown in zip(kinds, after[platform], strict=True):
            assert grown.memory_bytes >= kind.memory_bytes
            assert grown.map_slots >= kind.map_slots


@given(
    groups(),
    requests,
    st.integers(1, 12),
)
def test_more_disks_never_give_fewer_slots(group: HostGroup, request: PlanRequest, more: int) -> None:
    system, data = group.disks
    larger = group.model_copy(
        update={"disks": (system, data.model_copy(update={"count": data.count + more}))}
    )
    before, after = kinds_by_platform(group, request), kinds_by_platform(larger, request)
    for platform in set(before) & set(after):
        alike = len(before[platform]) == 1
        for kind, grown in zip(before[platform], after[platform], strict=True):
            assert (grown.data_disks or 0) >= (kind.data_disks or 0)
            if alike:
                assert grown.map_slots >= kind.map_slots
                assert grown.memory_bytes == kind.memory_bytes


@pytest.mark.parametrize("count", [1, 10_000])
def test_the_number_of_hosts_changes_only_how_many_workers_there_are(count: int) -> None:
    few, many = weigh(host_group(count=1), PlanRequest()), weigh(host_group(count=count), PlanRequest())
    assert [one.kinds for one in few] == [one.kinds for one in many]
    assert [one.workers * count for one in few] == [one.workers for one in many]
