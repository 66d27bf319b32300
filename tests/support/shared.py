"""Runs whose machine others used, too: a laboratory's, and that of a local run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from howdah.model.tables import RunData
from support.cluster_records import terasort_on, with_samples
from support.cluster_reports import laboratory
from support.cluster_scene import Scene
from support.records import terasuite

BENEATH = "big"
CPUS = 4


def shared_lab(
    others: float, scene: Scene | None = None, *, steal: float = 0.0, disk: float = 0.0
) -> RunData:
    """A run on a laboratory on four CPUs, of which others had a share, and of whose disk bytes they had one.

    The laboratory had 0.2 of the CPUs, howdah 0.01 and the kernel 0.05; its disks moved 10 MB/s.
    """
    run = terasort_on(scene or Scene(rows=4_000_000))
    lab = laboratory().record.cluster
    assert lab is not None
    assert lab.lab is not None
    state = lab.model_copy(update={"lab": lab.lab.model_copy(update={"machine": BENEATH})})
    record = run.record.model_copy(update={"cluster": state})
    times = np.unique(run.samples.column("time_s").to_numpy())
    return with_samples(
        run._replace(record=record), list(_beneath([float(one) for one in times], others, steal, disk))
    )


def _beneath(
    times_s: list[float], others: float, steal: float, disk: float
) -> Iterator[tuple[float, str, str, float]]:
    busy = others + 0.26
    moved = 10e6 / (1 - disk)
    per_s = {
        **{f"cpu/{cpu}/user_s": 0.8 * busy for cpu in range(CPUS)},
        **{f"cpu/{cpu}/system_s": 0.2 * busy for cpu in range(CPUS)},
        **{f"cpu/{cpu}/steal_s": steal for cpu in range(CPUS)},
        **{f"cpu/{cpu}/idle_s": 1 - busy - steal for cpu in range(CPUS)},
        "own/lab/cpu_s": 0.2 * CPUS,
        "own/howdah/cpu_s": 0.01 * CPUS,
        "kernel/cpu_s": 0.05 * CPUS,
        "own/lab/read_bytes": 4e6,
        "own/lab/written_bytes": 6e6,
        "disk/nvme0/read_bytes": 0.5 * moved,
        "disk/nvme0/written_bytes": 0.5 * moved,
        "disk/nvme0/busy_s": 0.9,
        "pressure/cpu_some_s": 0.7,
    }
    for time_s in times_s:
        yield from ((time_s, BENEATH, metric, rate * time_s) for metric, rate in per_s.items())
        yield (time_s, BENEATH, "load/runnable", 12.0)


def shared_local(others: float, run: RunData | None = None) -> RunData:
    """A local run on a machine that did nothing but what its own processes did, and others their share."""
    run = run or terasuite()
    rows = run.samples.to_pylist()
    times = np.array(sorted({row["time_s"] for row in rows}))
    busy = np.zeros(len(times))
    for metric in {row["metric"] for row in rows if row["metric"].endswith(("/user_s", "/system_s"))}:
        track = sorted((row["time_s"], row["value"]) for row in rows if row["metric"] == metric)
        busy += np.interp(times, [time_s for time_s, _ in track], [value for _, value in track])
    return with_samples(
        run,
        [
            (float(time_s), "host1", "own/howdah/cpu_s", float((1 - others) * used))
            for time_s, used in zip(times, busy, strict=True)
        ],
    )
