"""MapReduce: containers, heaps, the sort buffer, the shuffle, what is gone."""

from __future__ import annotations

import pytest

from howdah.model.plan import Value
from howdah.model.request import Demand
from howdah.planner.facts import Facts
from howdah.planner.platforms.division import slots_in
from howdah.planner.rule import AdviceRule
from howdah.releases.values import heap_bytes
from howdah.units import GIB, MIB
from support.facts import (
    HADOOP_RULES,
    a_configuration,
    a_worker,
    asking,
    facts_of,
    rule_named,
    seen,
    values_of,
    will_do,
)

TB = 10**12


def values(facts: Facts | None = None) -> dict[str, Value]:
    return values_of(HADOOP_RULES, facts or facts_of())


def test_a_study_has_its_heaps_and_its_sort_buffer() -> None:
    decided = values(facts_of(request=asking(paper=True, dataset=30 * TB)))
    assert decided["mapreduce.map.java.opts"] == "-Xmx800m -Xms800m -Xmn256m"
    assert decided["mapreduce.reduce.java.opts"] == "-Xmx1200m -Xmn256m"
    assert decided["mapreduce.task.io.sort.mb"] == 400
    assert decided["mapreduce.task.io.sort.factor"] == 64
    assert decided["mapreduce.job.reduce.slowstart.completedmaps"] == 0.0
    assert decided["mapreduce.reduce.shuffle.input.buffer.percent"] == 0.75
    assert decided["mapreduce.reduce.shuffle.merge.percent"] == 0.95
    assert decided["mapreduce.reduce.input.buffer.percent"] == 0.7
    assert "mapreduce.reduce.merge.inmem.threshold" not in decided, "nothing in Hadoop 3 reads it"
    assert decided["mapreduce.ifile.readahead.bytes"] == 16 * MIB
    assert decided["mapreduce.map.speculative"] is False
    assert decided["mapreduce.task.timeout"] == 300_000


def test_production_gives_reduce_functions_their_heap() -> None:
    decided = values(facts_of(request=asking((Demand(kind="mapreduce"),))))
    assert decided["mapreduce.reduce.input.buffer.percent"] == 0.0
    assert decided["mapreduce.reduce.shuffle.merge.percent"] == 0.66
    assert decided["mapreduce.map.speculative"] is True
    assert decided["mapreduce.reduce.speculative"] is False


def test_a_sort_keeps_the_last_map_output_in_memory() -> None:
    decided = values(facts_of(request=asking(dataset=TB)))
    assert decided["mapreduce.reduce.input.buffer.percent"] == 0.7


@pytest.mark.parametrize("memory_gib", [6.5, 12.05, 24.1, 60.25, 120.5, 241, 1024])
def test_heaps_are_at_least_the_papers_and_under_half_of_memory(memory_gib: float) -> None:
    slots = min(22, slots_in(int(memory_gib * GIB), asking()))
    worker = a_worker(memory_gib, slots=slots)
    decided = values(facts_of(worker))
    heaps = [heap_bytes(str(decided[f"mapreduce.{kind}.java.opts"])) or 0 for kind in ("map", "reduce")]
    assert heaps[0] >= 800 * MIB
    assert heaps[1] >= 1200 * MIB
    assert slots * sum(heaps) < worker.memory_bytes / 2


def test_unlike_workers_have_containers_of_one_size_that_fit_the_smallest() -> None:
    small, large = a_worker(18, slots=5, disks=2), a_worker(120, slots=7, disks=3)
    both = values(facts_of(kinds=((small, 14), (large, 14))))
    alone = values(facts_of(kinds=((small, 14),)))
    assert both["mapreduce.map.memory.mb"] == alone["mapreduce.map.memory.mb"]


@pytest.mark.parametrize(("dataset", "buffer"), [(None, 400), (TB // 4, 200)])
def test_the_sort_buffer_holds_the_output_of_one_block(dataset: int | None, buffer: int) -> None:
    decided = values(facts_of(request=asking(dataset=dataset)))
    assert decided["mapreduce.task.io.sort.mb"] == buffer
    block = int(str(decided["dfs.blocksize"]))
    assert buffer * 0.8 * MIB >= block * 1.18


def test_the_sort_buffer_has_room_for_lengths_too_which_a_real_teragen_row_has() -> None:
    facts = facts_of().deciding("dfs.blocksize", 512 * MIB)
    rules = [rules for rules in HADOOP_RULES if rules[0].subject in {"mapreduce", "sorting"}]
    assert values_of(rules, facts)["mapreduce.task.io.sort.mb"] == 800, "750 hold 116 bytes of each, not 118"


def test_a_larger_block_than_the_heap_allows_is_sorted_in_several_spills() -> None:
    facts = facts_of(request=asking(paper=True)).deciding("dfs.blocksize", 1024 * MIB)
    rules = [rules for rules in HADOOP_RULES if rules[0].subject in {"mapreduce", "sorting"}]
    assert values_of(rules, facts)["mapreduce.task.io.sort.mb"] == 480


@pytest.mark.parametrize(
    ("found", "well"), [(100, False), (256, False), (400, True), (600, True), (1500, False)]
)
def test_a_sort_buffer_that_exists_is_judged_by_block_and_heap(found: int, well: bool) -> None:
    assert will_do("sorting.sort-buffer", found) is well


@pytest.mark.parametrize(
    ("properties", "said"),
    [
        ({"mapreduce.task.io.sort.mb": "700", "mapreduce.map.java.opts": "-Xmx800m"}, [False]),
        ({"mapreduce.task.io.sort.mb": "400", "mapreduce.map.java.opts": "-server -Xmx800m"}, [True]),
        ({"mapreduce.task.io.sort.mb": "900", "mapreduce.map.memory.mb": "1024"}, [False]),
        ({"mapreduce.task.io.sort.mb": "400"}, []),
    ],
)
def test_a_sort_buffer_beyond_the_heap_is_found(properties: dict[str, str], said: list[bool]) -> None:
    assert seen("sorting.sort-buffer-in-heap", a_configuration(properties)) == said


def test_a_heap_beyond_its_container_is_found() -> None:
    given = {
        "mapreduce.map.memory.mb": "1024",
        "mapreduce.map.java.opts": "-Xmx2g",
        "mapreduce.reduce.memory.mb": "4096",
        "mapreduce.reduce.java.opts": "-Xmx3277m",
    }
    assert seen("mapreduce.heap-in-container", a_configuration(given)) == [False, True]


def test_containers_made_of_heaps_are_accepted() -> None:
    assert will_do("mapreduce.map-memory", -1)
    assert will_do("mapreduce.map-heap", "")
    assert not will_do("mapreduce.map-heap", "-Xmx4g")


@pytest.mark.parametrize(
    ("codec", "said"),
    [
        ("org.apache.hadoop.io.compress.SnappyCodec", [True]),
        ("org.apache.hadoop.io.compress.SnapyCodec", [False]),
        ("com.example.Codec", []),
    ],
)
def test_a_codec_that_hadoop_lacks_is_found(codec: str, said: list[bool]) -> None:
    given = {"mapreduce.map.output.compress": "true", "mapreduce.map.output.compress.codec": codec}
    assert seen("sorting.codec-exists", a_configuration(given)) == said


def test_slow_codecs_and_no_compression_are_warned_of() -> None:
    assert not will_do("sorting.compression", False)
    assert not will_do("sorting.codec", "org.apache.hadoop.io.compress.DefaultCodec")
    assert will_do("sorting.codec", "org.apache.hadoop.io.compress.ZStandardCodec")


@pytest.mark.parametrize(("slots", "copies"), [(1, 5), (3, 20), (22, 20)])
def test_workers_with_one_slot_fetch_less_at_once(slots: int, copies: int) -> None:
    assert values(facts_of(a_worker(slots=slots)))["mapreduce.reduce.shuffle.parallelcopies"] == copies


@pytest.mark.parametrize("dataset", [1, 3, 10, 30, 100])
def test_an_application_master_has_room_for_every_task_of_its_job(dataset: int) -> None:
    decided = values(facts_of(a_worker(242), request=asking(dataset=dataset * TB)))
    heap = heap_bytes(str(decided["yarn.app.mapreduce.am.command-opts"]))
    block = decided["dfs.blocksize"]
    assert isinstance(block, int)
    assert heap is not None
    assert heap >= dataset * TB // block * 25_000


def test_an_application_master_leaves_a_small_worker_to_its_tasks() -> None:
    decided = values(facts_of(a_worker(12, slots=1), request=asking(dataset=100 * TB)))
    assert decided["yarn.app.mapreduce.am.resource.mb"] == 3072


def test_an_application_master_grows_with_the_job() -> None:
    assert values()["yarn.app.mapreduce.am.resource.mb"] == 1536
    large = values(facts_of(request=asking(dataset=30 * TB)))
    assert large["yarn.app.mapreduce.am.resource.mb"] == 4096
    heap = heap_bytes(str(large["yarn.app.mapreduce.am.command-opts"]))
    assert heap is not None
    assert heap < 4096 * MIB


def test_what_is_gone_is_said_with_what_came_instead() -> None:
    rule = rule_named("jobs.retired")
    assert isinstance(rule, AdviceRule)
    told = rule.advise(facts_of())
    assert told is not None
    for word in ("slots", "reuse.jvm", "record.percent", "ulimit", "outofband", "http.threads", "HEAPSIZE"):
        assert word in told
