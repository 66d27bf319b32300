"""Runs are found by what they are, and sorted by what is asked for."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from howdah.model.run import Annotation
from howdah.serve.finding import RunsWanted, bars, find_runs
from howdah.serve.index import RunIndex, RunRow
from howdah.store.archive import write_annotation
from support import records
from support.stored import write_run


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> RunIndex:
    runs = tmp_path_factory.mktemp("runs")
    for number, data in enumerate((records.pi(), records.terasuite(), records.failed(), records.terasuite())):
        record = data.record.model_copy(
            update={"id": f"run-{number}", "created": f"2026-11-{20 + number}T10:00:00.000+00:00"}
        )
        path = write_run(runs, data._replace(record=record))
        if number % 2:
            write_annotation(path, Annotation(tags=("odd", f"n{number}"), note="Über 100 %_ of it"))
    made = RunIndex(runs, None)
    for _ in made.refresh(made.names(), every=True):
        pass
    return made


def ids(index: RunIndex, **wanted: object) -> list[str]:
    return [row.id for row in find_runs(index, RunsWanted.model_validate(wanted)).rows]


def test_the_newest_come_first(index: RunIndex) -> None:
    assert ids(index) == ["run-3", "run-2", "run-1", "run-0"]
    assert ids(index, descending=False, offset=1, limit=2) == ["run-1", "run-2"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"suite": "pi"}, ["run-0"]),
        ({"outcome": "failed"}, ["run-2"]),
        ({"tag": "odd"}, ["run-3", "run-1"]),
        ({"tag": "od"}, []),
        ({"search": "über n3"}, ["run-3"]),
        ({"search": "%_"}, ["run-3", "run-1"]),
        ({"search": "' OR 1=1 --"}, []),
        ({"since": "2026-11-22"}, ["run-3", "run-2"]),
        ({"until": "2026-11-21"}, ["run-1", "run-0"]),
        ({"since": "2026-11-21", "until": "2026-11-22", "engine": "local"}, ["run-2", "run-1"]),
    ],
)
def test_filters(index: RunIndex, wanted: dict[str, object], found: list[str]) -> None:
    assert ids(index, **wanted) == found


def test_an_order_that_is_no_column_is_refused() -> None:
    with pytest.raises(ValidationError):
        RunsWanted.model_validate({"order": "id; DROP TABLE runs"})


def test_the_counts_are_of_all_runs(index: RunIndex) -> None:
    found = find_runs(index, RunsWanted(suite="pi"))
    assert (found.found, found.known) == (1, 4)
    assert {facet.value: facet.count for facet in found.facets["outcome"]} == {"succeeded": 3, "failed": 1}
    assert found.facets["tag"][0].value == "odd"


def test_measured_and_simulated_runs_have_separate_scales() -> None:
    def row(name: str, origin: str, value: float) -> RunRow:
        return RunRow(
            id=name, suite="terasuite", origin=origin, metric="terasort", elapsed_s=value, value=value
        )

    lengths = bars((row("a", "measured", 5.0), row("b", "measured", 10.0), row("c", "simulated", 4000.0)))
    assert lengths == {"a": (0.5, 0.5), "b": (1.0, 1.0), "c": (1.0, 1.0)}


def test_a_bar_is_beside_the_longest_of_its_suite(index: RunIndex) -> None:
    rows = find_runs(index, RunsWanted()).rows
    lengths = bars(rows)
    assert lengths["run-0"][0] == 1.0
    assert max(lengths[row.id][0] for row in rows if row.suite == "terasuite") == 1.0
    assert all(0 <= one <= 1 for pair in lengths.values() for one in pair)
