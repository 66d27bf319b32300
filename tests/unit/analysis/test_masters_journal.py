"""What goes to JournalNodes, told for each workload of a pair of NameNodes."""

from __future__ import annotations

from howdah.model.tables import RunData
from support.cluster_records import terasort_on, with_samples
from support.cluster_scene import Scene
from support.findings import found


def _with_journals(*, blocks_per_s: float = 2.0) -> RunData:
    """A sort whose active NameNode wrote 50 edits a second, in lots of ten, to three JournalNodes."""
    run = terasort_on(Scene())
    (result,) = run.record.workloads
    rows = [
        (at, machine, metric, per_s * at)
        for machine, metric, per_s in (
            ("m1", "namenode/edits", 50.0),
            ("m1", "namenode/edit_sync_s", 0.02),
            ("m1", "namenode/added_blocks", blocks_per_s),
            ("m2", "namenode/edits", 0.0),
            *((f"m{number}", "journalnode/written_bytes", 6000.0) for number in (1, 2, 3)),
            *((f"m{number}", "journalnode/batches", 5.0) for number in (1, 2, 3)),
        )
        for at in (result.start_s, result.end_s + 3.0)
    ]
    return with_samples(run, rows)


def test_edits_and_bytes_are_told_for_each_journalnode_and_block() -> None:
    (finding,) = found(_with_journals(), "journal")
    assert finding.text == (
        "terasort: 50 edits a second of the NameNode on m1 went to 3 JournalNodes, 6.00 kB/s to each, "
        "3.00 kB for each block written; 4.0 ms until a lot was durable"
    )
    assert [(one.name, round(one.value, 4)) for one in finding.numbers] == [
        ("edits per second", 50),
        ("to one JournalNode", 6000),
        ("until durable", 0.004),
        ("for each block", 3000),
    ]


def test_without_blocks_nothing_is_divided_by_them_and_without_journals_nothing_is_told() -> None:
    (finding,) = found(_with_journals(blocks_per_s=0.0), "journal")
    assert "for each block" not in finding.text
    assert not found(terasort_on(Scene()), "journal")
