"""What another laboratory on the same hosts used of them is told; runs beside it are no repeats of others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from howdah.analysis.analyse import analyse
from howdah.analysis.comparing.figures import hardware_facts
from howdah.model.cluster import LaboratoryBeside
from howdah.model.tables import RunData
from support.cluster_records import with_samples
from support.findings import found, value
from support.shared import shared_lab
from support.shared_labs import shared_plans


def beside(tmp_path: Path, sent_bytes_per_s: float) -> RunData:
    """A run on a laboratory whose neighbour b sent so much from h1, and a tenth of it from h2."""
    run = shared_lab(0.1)
    plan, _ = shared_plans(tmp_path)
    run = run._replace(record=run.record.model_copy(update={"plan": plan}))
    times = np.unique(run.samples.column("time_s").to_numpy())
    per_s = {"cpu_s": 0.2, "sent_bytes": sent_bytes_per_s, "received_bytes": sent_bytes_per_s / 2}
    return with_samples(
        run,
        [
            (float(time_s), host, f"neighbour/b/{quantity}", share * rate * float(time_s))
            for time_s in times
            for host, share in (("h1", 1.0), ("h2", 0.1))
            for quantity, rate in per_s.items()
        ],
    )


def test_a_busy_neighbour_is_warned_of(tmp_path: Path) -> None:
    run = beside(tmp_path, 5e6)
    (use,) = analyse(run).evidence.neighbours
    assert (use.lab, use.hosts) == ("b", ("h1", "h2"))
    assert use.link == pytest.approx(0.4)
    assert use.cpus == pytest.approx(0.22)
    (warning,) = found(run, "neighbours")
    assert warning.severity == "warning"
    assert warning.text == (
        'lab "b" is on h1 and h2, too, and used 40 % of a host\'s link and 0.22 CPUs during terasort: '
        "times of this run are not those of hosts without neighbours"
    )
    assert value(warning, "link, terasort") == pytest.approx(0.4)


def test_a_quiet_neighbour_is_no_news(tmp_path: Path) -> None:
    assert found(beside(tmp_path, 1e5), "neighbours") == []
    (note,) = found(beside(tmp_path, 1e6), "neighbours")
    assert note.severity == "note"


def test_hosts_of_its_own_have_no_neighbours() -> None:
    assert analyse(shared_lab(0.1)).evidence.neighbours == ()


def test_runs_beside_a_laboratory_are_no_repeats_of_those_without(tmp_path: Path) -> None:
    record = shared_lab(0.1).record
    assert record.cluster is not None
    assert record.cluster.lab is not None
    for at_work, said in ((True, "b at work"), (False, "b idle")):
        beside = (LaboratoryBeside(name="b", at_work=at_work),)
        lab = record.cluster.lab.model_copy(update={"beside": beside})
        other = record.model_copy(update={"cluster": record.cluster.model_copy(update={"lab": lab})})
        (fact,) = [fact for fact in hardware_facts(other) if fact not in list(hardware_facts(record))]
        assert fact == ("lab's neighbours", said)
