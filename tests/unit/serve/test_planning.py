"""Plans asked for in a browser: faults at their place, what if, and no file of the server's."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.serve.planning import PlanAsked, WhatIfAsked, check_inventory, plan_asked, what_if

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
