"""The ranking of imported applications, slow hosts beyond chance, and queues that wait."""

from __future__ import annotations

import random
import resource
from dataclasses import replace
from pathlib import Path

import pytest

from howdah.jobs.ranking import find_application, overview
from howdah.jobs.spark import spark_application
from howdah.jobs.store import JobStore
from howdah.model.application import Application, HostShare
from howdah.model.job_ranking import ORDERS, Filters
from howdah.report.document import Form, Table, TableCell
from howdah.report.html import html
from howdah.report.imported_jobs import application_document, jobs_overview
from howdah.report.write import markdown
from howdah.services.event_log import read_event_log
from support.spark_logs import SPARK_EVENTS

WEEK_S = 7 * 86400.0


@pytest.fixture(scope="module")
def example() -> Application:
    """A real application, which tests change."""
    log = read_event_log(SPARK_EVENTS / "eventlog_v2_app-20261128205441-0000")
    return spark_application(log, "/logs/example", 1)


def _many(example: Application, count: int, slow: str = "", seed: int = 1) -> list[Application]:
    """Applications on ten of thirty hosts each, one every two hours; tasks on ``slow`` take 20 % longer."""
    draw = random.Random(seed)
    hosts = [f"h{number:02}" for number in range(30)]
    return [
        replace(
            example,
            id=f"application_1700000000000_{number:05}",
            submit_s=1.79e9 + number * 7200,
            end_s=1.79e9 + number * 7200 + 100,
            queue=("etl", "default")[number % 2],
            user=("ann", "bob", "cid")[number % 3],
            wait_s=float(number % 2) * 300,
            hosts=tuple(
                HostShare(host, 10, 0, 10, draw.gauss(0.18 if host == slow else 0.0, 0.15))
                for host in draw.sample(hosts, 10)
            ),
        )
        for number in range(count)
    ]


def test_a_real_application_shows_its_skew_waste_and_failures(example: Application) -> None:
    assert example.container_s > example.idle_s > 0
    assert example.failed_attempts == 4
    assert 0 < example.unused_memory_s < example.container_s
    assert example.wasted_s <= example.container_s
    # It failed, perhaps before it needed its memory.
    assert not any(advice.setting == "spark.executor.memory" for advice in example.advice)
    [failed] = [advice for advice in example.advice if "attempts failed" in advice.reason]
    assert "ZeroDivisionError" in failed.reason


def test_applications_are_ranked_by_every_order(tmp_path: Path, example: Application) -> None:
    store = JobStore(tmp_path)
    store.add(
        [
            replace(example, id="idle", idle_s=500.0, container_s=1000.0),
            replace(example, id="large", container_s=9000.0, idle_s=0.0),
            replace(example, id="spills", spilled_bytes=10**12),
            replace(example, id="skewed", skew_s=1e6),
            replace(example, id="failing", failed_s=99.0, container_s=99.0),
            replace(example, id="roomy", unused_memory_byte_s=1e18),
        ]
    )
    first = {order: overview(store, Filters(), order).applications[0].id for order in ORDERS}
    assert first == {
        "waste": "idle",
        "memory": "roomy",
        "spills": "spills",
        "skew": "skewed",
        "failures": "failing",
        "time": "large",
    }


def test_filters_choose_applications_hosts_and_queues(tmp_path: Path, example: Application) -> None:
    store = JobStore(tmp_path)
    store.add(_many(example, 60))
    assert overview(store, Filters(queue="root.etl")).count == 30
    assert overview(store, Filters(user="bob")).count == 20
    assert overview(store, Filters(since_s=1.79e9 + 50 * 7200)).count == 10
    assert overview(store, Filters(until_s=1.79e9 + 10 * 7200)).count == 10
    assert [queue.queue for queue in overview(store, Filters(queue="etl")).queues] == ["etl"]
    none = overview(store, Filters(queue="nothing"))
    assert (none.count, none.stored, none.hosts, none.queues) == (0, 60, (), ())
    assert len(overview(store, Filters(), top=7).applications) == 7


def test_a_slow_host_is_found_and_no_other(tmp_path: Path, example: Application) -> None:
    store = JobStore(tmp_path / "slow")
    store.add(_many(example, 300, slow="h07"))
    hosts = overview(store, Filters()).hosts
    assert [host.host for host in hosts if host.slow] == ["h07"]
    assert hosts[0].weeks == hosts[0].slow_weeks == 4
    assert hosts[0].low is not None
    assert hosts[0].high is not None
    assert hosts[0].low < 1.197 < hosts[0].high
    # Among many sets of equal hosts, hardly any has one that looks slow.
    false = 0
    for seed in range(20):
        store = JobStore(tmp_path / str(seed))
        store.add(_many(example, 40, seed=seed))
        false += any(host.slow for host in overview(store, Filters()).hosts)
    assert false <= 2


def test_queues_are_ordered_by_their_waits(tmp_path: Path, example: Application) -> None:
    store = JobStore(tmp_path)
    store.add(_many(example, 40))
    first, second = overview(store, Filters()).queues
    assert (first.queue, first.median_s, first.total_s) == ("default", 300.0, 6000.0)
    assert (second.queue, second.p95_s) == ("etl", 0.0)


def test_an_application_is_found_by_its_id_its_beginning_or_its_number(
    tmp_path: Path, example: Application
) -> None:
    store = JobStore(tmp_path)
    store.add(_many(example, 12))
    [one] = find_application(store, "job_1700000000000_00003")
    assert one.id == "application_1700000000000_00003"
    assert [each.id for each in find_application(store, "00003")] == [one.id]
    assert len(find_application(store, "application_17")) == 12


def test_many_imports_become_few_files_and_lose_nothing(tmp_path: Path, example: Application) -> None:
    store = JobStore(tmp_path)
    for application in _many(example, 40):
        store.add([application])
    assert len(store.files()) <= 17
    assert store.read().num_rows == 40
    store.add([replace(example, id="application_1700000000000_00003", name="again")])
    [newest] = find_application(store, "application_1700000000000_00003")
    assert newest.name == "again"


def test_pages_show_the_answer_and_every_change(tmp_path: Path, example: Application) -> None:
    store = JobStore(tmp_path)
    hostile = replace(example, id="bad", name="<script>alert(1)</script>", container_s=1e9, idle_s=1e9)
    store.add([*_many(example, 300, slow="h07"), hostile])
    document = jobs_overview(overview(store, Filters(), top=5))
    assert "h07 is slow" in document.answer
    for form in Form:
        assert document.in_form(form).sections
    page = html(document, {figure.id: "<svg/>" for figure in document.figures()})
    assert "<script>alert(1)" not in page
    assert "ZeroDivisionError" in markdown(document, "figures")
    one = application_document(example)
    assert one.kicker[-1] == "imported"
    assert "Stages" in one.tables()


@pytest.mark.slow
def test_ten_thousand_applications_need_little_memory(tmp_path: Path, example: Application) -> None:
    store = JobStore(tmp_path)
    store.add(_many(example, 10_000, slow="h07"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert overview(store, Filters()).count == 10_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 * 1024


def test_attempts_of_an_application_have_rows_and_pages_of_their_own(
    example: Application, tmp_path: Path
) -> None:
    store = JobStore(tmp_path)
    store.add([replace(example, attempt=attempt) for attempt in ("1", "2")])
    [table] = jobs_overview(overview(store, Filters()), linked=True).sections[0].blocks
    assert isinstance(table, Table)
    names = [row[0] for row in table.rows]
    assert sorted(names) == [f"{example.id}_1", f"{example.id}_2"]
    links = [row[0].links for row in table.rows if isinstance(row[0], TableCell)]
    assert links == [((name, f"{name}/"),) for name in names]
    [first] = find_application(store, f"{example.id}_1")
    assert first.attempt == "1"


def test_an_application_in_one_process_has_no_containers(example: Application) -> None:
    local = replace(example, containers=0, container_bytes=0, cpu_s=0.0)
    text = markdown(application_document(local), "figures")
    assert "none; the driver ran all tasks" in text
    assert "unknown, " in text


def test_the_wait_of_few_applications_is_no_percentile(example: Application, tmp_path: Path) -> None:
    store = JobStore(tmp_path)
    store.add([replace(example, queue="etl", wait_s=71.0)])
    assert jobs_overview(overview(store, Filters())).answer.endswith(
        "in queue etl, an application waited 1 min 11 s."
    )
