"""The index of sources says what every source is that a file cites."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from howdah.documents.files import read_inventory
from howdah.model.request import Demand, Override, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.planner.document import source_text
from howdah.render.cluster import render

HOSTS = Path(__file__).parents[3] / "examples" / "hosts-32.yaml"
REQUESTS = (
    PlanRequest(protection=Protection.HA),
    PlanRequest(workloads=(Demand(kind="terasuite"), Demand(kind="ycsb")), secure=True),
)


@pytest.mark.parametrize("request_", REQUESTS)
def test_every_source_in_brackets_is_in_the_index_with_what_it_is(request_: PlanRequest) -> None:
    files = {
        file.path: file.content
        for file in render(plan_cluster(read_inventory(HOSTS), request_), source_text).files
    }
    index = dict(re.findall(r"^\| (.+?) \| (.+) \|$", files["SOURCES.md"], re.MULTILINE))
    cited = {
        source
        for path, content in files.items()
        if path.endswith("-site.xml")
        for citation in re.findall(r"\[[a-z-]+\.[a-z-]+; ([^\]]+)\]", content)
        for source in " ".join(citation.split()).split(", ")
    }
    assert len(cited) > 30
    assert cited - index.keys() == set()
    assert "Virtualized Hadoop Performance" in index["D0 60"]
    assert index["HDFS-3703"].endswith("https://issues.apache.org/jira/browse/HDFS-3703")
    assert "SOURCES.md" in files["README.md"]


def test_sources_are_in_the_order_of_their_numbers() -> None:
    content = next(
        file.content
        for file in render(plan_cluster(read_inventory(HOSTS), PlanRequest()), source_text).files
        if file.path == "SOURCES.md"
    )
    numbers = [int(number) for number in re.findall(r"^\| D0 (\d+)", content, re.MULTILINE)]
    assert numbers == sorted(numbers)


def test_a_users_own_value_cites_nothing_and_nothing_is_said_without_a_voice() -> None:
    request = PlanRequest(overrides=(Override(key="dfs.blocksize", value="128m"),))
    plan = plan_cluster(read_inventory(HOSTS), request)
    content = next(file.content for file in render(plan, source_text).files if file.path == "SOURCES.md")
    assert "| command line |" not in content
    assert "SOURCES.md" not in {file.path for file in render(plan).files}
