"""One simulation of the suite on a plan, alone in this process.

``python -m benches.ours.simulate PLAN`` prints as JSON the seconds that it took, those of CPU among them,
the activities in it, the map tasks of the sort and the seconds that were simulated; with ``quick`` after it
of the quick simulation. Nothing is written: a record costs more the more it tells, and the bench shows that
apart.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from benches.ours.kernel import timed
from howdah import _native
from howdah.engines.sim.preparation import prepare_simulation
from howdah.model.engines import PLAN
from howdah.model.plan import cluster_plan
from howdah.model.run_request import RunRequest
from howdah.model.workloads.terasort import OUTPUT_REPLICATION
from howdah.simulation.outcome import Summary
from howdah.simulation.translate import translate

_SEED = 1
_REPLICAS = 3


def _measure(plan: Path, *, quick: bool) -> dict[str, float]:
    prepared = prepare_simulation(
        RunRequest(suite="terasuite", given={OUTPUT_REPLICATION.name: _REPLICAS, PLAN.name: plan}),
        runs_dir=plan.parent,
        command=("benches",),
        seed=_SEED,
        keep_data=False,
    )
    scenario = translate(cluster_plan(prepared.job.plan, "plan"), prepared.job.suite, {}, seed=_SEED).scenario
    scenario = scenario.model_copy(update={"quick": quick})
    before_s, start_ns = time.process_time(), time.monotonic_ns()
    found, seconds = timed(start_ns, _native.simulate(scenario.text))
    cpu_s = time.process_time() - before_s
    summary = Summary.model_validate_json(found.summary())
    if quick and summary.full_because is not None:
        sys.exit(f"not simulated quickly: {summary.full_because}")
    return {
        "seconds": seconds,
        "cpu_s": cpu_s,
        "activities": summary.activities,
        "maps": sum(workload.maps for workload in summary.workloads if workload.kind == "terasort"),
        "simulated_s": summary.workloads[-1].end_ns / 1e9,
    }


if __name__ == "__main__":
    print(json.dumps(_measure(Path(sys.argv[1]), quick="quick" in sys.argv[2:])))
