"""Plans asked for in a browser: faults at their place, what if, and no file of the server's."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from howdah.documents.files import read_inventory, write_plan
from howdah.errors import UserError
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Growth, Override, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.serve.pages import sentence
from howdah.serve.places import ServeSettings
from howdah.session.interactive_plans import (
    PlanAsked,
    WhatIfAsked,
    asked_for,
    check_inventory,
    plan_asked,
    what_if,
)
from support.plan_samples import eight_hosts
from support.served import FROM_PAGE, client_of
from support.sim_plans import EXAMPLES, slots_plan, small_plan, study_plan

HOSTS = (Path(__file__).parents[3] / "examples" / "hosts-7.yaml").read_text()


def test_every_fault_is_told_at_its_place() -> None:
    lines = HOSTS.splitlines()
    place = next(number for number, line in enumerate(lines, start=1) if "count:" in line)
    lines[place - 1] = lines[place - 1].replace("count:", "cuont:")
    faults = check_inventory("\n".join(lines))
    assert faults
    assert faults[0].line == place
    assert "count" in faults[0].hint
    assert check_inventory(HOSTS) == ()


@pytest.mark.parametrize("text", ["", "- a\n", "{", "a: &x [*x]", "x" * 1000, "\t", "groups: 3\n"])
def test_a_text_that_is_no_inventory_is_a_fault_and_no_error(text: str) -> None:
    assert check_inventory(text)


def test_a_file_of_the_server_s_is_not_read() -> None:
    with pytest.raises(UserError) as caught:
        plan_asked(PlanAsked(inventory=HOSTS, workload="@/etc/passwd"))
    assert "is a file" in str(caught.value)


def test_what_if_is_simulated_with_its_changes() -> None:
    asked = WhatIfAsked(inventory=HOSTS, workload="terasuite:10GB", replications=2)
    base = what_if(asked, "published")
    assert base.whole.interval is not None
    assert base.whole.interval.low < base.whole.median < base.whole.interval.high
    assert base.simulator == "full"
    assert {one.workload for one in base.forecasts} == {"teragen", "terasort", "teravalidate"}
    more = what_if(
        asked.model_copy(update={"changes": {"hosts": "14", "block-size": "64MiB"}}),
        "published",
    )
    assert more.hosts == 2 * base.hosts
    assert more.whole.median < base.whole.median
    doubled = what_if(asked.model_copy(update={"dataset": "20GB"}), None)
    assert doubled.dataset_bytes == 20 * 10**9
    assert doubled.calibration is None
    assert {one.interval for one in (doubled.whole, *doubled.forecasts)} == {None}


def test_few_hosts_stand_for_all_where_they_are_alike_and_it_is_said() -> None:
    many = HOSTS.replace("count: 7", "count: 24").replace("host[1-7]", "host[01-24]")
    asked = WhatIfAsked(inventory=many, workload="terasuite:10TB", simulator="quick")
    quick = what_if(asked, "published")
    assert (quick.simulator, quick.few_hosts, quick.full_because) == ("quick", 8, None)
    full = what_if(asked.model_copy(update={"simulator": "full"}), "published")
    assert (full.simulator, full.few_hosts, full.full_because) == ("full", None, None)
    assert quick.whole.median == pytest.approx(full.whole.median, rel=0.05)


def test_the_full_simulation_answers_where_few_hosts_do_not_stand_for_all() -> None:
    asked = WhatIfAsked(inventory=HOSTS, workload="terasuite:10GB", simulator="quick")
    times = what_if(asked, None)
    assert times.simulator == "full"
    assert times.full_because == "there is little data for each task"


def test_what_cannot_be_is_refused_in_the_planner_s_words() -> None:
    with pytest.raises(UserError) as caught:
        what_if(WhatIfAsked(inventory=HOSTS, changes={"block-size": "3"}), None)
    assert "block" in str(caught.value)
    with pytest.raises(UserError):
        what_if(WhatIfAsked(inventory=HOSTS, changes={"hosts": "9000"}), None)


def growing_plan() -> ClusterPlan:
    """Hosts of a mix of work, with data that grows and values that a user insists on."""
    request = PlanRequest(
        workloads=(Demand(kind="terasuite", dataset_bytes=10**12), Demand(kind="ycsb", records=10_000_000)),
        growth=Growth(need_bytes=10**12, per_year=0.25, years=2),
        overrides=(Override(key="dfs.blocksize", value="512MiB"),),
    )
    return plan_cluster(read_inventory(EXAMPLES / "hosts-7.yaml"), request)


@pytest.mark.parametrize("make", [eight_hosts, slots_plan, study_plan, small_plan, growing_plan])
def test_a_plan_that_is_opened_asks_for_itself(make: Callable[[], ClusterPlan]) -> None:
    plan = make()
    opened = asked_for(plan, "file-1")
    made = plan_asked(opened, plan)
    # What checks say of it is added to a plan, whose values are those of its file.
    assert made.settings == plan.settings
    assert made.cluster.request == plan.cluster.request
    # What the form does not show stays: a plan of the paper's settings has more than the form.
    changed = plan_asked(opened.model_copy(update={"replication": 2}), plan)
    assert changed.cluster.request == plan.cluster.request.model_copy(update={"replication": 2})


def test_what_if_begins_with_the_plan_that_was_opened() -> None:
    plan = small_plan()
    other = plan.model_copy(
        update={
            "settings": tuple(
                one.model_copy(update={"value": 1}) if one.key == "dfs.replication" else one
                for one in plan.settings
            )
        }
    )
    opened = asked_for(other, "file-1").model_dump() | {"dataset": ""}
    asked = WhatIfAsked.model_validate(opened)
    assert what_if(asked, None, other).whole.median != what_if(asked, None).whole.median


def test_two_plans_of_one_file_name_are_told_apart_by_their_path(tmp_path: Path) -> None:
    def names(*paths: str) -> list[str]:
        settings = ServeSettings(tmp_path, plans=tuple(tmp_path / path for path in paths))
        return [name for _, name in settings.plan_names]

    assert names() == []
    assert names("east/plan.yaml") == ["plan.yaml"]
    assert names("east/plan.yaml", "west/plan.yaml") == ["east/plan.yaml", "west/plan.yaml"]
    assert names("a/x/plan.yaml", "b/x/plan.yaml", "c/other.yaml") == [
        "a/x/plan.yaml", "b/x/plan.yaml", "other.yaml",
    ]  # fmt: skip
    assert names("plan.yaml", "plan.yaml") == ["plan.yaml", "plan.yaml"]
    assert names("plan.yaml", "deeper/plan.yaml")[1] == "deeper/plan.yaml"


def test_the_plan_page_opens_the_first_plan_unless_another_is_named(tmp_path: Path) -> None:
    for name, plan in (("a", eight_hosts()), ("b", small_plan())):
        (tmp_path / name).mkdir()
        (tmp_path / name / "plan.yaml").write_text(write_plan(plan))
    plans = tuple(tmp_path / name / "plan.yaml" for name in "ab")
    with client_of(tmp_path, plans=plans) as client:
        first, second, new = (
            client.get(f"/plan/{query}", headers={"Accept": "text/html"}).text
            for query in ("", "?plan=file-2", "?plan=new")
        )
        assert client.get("/plan/?plan=file-3").status_code == 404
        answer = client.post("/api/v1/plan", json={"inventory": HOSTS, "base": "file-9"}, headers=FROM_PAGE)
        assert answer.status_code == 404
    assert '<h1 class="page-title">Plan a/plan.yaml</h1>' in first
    assert '<h1 class="page-title">Plan b/plan.yaml</h1>' in second
    assert "cluster: seven" in second
    assert "cluster: example" in new


def test_a_plan_that_cannot_be_opened_leaves_a_page_to_plan_on(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text("howdah: 1\n")
    with client_of(tmp_path, plans=(tmp_path / "plan.yaml",)) as client:
        page = client.get("/plan/", headers={"Accept": "text/html"})
        assert client.get("/plan/?plan=file-1").status_code == 409
    assert page.status_code == 200
    assert "cluster: example" in page.text
    assert str(tmp_path) not in page.text
    assert re.search(r'role="alert">[^<]*plan.yaml[^<]*\.</p>', page.text)


def test_a_hint_is_a_sentence_of_its_own() -> None:
    assert sentence("one of hdd, ssd") == "One of hdd, ssd."
    assert sentence("howdah plan makes one") == "howdah plan makes one."
    assert sentence("dfs.blocksize is read by clients.") == "dfs.blocksize is read by clients."


def test_the_plan_page_shows_cpus_and_numbers_with_their_units(tmp_path: Path) -> None:
    with client_of(tmp_path) as client:
        page = client.get("/plan/", headers={"Accept": "text/html"}).text
        answer = client.post("/api/v1/plan", json={"inventory": HOSTS}, headers=FROM_PAGE).json()
    assert ">CPUs</th>" in page
    assert ">vCPUs</th>" not in page
    assert "\N{NO-BREAK SPACE}GiB" in answer["answer"]
    assert " GiB" not in answer["answer"]
