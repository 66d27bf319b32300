"""What a secure cluster is given beside Hadoop's own files."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.documents.files import read_inventory
from howdah.model.request import Demand, PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.render.cluster import render

EXAMPLES = Path(__file__).parents[3] / "examples"


def executor_files(request: PlanRequest, example: str = "7") -> dict[str, str]:
    plan = plan_cluster(read_inventory(EXAMPLES / f"hosts-{example}.yaml"), request)
    return {file.path: file.content for file in render(plan).files if "container-executor" in file.path}


@pytest.mark.parametrize(
    ("example", "folders"),
    [("7", {"hadoop"}), ("mixed", {"hadoop", "hadoop-new-worker", "hadoop-old-worker"})],
)
def test_the_program_that_starts_tasks_as_their_users_has_its_file(example: str, folders: set[str]) -> None:
    files = executor_files(PlanRequest(secure=True), example)
    assert set(files) == {f"{folder}/container-executor.cfg" for folder in folders}
    for content in files.values():
        lines = [line for line in content.splitlines() if line and not line.startswith("#")]
        assert lines == [
            "banned.users=hdfs,yarn,mapred,hbase,bin",
            "min.user.id=1000",
            "yarn.nodemanager.linux-container-executor.group=hadoop",
        ]


@pytest.mark.parametrize(
    "request_", [PlanRequest(), PlanRequest(secure=True, workloads=(Demand(kind="ycsb"),))]
)
def test_without_security_or_without_tasks_there_is_none(request_: PlanRequest) -> None:
    assert executor_files(request_) == {}
