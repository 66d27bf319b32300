"""The race that measures a search's result: a study of the rules' plan, the best candidates and defaults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from howdah import releases
from howdah.errors import UserError
from howdah.model.plan import Cluster
from howdah.model.request import PlanRequest
from howdah.model.study import Budget, Factor, Repeats, Study
from howdah.model.study_settings import CellSettings, Level
from howdah.model.tuning import KeptRules, Tuning, TuningRequest
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import ROW_BYTES, ROWS
from howdah.tune.parameters import CODEC_KEYS, SLOTS, WORKERS, with_values
from howdah.units import exact_bytes

_VARY = "plan"
RULES, DEFAULTS = "rules", "defaults"
_NAMES = {KeptRules.RULES: "tuned", KeptRules.LIMITS: "beyond-rules"}
_REPEATS = Repeats(least=5, most=20, until=0.02)
_BUDGET = Budget(hours=2)
_SETTLE_S = 2.0
_UNSET_CONTAINER_MB = "1024"
"""A task's container where neither its memory nor its heap is set (mapred-default.xml)."""


def race_of(request: TuningRequest, tuning: Tuning, suite: Suite, inventory_file: str) -> Study:
    """The study whose runs show whether the best candidates are faster; raises UserError for an odd plan.

    Cells are built as labs from the hosts in ``inventory_file``, a path from the study's own place. Runs are
    interleaved, and repeated until each time is known to 2 %, there are 20 of each or two hours are over.
    """
    cluster = request.plan.cluster
    if cluster is None:
        raise UserError(
            request.plan_file, "is a plan of one machine, not of a cluster", "give a cluster's plan"
        )
    asked = cluster.request
    rows = suite.first(ROWS)
    given = {override.key: override.value for override in asked.overrides}
    levels = (
        Level(label=RULES),
        *(_level(_NAMES[one.kept], one.values) for one in tuning.finalists if one.values),
        Level(label=DEFAULTS, overrides=dict(_defaults(tuning, cluster))),
    )
    return Study(
        study=f"race-{tuning.id}",
        question="Is the tuned plan faster than the plan of the rules and than Hadoop's defaults?",
        suite=request.suite,
        settings=CellSettings.model_validate(
            {
                "engine": "hadoop",
                "inventory": inventory_file,
                "dataset": exact_bytes(rows * ROW_BYTES) if rows else None,
                "replication": asked.replication,
                "hypervisor": asked.hypervisor,
                "protection": asked.protection,
                "workers_per_host": asked.workers_per_host,
                "slots": asked.slots,
                "overrides": given or None,
            }
        ),
        factors=(Factor(vary=_VARY, levels=levels),),
        baseline={_VARY: RULES},
        repeats=_REPEATS,
        budget=_BUDGET,
        seed=request.seed,
        settle_s=_SETTLE_S,
        drop_caches=True,
        cannot_show=(
            "All hosts of a lab share one machine: what depends on the number of hosts, disks or links takes "
            "the cluster itself.",
        ),
    )


def _level(name: str, values: Mapping[str, str]) -> Level:
    request = with_values(PlanRequest(), values)
    return Level(
        label=name,
        slots=request.slots,
        workers_per_host=request.workers_per_host,
        overrides={override.key: override.value for override in request.overrides} or None,
    )


def _defaults(tuning: Tuning, cluster: Cluster) -> Iterator[tuple[str, str]]:
    """The release's defaults of everything that is varied, as far as it has any."""
    hadoop = releases.hadoop(cluster.request.hadoop)
    names = [parameter.name for parameter in tuning.space if parameter.name not in (SLOTS, WORKERS)]
    for name in names:
        for key in CODEC_KEYS if name == CODEC_KEYS[1] else (name,):
            if default := releases.default_of(key, hadoop):
                yield key, _UNSET_CONTAINER_MB if default == "-1" and key.endswith(".memory.mb") else default
