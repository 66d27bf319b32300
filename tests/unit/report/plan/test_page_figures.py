"""What a plan's charts say is what the plan says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from howdah.documents.files import read_inventory
from howdah.model.plan import Capacity, Cluster, ClusterPlan, Judgement, Year
from howdah.model.request import Demand, Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.report.document import Figure
from howdah.report.plan.figures import MOST_ROWS, growth, platforms
from howdah.report.plan.page import memory, shares
from howdah.report.vega import DATA
from howdah.units import GIB
from support.clusters import host_group, inventory
from support.plan_samples import eight_hosts
from support.plans import plan, setting

EXAMPLES = sorted((Path(__file__).parents[4] / "examples").glob("hosts*.yaml"))
REQUESTS = {
    "terasuite": PlanRequest(weigh_virtual=True),
    "vsphere": PlanRequest(hypervisor=Hypervisor.VSPHERE),
    "mix": PlanRequest(workloads=(Demand(kind="terasuite"), Demand(kind="ycsb")), weigh_virtual=True),
}


@cache
def _planned(path: Path, request: str) -> ClusterPlan:
    return plan_cluster(read_inventory(path), REQUESTS[request])


def _cluster(made: ClusterPlan) -> Cluster:
    return made.cluster


def _drawn(figure: Figure) -> list[dict[str, float]]:
    (layer,) = (layer for layer in figure.spec["layer"] if layer.get("name") == DATA)
    values: list[dict[str, float]] = layer["data"]["values"]
    return values


@pytest.mark.parametrize("request_name", REQUESTS)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_platform_s_bars_add_up_to_its_score(path: Path, request_name: str) -> None:
    cluster = _cluster(_planned(path, request_name))
    groups = dict.fromkeys(one.group for one in cluster.candidates)
    shown = [
        one
        for group in groups
        for one in [
            one
            for one in cluster.candidates
            if one.group == group
            and one.verdict != "refused"
            and all(abs(judgement.weight) < 1 for judgement in one.judgements)
        ][:MOST_ROWS]
    ]
    figure = platforms(cluster)
    if len(shown) == len(groups):
        assert figure is None
        return
    assert figure is not None
    by_row: dict[int, float] = {}
    for one in _drawn(figure):
        by_row[int(one["row"])] = by_row.get(int(one["row"]), 0.0) + one["end"] - one["start"]
    for row, candidate in enumerate(shown):
        assert by_row.get(row, 0.0) == pytest.approx(-100 * candidate.score, abs=1e-6), candidate.platform


def test_what_speaks_for_a_platform_is_left_of_zero() -> None:
    cluster = _cluster(eight_hosts())
    best = cluster.candidates[0]
    gain = Judgement(rule="platform.few-disks", verdict="for", text="few", weight=0.03)
    better = best.model_copy(update={"judgements": (*best.judgements, gain)})
    plain = best.model_copy(update={"judgements": ()})
    figure = platforms(cluster.model_copy(update={"candidates": (better, plain)}))
    assert figure is not None
    assert [one["start"] for one in _drawn(figure)] == [0.0, 0.0]
    assert sorted(one["end"] for one in _drawn(figure)) == pytest.approx([-3.0, 1.44])
    assert "left of zero" in figure.caption
    assert [row[2] for row in figure.table.rows] == ["1.44", "\N{MINUS SIGN}3.00"]


def test_a_platform_that_the_request_rules_out_has_no_bar() -> None:
    figure = platforms(_cluster(eight_hosts()))
    assert figure is not None
    assert "native" not in {row[0] for row in figure.table.rows}


def test_one_platform_without_another_to_compare_makes_no_figure() -> None:
    cluster = _cluster(eight_hosts())
    assert platforms(cluster.model_copy(update={"candidates": cluster.candidates[:1]})) is None


def test_platforms_without_weights_make_no_figure() -> None:
    assert platforms(_cluster(plan())) is None


@pytest.mark.parametrize("request_name", REQUESTS)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_worker_s_memory_is_shared_out_whole(path: Path, request_name: str) -> None:
    made = _planned(path, request_name)
    for kind in made.workers:
        stack = shares(made, kind)
        assert sum(share.size_bytes for share in stack) == kind.memory_bytes
        assert all(0 < share.heap_bytes <= share.size_bytes for share in stack if share.heap_bytes)
        assert stack[-1].name == "page cache and system"
        assert stack[-1].size_bytes > 0


def test_memory_is_read_from_the_settings() -> None:
    made = eight_hosts()
    (worker,) = made.workers
    sizes = {share.name: (share.size_bytes, share.heap_bytes) for share in shares(made, worker)}
    mib = 2**20
    assert sizes == {
        "map tasks": (5 * 2048 * mib, 5 * 1600 * mib),
        "reduce tasks": (5 * 3072 * mib, 5 * 2400 * mib),
        "other containers": (28672 * mib - 5 * 5120 * mib, 0),
        "NodeManager": (1600 * mib, 1600 * mib),
        "DataNode": (GIB, GIB),
        "page cache and system": (int(60.25 * GIB) - 28672 * mib - 1600 * mib - GIB, 0),
    }


def test_values_that_are_no_numbers_take_no_memory() -> None:
    settings = [
        setting("mapreduce.map.memory.mb", "many", "mapred-site.xml"),
        setting("HDFS_DATANODE_OPTS", "-Xms1g", "hadoop-env.sh"),
        setting("hbase.bucketcache.size", ("1",), "hbase-site.xml"),
    ]
    made = plan(*settings)
    assert [share.name for share in shares(made, made.workers[0])] == ["page cache and system"]
    assert memory(made).marks == 1


def _capacity(needs: Sequence[int], usable: int) -> Capacity:
    years = tuple(
        Year(year=year, need_bytes=need, hosts=year + 1, first_full="disks", fill={"disks": need / usable})
        for year, need in enumerate(needs)
    )
    return Capacity(raw_bytes=3 * usable, usable_bytes=usable, bytes_per_host=usable, years=years)


@pytest.mark.parametrize(
    ("needs", "said"),
    [
        ([5, 8], "enough until the last year"),
        ([5, 8, 11], "too little in year 2"),
        ([11, 12], "too little today"),
    ],
)
def test_growth_says_when_the_hosts_hold_too_little(needs: list[int], said: str) -> None:
    figure = growth(_capacity([need * 10**12 for need in needs], 10 * 10**12))
    assert figure is not None
    assert said in figure.caption
    reach = {
        year: max(one["end"] for one in _drawn(figure) if one["year"] == year) for year in range(len(needs))
    }
    assert list(reach.values()) == [pytest.approx(need) for need in needs]
    assert all((one["opacity"] < 1) is (one["end"] > 10) for one in _drawn(figure))


def test_growth_is_drawn_where_it_was_asked_for() -> None:
    assert growth(Capacity(raw_bytes=1, usable_bytes=1, bytes_per_host=1)) is None


def test_what_masters_take_of_few_hosts_is_named_in_the_chart() -> None:
    request = PlanRequest(hypervisor=Hypervisor.VSPHERE, protection=Protection.FT)
    figure = platforms(_cluster(plan_cluster(inventory(host_group(count=4)), request)))
    assert figure is not None
    assert "masters' places" in str(figure.spec)


def test_the_platforms_of_one_group_of_hosts_stand_apart_from_another_ones() -> None:
    request = PlanRequest(hypervisor=Hypervisor.VSPHERE)
    two = inventory(host_group("old", 8), host_group("new", 8, memory="512GiB"))
    figure = platforms(_cluster(plan_cluster(two, request)))
    assert figure is not None
    heads = sorted({one["row"] for one in _drawn(figure)})
    gaps = {round(below - above, 3) for above, below in pairwise(heads)}
    assert max(gaps) == 1.5
    assert len([1 for above, below in pairwise(heads) if below - above > 1]) == 1
