"""A run on a machine that others use at the same time says so, in the record, the terminal and the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.machines import Timeline
from howdah.store.reader import read_run
from support.busy import busy_others
from support.command import howdah
from support.findings import found, value


@pytest.mark.exam("labs")
def test_a_local_run_beside_others_is_told_of(tmp_path: Path) -> None:
    with busy_others():
        done = howdah("run", "pi", "--samples", "1B", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (path,) = (tmp_path / "runs").glob("2*")
    run = read_run(path)
    (warning,) = found(run, "others")
    assert warning.severity == "warning"
    # Two want each CPU, and howdah is one of them; whoever else is here makes others' share larger.
    assert value(warning, "others, pi") > 0.3
    (use,) = (one for one in analyse(run).evidence.others if one.workload == "pi" and one.phase is None)
    assert use.own + use.others + (use.kernel or 0) + use.idle + use.steal <= 1.001
    assert use.own > 0.02
    assert use.runnable is not None
    assert use.runnable > use.cpus
    assert "others used" in done.stdout
    shown = howdah("runs", "show", "last", cwd=tmp_path).stdout
    assert "times of this run are not its own" in shown
    assert 'id="others"' in (path / "report.html").read_text()
    machine = run.record.host.name
    assert Timeline(run.samples).instances(machine, "own") == ("howdah",)
