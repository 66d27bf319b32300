"""A plan edited by hand is refused where it names what it does not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.documents.files import read_inventory, read_plan, write_plan
from howdah.errors import UserError
from howdah.model.request import Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module")
def written() -> str:
    request = PlanRequest(hypervisor=Hypervisor.VSPHERE, protection=Protection.FT)
    return write_plan(plan_cluster(read_inventory(EXAMPLES / "hosts-ft.yaml"), request))


@pytest.mark.parametrize(
    ("edit", "path", "what"),
    [
        (("    group: host\n", "    group: nope\n"), "workers[0].group", "'nope' is not a group of hosts"),
        (
            ("    - group: host\n", "    - group: nope\n"),
            "cluster.layouts[0].group",
            "'nope' is not a group of hosts",
        ),
        (
            ("workers: [worker, ", "workers: [rider, "),
            "cluster.layouts[0].workers[0]",
            "'rider' is not a kind of worker",
        ),
        (("host: host01.", "host: host99."), "cluster.masters[0].host", "is not a host of this plan"),
        (
            ("shadow_host: host02.", "shadow_host: h."),
            "cluster.masters[0].shadow_host",
            "is not a host of this plan",
        ),
        (('["host[01-02].', '["host[01-03].'), "cluster.topology.racks[1].hosts", "is in two racks"),
        (
            ('["host[01-02].', '["host[01-01].'),
            "cluster.topology.racks",
            "'host02.example.com' is in no rack",
        ),
        (
            ('["host[01-02].', '["rack[01-02].'),
            "cluster.topology.racks[0].hosts",
            "is not a host of this plan",
        ),
    ],
)
def test_a_name_that_the_plan_does_not_have_is_shown_where_it_stands(
    written: str, edit: tuple[str, str], path: str, what: str, tmp_path: Path
) -> None:
    old, new = edit
    assert old in written
    plan = tmp_path / "plan.yaml"
    plan.write_text(written.replace(old, new, 1))
    with pytest.raises(UserError) as caught:
        read_plan(plan)
    assert f"{path}: " in str(caught.value)
    assert what in str(caught.value)
    assert str(plan) in caught.value.where
