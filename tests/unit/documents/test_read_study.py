"""What is wrong with a study's file is told at its place, with the nearest that would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.documents.files import read_study, study_schema
from howdah.errors import UserError
from howdah.study.local import local_study
from howdah.study.matrix import cells_of
from support.studies import SIMULATED

STUDIES = Path(__file__).parents[3] / "studies"

PLAIN = """\
howdah: 1
study: codecs
question: Does compression pay?
suite: terasuite
factors:
  - {vary: codec, values: [none, lz4]}
  - {vary: dataset, values: [1GB, 2GB]}
baseline: {codec: none}
"""


def _read(text: str, folder: Path) -> UserError:
    path = folder / "study.yaml"
    path.write_text(text)
    with pytest.raises(UserError) as caught:
        read_study(path)
    return caught.value


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("vary: codec", "vary: codex", "'codex' cannot be varied (did you mean codec?)"),
        ("lz4", "lz5", "values[1]: 'lz5' is not a value of codec (did you mean lz4?)"),
        (
            "codec, values: [none, lz4]",
            "maps, values: [0, 2]",
            "values[0]: 0 is not a value of maps (at least 1)",
        ),
        (
            "codec, values: [none, lz4]",
            "maps, values: [2, 20000]",
            "20000 is not a value of maps (at most 10000)",
        ),
        (
            "codec, values: [none, lz4]",
            "maps, values: [two]",
            "'two' is not a value of maps (write a whole number)",
        ),
        ("codec, values: [none, lz4]", "maps, values: [true, 2]", "values[0]: true is not a value of maps"),
        ("baseline:", "seed: -1\nbaseline:", "seed: -1 is too small (at least 0"),
        ("baseline:", "seed: 9223372036854775808\nbaseline:", "seed: 9223372036854775808 is too large"),
        ("baseline:", "budget: {hours: 0}\nbaseline:", "budget.hours: 0 is too small (more than 0"),
        ("baseline:", "repeats: {until: 2}\nbaseline:", "repeats.until: 2 is too large (less than 1"),
        ("2GB", "2000", "2000 has no unit"),
        ("values: [1GB, 2GB]", "values: []", "needs either values or levels"),
        ("[none, lz4]", "[none, none]", "has 'none' twice"),
        ("baseline: {codec: none}", "baseline: {codec: lz", "study.yaml"),
        ("{codec: none}", "{codec: nine}", "'nine' is not a level of codec (did you mean none?)"),
        ("{codec: none}", "{coded: none}", "'coded' is not a factor (did you mean codec?)"),
        ("suite:", "settings: {engine: simm}\nsuite:", "'simm' is unknown here"),
        ("suite:", "settings: {slot: 2}\nsuite:", "do you mean slots?"),
        ("baseline:", "budget: {runs: 11}\nbaseline:", "11 is too little for 4 cells × 3 repeats: 12"),
        ("baseline:", "repeats: {least: 3, most: 2}\nbaseline:", "most is 2, least is 3"),
        ("baseline:", "cells: [{codec: lz4, dataset: 1GB}]\nbaseline:", "baseline: is not in the matrix"),
        ("baseline:", "cells: [{codec: lz4}]\nbaseline:", "cells[0]: has no dataset"),
        (
            "baseline:",
            "published: [{source: a, cells: [{at: {dataset: 3GB}, times: {terasort: 1}}]}]\nbaseline:",
            "'3GB' is not a level of dataset",
        ),
        (
            "baseline:",
            "published: [{source: a, cells: [{at: {dataset: 2GB}, times: {terasorted: 1}}]}]\nbaseline:",
            "'terasorted' is not a workload (did you mean terasort?)",
        ),
        (
            "baseline:",
            "published: [{source: a, platforms: [{at: {codec: lz5}, workers: 1}]}]\nbaseline:",
            "'lz5' is not a level of codec",
        ),
        (
            "baseline:",
            "published: [{source: a, ratios: [{of: pi, slow: {codec: none}, fast: {codec: x}, ratio: 1}]}]\n"
            "baseline:",
            "'x' is not a level of codec",
        ),
    ],
)
def test_a_fault_is_told(old: str, new: str, says: str, tmp_path: Path) -> None:
    error = _read(PLAIN.replace(old, new, 1), tmp_path)
    assert says in f"{error} ({error.hint})"
    assert error.exit_code == 2


def test_a_matrix_beyond_reason_is_not_made(tmp_path: Path) -> None:
    factors = "\n".join(f"  - {{vary: a.b{i}, values: {list(range(10))}}}" for i in range(9))
    text = PLAIN.replace("factors:", f"factors:\n{factors}")
    assert "makes 4,000,000,000 cells" in str(_read(text, tmp_path))


def test_a_published_cell_outside_listed_cells_is_refused(tmp_path: Path) -> None:
    listed = SIMULATED.replace("baseline:", "cells:\n  - {block_size: 64MiB, dataset: 20GB}\nbaseline:")
    assert "is not a cell of the matrix" in str(_read(listed, tmp_path))


@pytest.mark.parametrize(
    "path", sorted([*STUDIES.glob("*.yaml"), *STUDIES.glob("lab/*.yaml")]), ids=lambda path: path.name
)
def test_the_shipped_studies_are_whole(path: Path) -> None:
    assert len(cells_of(read_study(path))) >= 2


def test_the_schema_is_kept_as_it_is() -> None:
    kept = (STUDIES.parent / "schemas" / "study.schema.json").read_text()
    assert kept == study_schema(), "renew it: howdah study schema -o schemas/study.schema.json"


def test_the_study_of_a_machine_reads_back(tmp_path: Path) -> None:
    made = local_study(4, 16 * 2**30, ["/data1", "/data2"])
    path = tmp_path / "study.yaml"
    path.write_text(made.model_dump_json(indent=1, exclude_defaults=True))
    assert read_study(path) == made
    labels = [level.label for level in made.factors[0].levels]
    assert labels[:3] == ["as planned", "codec lz4", "codec snappy"]
    assert labels[-3:] == ["memory 1GiB", "only /data1", "only /data2"]
    # A machine of little memory is planned a small budget anyway, and one disk is no choice.
    small = local_study(4, 2 * 2**30, ["/data1"])
    assert small.factors[0].levels[-1].label == "32 tasks"


def test_levels_that_are_numbers_are_named_by_them(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(
        "howdah: 1\nstudy: replicas\nquestion: What does a replica cost?\nsuite: terasuite\n"
        "factors:\n  - {vary: replication, values: [1, 3]}\n  - {vary: slowstart, values: [0.05, 0.95]}\n"
        "cells: [{replication: 1, slowstart: 0.05}, {replication: 3, slowstart: 0.95}]\n"
        "baseline: {replication: 1}\n"
    )
    study = read_study(path)
    assert study.baseline == {"replication": "1"}
    assert study.cells[1] == {"replication": "3", "slowstart": "0.95"}
