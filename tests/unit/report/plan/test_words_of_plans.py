"""A plan in words: its sentence, its places, its numbers with their units."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from howdah.model.plan import (
    Advice,
    Candidate,
    Capacity,
    ClusterPlan,
    Input,
    Judgement,
    Layout,
    Master,
    Rack,
    Role,
    Worker,
    Year,
    value_text,
)
from howdah.model.request import Demand, PlanRequest
from howdah.report.plan import words
from howdah.report.plan.content import labels
from howdah.report.plan.explained import plan_summary, plan_values
from howdah.report.terminal import terminal
from howdah.units import GIB
from support.plan_samples import GROUNDS, eight_hosts
from support.plans import group, kind, master, plan, setting


def _answer(made: ClusterPlan) -> str:
    return words.answer_and_result(made, made.cluster)


def test_the_answer_says_what_to_do_with_every_host() -> None:
    assert _answer(eight_hosts()) == (
        "Divide each of 8 hosts into 4 workers of 10 vCPUs, 60.25 GiB and 5 disks. "
        "28 workers run 140 map and 140 reduce tasks at once."
    )


def test_a_worker_that_is_the_host_is_made_not_divided() -> None:
    assert _answer(plan(groups=[group(count=1)])) == (
        "Make 1 host a worker of 40 threads, 256 GiB and 20 disks. "
        "1 worker runs 22 map and 22 reduce tasks at once."
    )


def test_the_virtual_rack_of_masters_is_named_separately() -> None:
    workers = group(count=4)
    masters = group("masters", 1).model_copy(update={"serves": "masters"})
    racks = [
        Rack(name="rack-1", hosts=workers.names[:2]),
        Rack(name="rack-2", hosts=workers.names[2:]),
        Rack(name="masters", hosts=masters.names),
    ]
    placed = "replicas placed by HDFS's default policy"
    assert words.topology_line(plan(groups=[workers, masters], racks=racks).cluster) == (
        f"2 virtual racks of 2 hosts with workers, and one of 1 host without; {placed}"
    )
    together = [Rack(name="default-rack", hosts=(*workers.names, *masters.names))]
    assert words.topology_line(plan(groups=[workers, masters], racks=together).cluster) == (
        f"1 virtual rack of 5 hosts; {placed}"
    )
    spare = group("spare", 1)
    named = [Rack(name="a", hosts=workers.names), Rack(name="b", hosts=masters.names)]
    named.append(Rack(name="c", hosts=spare.names))
    assert words.topology_line(plan(groups=[workers, masters, spare], racks=named).cluster) == (
        f"1 virtual rack of 4 hosts with workers, and 2 of 1 host without; {placed}"
    )


def test_every_group_has_its_own_division() -> None:
    old, new = group("old", 2), group("new", 3)
    kinds = [kind("old-worker", 1, "old"), kind("new-worker", 4, "new")]
    made = plan(groups=[old, new], kinds=kinds)
    layouts = (
        Layout(group="old", platform="native", virtual=False, workers=("old-worker",)),
        Layout(group="new", platform="4 per host", virtual=True, workers=("new-worker",) * 4),
    )
    made = made.model_copy(update={"cluster": made.cluster.model_copy(update={"layouts": layouts})})
    assert _answer(made).startswith(
        "Make each of 2 old hosts a worker of 40 threads, 256 GiB and 20 disks, "
        "and divide each of 3 new hosts into 4 workers of 10 vCPUs, 60.25 GiB and 5 disks. 14 workers"
    )


def test_many_groups_are_told_together() -> None:
    names = [f"group{number}" for number in range(12)]
    made = plan(
        groups=[group(name, 2) for name in names], kinds=[kind(f"{name}-w", 1, name) for name in names]
    )
    layouts = tuple(
        Layout(group=name, platform="native", virtual=False, workers=(f"{name}-w",)) for name in names
    )
    candidates = tuple(
        Candidate(
            group=name,
            platform=platform,
            verdict=verdict,
            workers=2,
            kinds=(kind(f"{name}-w", 1, name),),
            score=0.0,
            judgements=(),
        )
        for name in names
        for platform, verdict in (("native", "recommended"), ("2 per host", "possible"))
    )
    made = made.model_copy(
        update={"cluster": made.cluster.model_copy(update={"layouts": layouts, "candidates": candidates})}
    )
    assert _answer(made).startswith("Divide 24 hosts of 12 groups, each group in its own way. 24 workers")
    console = Console(width=200, file=StringIO(), color_system=None)
    console.print(terminal(plan_summary(made, Path("plan.yaml"), None)))
    assert isinstance(console.file, StringIO)
    printed = console.file.getvalue()
    assert printed.count(": native") == 12
    assert "2 per host" not in printed
    assert "24 were considered" in printed


def test_kinds_of_one_group_are_told_apart() -> None:
    kinds = [
        Worker(
            name=name,
            map_slots=1,
            reduce_slots=1,
            memory_bytes=GIB,
            group="workers",
            per_host=2,
            data_disks=disks,
        )
        for name, disks in (("small", 1), ("large", 2))
    ]
    made = plan(kinds=kinds, places=["small", "small", "large", "large"])
    assert "into 2 small workers of 0 vCPUs, 1 GiB and 1 disk and 2 large workers of" in _answer(made)


def test_workers_of_hbase_alone_run_no_tasks() -> None:
    servers = kind(roles=(Role.DATANODE, Role.REGIONSERVER)).model_copy(
        update={"map_slots": 0, "reduce_slots": 0}
    )
    request = PlanRequest(workloads=(Demand(kind="ycsb"),))
    assert _answer(plan(kinds=[servers], request=request)).endswith("4 workers serve HBase.")
    both = PlanRequest(workloads=(Demand(kind="ycsb"), Demand(kind="terasuite")))
    assert _answer(plan(request=both)).endswith("88 map and 88 reduce tasks at once next to HBase.")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"shares": True}, "with a worker"),
        ({"whole_host": True, "takes": ("worker",)}, "the whole host"),
        ({"takes": ("worker",)}, "in place of a worker"),
        ({"takes": ("worker", "worker")}, "in place of 2 workers"),
    ],
)
def test_a_master_has_a_place(changes: dict[str, object], said: str) -> None:
    one: Master = master("nn1", "w1", Role.NAMENODE).model_copy(update=changes)
    assert words.place(one) == said
    assert words.masters_line(one) == f"NameNode on w1 ({said})"


def test_hosts_that_are_not_divided_have_no_virtual_cpus() -> None:
    divided = eight_hosts().cluster
    assert divided is not None
    (first, *_) = divided.masters
    assert words.master_size(first, divided) == "10 vCPUs, 60 GiB"
    native = tuple(layout.model_copy(update={"virtual": False}) for layout in divided.layouts)
    assert words.master_size(first, divided.model_copy(update={"layouts": native})) == "60 GiB"


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (241 * GIB, "B", "241 GiB"),
        (600 * 10**9, "B", "600GB"),
        (94024551629, "B", "87.6 GiB"),
        (1234567, "", "1,234,567"),
        (1.1, "", "1.1"),
        (True, "", "yes"),
        ("hdd", "", "hdd"),
        (10**10, "bit/s", "10.0 Gb/s"),
        (190e6, "B/s", "190 MB/s"),
        (90, "s", "1 min 30 s"),
        (20, "GB", "20 GB"),
    ],
)
def test_a_number_that_went_in_has_its_unit(value: float | str, unit: str, said: str) -> None:
    assert words.input_text(Input(name="it", value=value, unit=unit)) == said


@pytest.mark.parametrize(
    ("value", "text", "note"),
    [
        (2**28, "268435456", "256MiB"),
        (int(60.25 * GIB), str(int(60.25 * GIB)), "60.25 GiB"),
        (4096, "4096", ""),
        (True, "true", ""),
        (0.8, "0.8", ""),
        (("a", "b"), "a,b", ""),
        ("x", "x", ""),
    ],
)
def test_a_value_is_as_hadoop_reads_it_with_its_size_beside_it(
    value: int | float | str | tuple[str, ...], text: str, note: str
) -> None:
    made = setting("dfs.x", value, "hdfs-site.xml")
    assert (value_text(made.value), words.size_note(made)) == (text, note)


def test_a_default_has_its_size_too() -> None:
    assert words.default_text("134217728") == "134217728 (128MiB)"
    assert words.default_text("3") == "3"
    assert words.default_text("") == "(empty)"


def test_only_a_share_of_the_work_s_time_is_a_cost() -> None:
    weights = {0.0144: "1.4 %", -0.05: "5.0 %", 0.0: "", -1.0: ""}
    for weight, said in weights.items():
        assert words.weight_text(Judgement(rule="a.b", verdict="against", text="", weight=weight)) == said


def test_sources_are_cited_one_by_one() -> None:
    assert labels("D0 49, X7,  Hadoop 3.5.0: hdfs-default.xml") == (
        "D0 49",
        "X7",
        "Hadoop 3.5.0: hdfs-default.xml",
    )
    assert labels("") == ()


def test_a_recommended_platform_that_nothing_speaks_for_says_so() -> None:
    spans = Judgement(rule="r", verdict="against", text="spans 2 NUMA nodes", weight=-0.05)
    native = Candidate(
        group="w",
        platform="native",
        verdict="recommended",
        workers=9,
        kinds=(),
        score=0.0,
        judgements=(spans,),
    )
    assert words.verdict(native) == "recommended; drawback: spans 2 NUMA nodes"


def test_what_the_data_need_is_said_as_long_as_it_is_a_number_of_hosts() -> None:
    last = Year(year=3, need_bytes=9 * 10**12, hosts=4, first_full="disks, 90 % of the limit", fill={})
    few = Capacity(
        raw_bytes=30 * 10**12, usable_bytes=7 * 10**12, bytes_per_host=1, years=(last,), hosts_needed=4
    )
    assert words.capacity_line(few).endswith(
        "; 9.00 TB in 3 years need 4 hosts in all; first full: disks, 90 % of the limit"
    )
    many = few.model_copy(update={"hosts_needed": 10**27})
    assert words.capacity_line(many).endswith("; what is needed in 3 years is more than 1,000,000 hosts hold")


def test_advice_that_the_terminal_leaves_out_is_listed_with_the_values() -> None:
    made = eight_hosts()
    many = tuple(Advice(rule=f"r{n}", severity="may", text=f"Advice {n}.", source="howdah") for n in range(9))
    made = made.model_copy(update={"cluster": made.cluster.model_copy(update={"advice": many})})
    console = Console(width=100, file=StringIO())
    console.print(terminal(plan_summary(made, Path("plan.yaml"), None)))
    console.print("LISTED")
    console.print(terminal(plan_values(made, GROUNDS)))
    assert isinstance(console.file, StringIO)
    shown, listed = console.file.getvalue().split("LISTED")
    assert "Advice 8." not in shown
    assert "more; `howdah plan explain` shows all in full" in shown
    assert "Advice 8." in listed
