"""What can be explained in a plan is found by its name, and what cannot has a nearest name."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.model.plan import ClusterPlan
from howdah.session.plans import explained_names, find_name
from support.plan_samples import eight_hosts

PATH = Path("plan.yaml")


def _refusing(platform: str) -> ClusterPlan:
    """The sample with another name for what it refuses."""
    plan = eight_hosts()
    *possible, refused = plan.cluster.candidates
    candidates = (*possible, refused.model_copy(update={"platform": platform}))
    return plan.model_copy(update={"cluster": plan.cluster.model_copy(update={"candidates": candidates})})


def test_keys_platforms_and_masters_are_found() -> None:
    plan = eight_hosts()
    assert [one.key for one in find_name(plan, PATH, "dfs.blocksize").settings] == ["dfs.blocksize"]
    assert [one.platform for one in find_name(plan, PATH, "native").candidates] == ["native"]
    assert [one.name for one in find_name(plan, PATH, "rm1").masters] == ["rm1"]


def test_everything_that_is_named_is_found() -> None:
    plan = eight_hosts()
    assert all(any(find_name(plan, PATH, name)) for name in explained_names(plan))
    assert len(explained_names(plan)) == len(set(explained_names(plan)))


@pytest.mark.parametrize(
    ("platform", "numbers"),
    [("3 per host", [3]), ("3, 5 per host", [3, 5]), ("3, 5–7, 11 per host", [3, 5, 6, 7, 11])],
)
def test_each_of_the_platforms_refused_together_is_found(platform: str, numbers: list[int]) -> None:
    plan = _refusing(platform)
    for number in range(3, 12):
        if number in numbers:
            (refused,) = find_name(plan, PATH, f"{number} per host").candidates
            assert refused.verdict == "refused"
        elif number != 4:
            with pytest.raises(UserError):
                find_name(plan, PATH, f"{number} per host")


def test_a_misspelt_key_has_a_nearest_one() -> None:
    with pytest.raises(UserError, match=r"plan\.yaml") as caught:
        find_name(eight_hosts(), PATH, "dfs.blocksiz")
    assert caught.value.hint == "did you mean dfs.blocksize?"


def test_a_key_that_no_rule_decides_has_the_release_s_default() -> None:
    with pytest.raises(UserError, match="has no value in") as caught:
        find_name(eight_hosts(), PATH, "dfs.namenode.decommission.interval")
    assert caught.value.hint == (
        "the release's default applies: 30; --set dfs.namenode.decommission.interval=VALUE sets it"
    )


def test_what_is_like_nothing_is_answered_with_the_list() -> None:
    with pytest.raises(UserError) as caught:
        find_name(eight_hosts(), PATH, "xyzzy")
    assert "lists all keys, platforms and masters" in caught.value.hint
