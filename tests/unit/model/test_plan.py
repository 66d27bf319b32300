"""A plan has a cluster or none, and is read back as the type that was written."""

from __future__ import annotations

import json

import pytest
from pydantic import TypeAdapter, ValidationError

from howdah.errors import UserError
from howdah.model.plan import ClusterPlan, Plan, WorkerPlan, cluster_plan
from support.plans import plan, worker_plan

ADAPTER: TypeAdapter[Plan] = TypeAdapter(Plan)


@pytest.mark.parametrize("written", [plan(), worker_plan(plan())])
def test_a_plan_is_read_back_as_its_type(written: Plan) -> None:
    text = ADAPTER.dump_json(written)
    assert list(json.loads(text)) == ["platform", "workers", "settings", "cluster"]
    for read in (ADAPTER.validate_json(text), ADAPTER.validate_python(json.loads(text))):
        assert type(read) is type(written)
        assert read == written


def test_a_plan_without_the_key_has_no_cluster() -> None:
    assert isinstance(
        ADAPTER.validate_python({"platform": "native", "workers": (), "settings": ()}), WorkerPlan
    )


def test_only_the_plan_of_a_cluster_passes_as_one() -> None:
    assert cluster_plan(plan(), "plan.yaml") == plan()
    with pytest.raises(
        UserError, match=r"plan\.yaml: has no `cluster`: it is incomplete, or a plan of one machine"
    ):
        cluster_plan(worker_plan(plan()), "plan.yaml")
    with pytest.raises(ValidationError, match="has no `cluster`: it is incomplete, or a plan of one machine"):
        ClusterPlan.model_validate(worker_plan(plan()).model_dump())
