"""`howdah calibrate` as a user runs it: from figures to a file, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.documents.files import read_calibration
from howdah.model.calibration import PARAMETERS
from support.command import howdah, tree

# A table of one small run, which is quick to simulate.
SMALL = """# Not published: a figure to fit to.
benchmark,native,status
TeraGen 1TB,600,made up
TeraSort 1TB,,
TeraValidate 1TB,,
"""


def test_figures_become_a_calibration(tmp_path: Path) -> None:
    table = tmp_path / "seven_node_table3_ht_on.csv"
    table.write_text(SMALL)
    done = howdah("calibrate", table.name, "-o", "mine.yaml", cwd=tmp_path, timeout_s=600)
    assert done.returncode == 0, done.stderr
    calibration = read_calibration(tmp_path / "mine.yaml")
    assert [one.name for one in calibration.parameters][: len(PARAMETERS)] == [one.name for one in PARAMETERS]
    (cell,) = calibration.cells
    assert (cell.case, cell.quantity, cell.known) == ("seven-node native 1 TB r2/1", "teragen", 600.0)
    # What is expected of parameters beforehand holds a made-up figure back.
    assert abs(cell.error) < 0.1
    assert "mine.yaml" in done.stdout
    assert "seven-node native 1 TB r2/1" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("unknown.csv",), "unknown.csv: is not a published table that howdah knows"),
        (("seven_node_table3_ht_on.csv",), "seven_node_table3_ht_on.csv: no such file"),
        (("20261120-1714",), "contains no runs"),
        (("unknown.csv", "-o", "plan.txt"), "--output plan.txt: exists and is not a calibration"),
    ],
)
def test_what_cannot_be_calibrated_from_is_refused(
    arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    (tmp_path / "plan.txt").write_text("mine\n")
    before = tree(tmp_path)
    done = howdah("calibrate", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert tree(tmp_path) == before
    assert (tmp_path / "plan.txt").read_text() == "mine\n"
