"""What a sort spilled stays until nobody's clock runs: a disk that is told of freed space is busy with it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile

from howdah.engines.local.work import sort_needs
from howdah.engines.local.workspace import Workspace
from howdah.model.run import Outcome, RunRecord
from support.rigs import TASKS, LocalRig
from support.sinks import MemorySink

ROWS = 3_000_000
SPARE_BYTES = 100 << 20


def _spilled(root: Path) -> list[str]:
    """The files without a name that this process has open below a directory."""
    links = []
    for entry in Path("/proc/self/fd").iterdir():
        try:
            links.append(str(entry.readlink()))
        except FileNotFoundError:
            # That of the look itself.
            continue
    return [link for link in links if link.startswith(str(root)) and link.endswith("(deleted)")]


def test_what_a_sort_spilled_is_freed_when_the_run_has_ended(tmp_path: Path) -> None:
    rig = LocalRig(tmp_path, maps_at_once=2)
    least, _ = sort_needs(ROWS, TASKS[1], 2)
    job = rig.make_job("terasuite", rows=ROWS, memory_bytes=least + SPARE_BYTES)
    open_after: dict[int, int] = {}

    def look(record: RunRecord) -> None:
        if record.workloads:
            open_after[len(record.workloads)] = len(_spilled(tmp_path))

    record = rig.engine.run(job, MemorySink(on_update=look))
    assert record.outcome is Outcome.SUCCEEDED
    assert record.workloads[1].in_memory is False
    # After TeraGen nothing was spilled; TeraSort's file is open when it has ended, and when TeraValidate has.
    assert open_after == {1: 0, 2: 1, 3: 1}
    assert _spilled(tmp_path) == []


def test_a_workspace_lets_go_of_what_it_holds_at_its_end(tmp_path: Path) -> None:
    with Workspace([str(tmp_path / "data")], "run", keep=False) as workspace:
        workspace.hold(TemporaryFile(dir=tmp_path))  # noqa: SIM115 - the workspace closes it
        assert len(_spilled(tmp_path)) == 1
    assert _spilled(tmp_path) == []
