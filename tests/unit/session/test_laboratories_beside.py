"""Which plans can have laboratories on the same hosts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from howdah.documents.files import read_plan
from howdah.errors import UserError
from howdah.lab import registry, shared_hosts
from howdah.lab.faults import record_fault
from howdah.lab.state import LabState
from howdah.model.inventory import Inventory, Sharing
from howdah.model.plan import ClusterPlan
from howdah.session.laboratories import check_still_beside, place_on_hosts_of, shares_hosts
from support.labs import lab_plan
from support.shared_labs import begun_lab, shared_pair

A, B = "a.yaml", "b.yaml"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "registry", lambda: tmp_path / "howdah")


@pytest.fixture
def plans(tmp_path: Path) -> Mapping[str, ClusterPlan]:
    return {path.name: read_plan(path) for path in shared_pair(tmp_path)}


@pytest.fixture
def there(tmp_path: Path, plans: Mapping[str, ClusterPlan]) -> LabState:
    state = begun_lab("a", tmp_path / "of-a", plans[A], shared_hosts.first_place("a", shares=True))
    shared_hosts.register(state)
    return state


def refused(plan: ClusterPlan) -> str:
    with pytest.raises(UserError) as caught:
        place_on_hosts_of("a", "b", Path(B), plan)
    assert caught.value.hint
    return f"{caught.value.where}: {caught.value.what}"


def changed(plan: ClusterPlan, **changes: object) -> ClusterPlan:
    """A plan with something else of how it shares its hosts."""
    request = plan.cluster.request
    assert request.sharing is not None
    sharing = request.sharing.model_copy(update=changes)
    cluster = plan.cluster.model_copy(update={"request": request.model_copy(update={"sharing": sharing})})
    return plan.model_copy(update={"cluster": cluster})


def sharing_of(plan: ClusterPlan) -> Sharing:
    sharing = plan.cluster.request.sharing
    assert sharing is not None
    return sharing


def test_the_plan_that_stands_beside_gets_a_place(there: LabState, plans: Mapping[str, ClusterPlan]) -> None:
    place = place_on_hosts_of("a", "b", Path(B), plans[B])
    assert (place.lot, place.seat, place.neighbours) == ("a+", 1, (there,))


def test_a_plan_says_whether_its_hosts_are_whole_ones(plans: Mapping[str, ClusterPlan]) -> None:
    assert shares_hosts(plans[A])
    assert not shares_hosts(lab_plan())
    assert not shares_hosts(changed(plans[A], whole=()))


def test_plans_that_have_no_parts_of_the_same_hosts_are_refused(
    there: LabState, plans: Mapping[str, ClusterPlan]
) -> None:
    assert "it shares none, or an older howdah wrote it" in refused(lab_plan())
    assert "it shares none, or an older howdah wrote it" in refused(changed(plans[B], whole=()))
    assert refused(plans[A]) == 'b.yaml: has the same cluster name, a, as lab "a"'
    larger = tuple(group.model_copy(update={"memory": 64 * 2**30}) for group in sharing_of(plans[B]).whole)
    assert 'host h1: differs between b.yaml and lab "a"' in refused(changed(plans[B], whole=larger))


def test_parts_that_are_more_than_a_host_are_refused(
    there: LabState, plans: Mapping[str, ClusterPlan], tmp_path: Path
) -> None:
    """A second plan of a half that knows nothing of the first has the first one's disks."""
    (tmp_path / "apart").mkdir()
    other, _ = shared_pair(
        tmp_path / "apart", hosts=Inventory(cluster="other", groups=sharing_of(plans[A]).whole)
    )
    renamed = read_plan(other)
    inventory = renamed.cluster.inventory.model_copy(update={"cluster": "other"})
    renamed = renamed.model_copy(
        update={"cluster": renamed.cluster.model_copy(update={"inventory": inventory})}
    )
    assert refused(renamed) == "host h1: clusters a and other were both given its data disk 1"


def test_while_faults_are_in_force_nobody_comes(there: LabState, plans: Mapping[str, ClusterPlan]) -> None:
    record_fault(there, "slow-link host:h1 to 1Mb/s", ("h1",), (), own=False)
    assert "has active faults" in refused(plans[B])


def test_one_that_is_there_is_not_moved_to_other_hosts(
    there: LabState, plans: Mapping[str, ClusterPlan], tmp_path: Path
) -> None:
    other = begun_lab("b", tmp_path / "of-b", plans[B], place_on_hosts_of("a", "b", Path(B), plans[B]))
    check_still_beside(other, "a")
    with pytest.raises(UserError, match='lab "b" is already up on other hosts'):
        check_still_beside(other, "nobody")
