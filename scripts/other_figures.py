"""Published figures that are neither times nor loads of masters, next to the simulated ones.

    python scripts/other_figures.py DIRECTORY

writes what came out into the calibration that howdah ships; DIRECTORY has the published tables.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import howdah.calibrate
from howdah.calibrate.problem import values_for
from howdah.calibrate.tables import rows_of
from howdah.documents.files import write_calibration
from howdah.documents.tree import read_text
from howdah.errors import UserError
from howdah.files import replace_file
from howdah.model.calibration import Calibration, OtherFigure
from howdah.model.workloads.terasort import ROW_BYTES
from howdah.simulation.calibrations import PUBLISHED, load_calibration
from howdah.simulation.outcome import PhaseOutcome, Summary, WorkloadOutcome
from howdah.simulation.published_studies import cases_of, scenario_of
from howdah.simulation.replications import Simulations
from howdah.simulation.scenario import Scenario

_SEED = 1
_LOGGED = {"TeraGen": "ftlog_gen_Mbps", "TeraSort": "ftlog_sort_Mbps", "TeraValidate": "ftlog_valid_Mbps"}
"""Columns of the traffic between a protected master and its shadow."""
_SCALARS = "vsphere6_scalars.csv"
_TASKS = "fault_tolerance_table1_tasks.csv"
_LOGGING = "fault_tolerance_table2_ft_blocksize.csv"
_TABLES = ("vsphere6_table2_30TB_r3.csv", _LOGGING)


class _Simulated(NamedTuple):
    """A run that was simulated."""

    scenario: Scenario
    summary: Summary

    def workload(self, kind: str) -> WorkloadOutcome:
        return next(outcome for outcome in self.summary.workloads if outcome.kind == kind)

    def phase(self, kind: str, name: str) -> PhaseOutcome:
        return next(phase for phase in self.workload(kind).phases if phase.name == name)

    @property
    def dataset_bytes(self) -> float:
        return float(max(program.rows or 0 for program in self.scenario.workloads) * ROW_BYTES)


class _Figure(NamedTuple):
    """A published figure and how the simulated one is calculated."""

    case: str
    quantity: str
    published: Callable[[dict[str, str]], str]
    simulated: Callable[[_Simulated], str]


def _scalar(name: str, unit: str) -> Callable[[dict[str, str]], str]:
    return lambda scalars: f"{scalars[name]} {unit}".strip()


def _moved(field: str, part: str) -> Callable[[_Simulated], str]:
    """What a workload's first phase, or the named one, moved: as a multiple of the dataset."""
    kind, _, name = part.partition("/")

    def simulated(run: _Simulated) -> str:
        phase = run.phase(kind, name or "map")
        return f"{getattr(phase, field) / run.dataset_bytes:.2f} × dataset"

    return simulated


def _imbalance(name: str) -> Callable[[dict[str, str]], str]:
    def published(scalars: dict[str, str]) -> str:
        most, mean = (float(scalars[f"teragen_blocks_per_dn_{end}_{name}"]) for end in ("max", "mean"))
        return f"{most / mean - 1:+.1%}"

    return published


def _most_replicas(run: _Simulated) -> str:
    replicas = run.workload("teragen").replicas
    return f"{max(replicas) * len(replicas) / sum(replicas) - 1:+.1%}"


def _intermediate(run: _Simulated) -> str:
    counters = run.workload("terasort").counters
    stored = run.dataset_bytes / run.scenario.job.compression_ratio
    return f"{counters.spilled_bytes / stored:.2f} × compressed size"


def _compression(run: _Simulated) -> str:
    return f"{run.scenario.job.compression_ratio:g} times"


def _remote(run: _Simulated) -> str:
    return f"{run.workload('teravalidate').remote_read_bytes / run.dataset_bytes:.0%}"


def _busy(run: _Simulated) -> str:
    return f"{run.phase('terasort', 'map-shuffle').cpu_busy:.0%}"


def _local(run: _Simulated) -> str:
    outcome = run.workload("terasort")
    return f"{outcome.locality.worker / outcome.maps:.1%}"


def _masters(run: _Simulated) -> str:
    loads = (
        max(phase.namenode_busy, phase.scheduler_busy)
        for outcome in run.summary.workloads
        for phase in outcome.phases
    )
    return f"{max(loads):.0%} of a core"


def _longer(run: _Simulated) -> str:
    phases = (run.phase("terasort", "reduce-merge"), run.phase("teragen", "map"))
    merging, generating = (phase.end_ns - phase.start_ns for phase in phases)
    return f"{merging / generating - 1:+.0%}"


def _read_part(program: str) -> Callable[[_Simulated], str]:
    def simulated(run: _Simulated) -> str:
        phases = run.workload(program.lower()).phases
        read = sum(phase.disk_read_bytes for phase in phases)
        written = sum(phase.disk_written_bytes for phase in phases)
        return f"{read / (read + written):.0%}"

    return simulated


def _not_simulated(run: _Simulated) -> str:
    return "not simulated"


_MERGING, _MAPPING = "terasort/reduce-merge", "terasort/map-shuffle"
_FOUR, _TWENTY, _ONE_VM = (f"vsphere6 {platform} 30 TB r3" for platform in ("4 VMs", "20 VMs", "1 VM"))
_BLOCKS = "fault-tolerance 4 VMs 1 TB r2/1 256 MiB no FT"
_WRITTEN = _scalar("write_volume_teragen_and_reduce_merge", "× dataset")
_READ = _scalar("read_volume_map_shuffle_and_validate", "× dataset")
_SENT = _scalar("net_volume_teragen_reduce_merge", "× dataset")

_FIGURES = (
    _Figure(_FOUR, "written to disks by TeraGen", _WRITTEN, _moved("disk_written_bytes", "teragen")),
    _Figure(_FOUR, "written to disks in reduce-merge", _WRITTEN, _moved("disk_written_bytes", _MERGING)),
    _Figure(_FOUR, "read from disks in map-shuffle", _READ, _moved("disk_read_bytes", _MAPPING)),
    _Figure(_FOUR, "read from disks by TeraValidate", _READ, _moved("disk_read_bytes", "teravalidate")),
    _Figure(
        _FOUR,
        "intermediate data written",
        _scalar("intermediate_written", "× compressed size"),
        _intermediate,
    ),
    _Figure(
        _FOUR, "compression of map output", _scalar("compression_ratio_map_output", "times"), _compression
    ),
    _Figure(_FOUR, "received by hosts in TeraGen", _SENT, _moved("received_bytes", "teragen")),
    _Figure(_FOUR, "received by hosts in reduce-merge", _SENT, _moved("received_bytes", _MERGING)),
    _Figure(_FOUR, "TeraValidate's reads from other hosts", _scalar("net_volume_validate", "%"), _remote),
    _Figure(_FOUR, "data-local maps", _scalar("data_local_maps", "% or more"), _local),
    _Figure(_FOUR, "most replicas of a DataNode, above the mean", _imbalance("4vm"), _most_replicas),
    _Figure(_TWENTY, "most replicas of a DataNode, above the mean", _imbalance("20vm"), _most_replicas),
    _Figure(_ONE_VM, "CPUs busy in map-shuffle", _scalar("map_shuffle_cpu_1vm", "%"), _busy),
    _Figure(_FOUR, "reduce-merge longer than TeraGen", _scalar("reduce_merge_vs_teragen", "%"), _longer),
    _Figure(_FOUR, "busiest master in any phase", _scalar("master_cpu", "% of a core"), _masters),
    *(
        _Figure(
            _BLOCKS, f"{program}'s reads among its disks' bytes", _scalar(program, "%"), _read_part(program)
        )
        for program in ("TeraGen", "TeraSort", "TeraValidate")
    ),
    *(
        _Figure(
            f"fault-tolerance 4 VMs 1 TB r2/1 {block} MiB FT",
            f"peak of FT logging in {program}",
            _scalar(f"{block} {column}", "Mbit/s"),
            _not_simulated,
        )
        for block in (256, 64)
        for program, column in _LOGGED.items()
    ),
)


def other_figures(calibration: Calibration, folder: Path) -> Iterator[OtherFigure]:
    """Every figure that a simulation also shows; raises UserError for tables that are missing."""
    scalars = _published_scalars(folder)
    cases = {case.name: case for case in cases_of(folder / name for name in _TABLES)}
    runs: dict[str, _Simulated] = {}
    values = {value.name: value.value for value in calibration.parameters}
    for figure in _FIGURES:
        if figure.case not in runs:
            case = cases[figure.case]
            scenario = scenario_of(case.work, values_for(case.study, values), _SEED)
            (simulation,) = Simulations([scenario]).follow(lambda done: None)
            runs[figure.case] = _Simulated(scenario, Summary.model_validate_json(simulation.summary()))
        yield OtherFigure(
            case=figure.case,
            quantity=figure.quantity,
            known=figure.published(scalars),
            simulated=figure.simulated(runs[figure.case]),
        )


def _published_scalars(folder: Path) -> dict[str, str]:
    """The published figures by name."""

    def rows(name: str) -> list[dict[str, str]]:
        return rows_of(read_text(folder / name, "give the directory of the published tables"), name)

    return (
        {row["quantity"]: row["value"] for row in rows(_SCALARS)}
        | {row["benchmark"]: row["read_pct"] for row in rows(_TASKS)}
        | {
            f"{row['block_MB']} {column}": row[column]
            for row in rows(_LOGGING)
            for column in _LOGGED.values()
            if row["ft"] == "on"
        }
    )


def main(folders: list[str]) -> None:
    """Compare the figures of the tables in a directory; write them into the shipped calibration."""
    if len(folders) != 1:
        raise UserError("DIRECTORY", "is missing", "give the directory of the published tables")
    calibration = load_calibration(PUBLISHED)
    figures = tuple(other_figures(calibration, Path(folders[0])))
    path = Path(howdah.calibrate.__file__).with_name("published.yaml")
    replace_file(path, write_calibration(calibration.model_copy(update={"others": figures})))


if __name__ == "__main__":
    main(sys.argv[1:])
