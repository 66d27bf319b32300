"""Published figures of the work that a simulated run did, where a study ran it on such hosts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from howdah.calibrate.scoring import other_settings
from howdah.calibrate.study import Platform, PublishedStudy
from howdah.calibrate.tables import StudySetting, named_run, rows_of
from howdah.documents.tree import read_text
from howdah.errors import UserError
from howdah.model.calibration import CalibrationCell
from howdah.model.inventory import DiskRole, HostGroup, Inventory
from howdah.model.placement import AtOnce, at_once
from howdah.model.plan import ClusterPlan
from howdah.model.prediction import KnownTimes
from howdah.model.request import Protection
from howdah.model.run import RunRecord
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import ROW_BYTES, ROWS
from howdah.simulation.calibrations import PUBLISHED, load_calibration
from howdah.simulation.published_studies import inventory_of, plan_of, ratio_works, simulate_case, studies
from howdah.simulation.settings import PlannedSettings, block_bytes_of, masters_of, scheduling_kind
from howdah.simulation.translate import replicas_of
from howdah.units import format_counted

_MOST_KEYS = 3


def published_times(record: RunRecord) -> Iterator[KnownTimes]:
    """The figures of every published run on such hosts and such a platform, of as much data in such blocks.

    They come with other differences of the run's plan from the study's. The figures are those that the
    shipped calibration keeps.
    """
    plan = record.plan
    if not isinstance(plan, ClusterPlan) or not any(
        _same_hosts(plan.cluster.inventory, published.inventory) for published in studies()
    ):
        return
    times: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for cell in load_calibration(PUBLISHED).cells:
        if cell.unit == "s":
            times[cell.case][cell.quantity] = cell.known
    by_name = {published.study: published for published in studies()}
    for case, figures in times.items():
        run = named_run(case)
        if run is None:
            continue
        study, setting = by_name[run.study], run.setting
        platform = study.platform(setting.platform)
        if platform is None or not _same_work(plan, record.suite, study, platform, setting):
            continue
        theirs = plan_of(study, platform, setting)
        block_bytes = PlannedSettings(theirs).size("dfs.blocksize")
        if (plan.platform, block_bytes_of(PlannedSettings(plan), record.suite)) == (
            theirs.platform,
            block_bytes,
        ):
            source = f"{case}, best of {study.best_of}" if study.best_of > 1 else case
            differs = tuple(_differs(plan, theirs))
            yield KnownTimes(origin="published", source=source, times=figures, differs=differs)


def _same_work(
    plan: ClusterPlan, suite: Suite, study: PublishedStudy, platform: Platform, setting: StudySetting
) -> bool:
    """Whether hosts, data, replicas and the masters' protection are the published run's."""
    protected = platform.protection is Protection.FT if setting.protected is None else setting.protected
    return (
        _same_hosts(plan.cluster.inventory, inventory_of(study, platform))
        and (masters_of(plan.cluster).protection == "ft") == protected
        and all(
            rows * ROW_BYTES == setting.dataset_bytes
            for workload in suite.workloads
            if (rows := ROWS.of(workload)) is not None
        )
        and replicas_of(plan, suite) == (setting.replication, setting.output_replication)
    )


def _same_hosts(first: Inventory, second: Inventory) -> bool:
    """Whether the hosts are equal but for their names, and their rates, which few inventories state."""
    return sorted(map(_hardware, first.groups)) == sorted(map(_hardware, second.groups))


def _hardware(group: HostGroup) -> tuple[object, ...]:
    cpu = group.cpu
    return (
        group.count,
        (cpu.sockets, cpu.cores_per_socket, cpu.threads_per_core),
        group.memory_bytes,
        sorted(
            (disk.kind, disk.size_bytes, disk.count) for disk in group.disks if disk.role is DiskRole.DATA
        ),
        sorted((nic.speed_bits_per_s, nic.count) for nic in group.nics),
    )


def _differs(plan: ClusterPlan, theirs: ClusterPlan) -> Iterator[str]:
    """Further differences of the plan from the study's."""
    if scheduling_kind(plan.cluster) != scheduling_kind(theirs.cluster):
        yield "YARN's containers instead of Hadoop 1's slots"
    tasks, published = at_once(plan), at_once(theirs)
    if tasks != published:
        yield f"{_tasks_text(tasks)} tasks at once instead of {_tasks_text(published)}"
    keys = other_settings(plan, theirs)
    if keys:
        further = len(keys) - _MOST_KEYS
        more = f" and {format_counted(further, 'other setting')}" if further > 0 else ""
        yield f"other values of {', '.join(keys[:_MOST_KEYS])}{more}"


def _tasks_text(tasks: AtOnce) -> str:
    return f"{tasks.maps:,} + {tasks.reduces:,}"


def ratios_in(path: Path) -> PublishedStudy | None:
    """The study of the ratios in a file; None for another table."""
    return next((study for study in studies() if study.ratios and study.ratios.file == path.name), None)


def ratio_cells(
    path: Path, study: PublishedStudy, values: Mapping[str, float], seed: int
) -> Iterator[CalibrationCell]:
    """Every ratio of a file with the simulator's; raises UserError for a file that lacks one."""
    ratios = study.ratios
    assert ratios is not None
    rows = {row["metric"]: row["value"] for row in rows_of(read_text(path, "give a CSV file"), str(path))}
    published: dict[str, float] = {}
    for ratio in ratios.ratios:
        try:
            published[ratio.metric] = float(rows[ratio.metric])
        except (KeyError, ValueError) as error:
            where, problem = f"{path}: {ratio.metric}", "is missing or is not a number"
            raise UserError(where, problem, "a line `metric,value,unit`") from error
    simulated = {label: simulate_case(work, values, seed) for label, work in ratio_works(study)}
    for ratio in ratios.ratios:
        quotient = simulated[ratio.slow][ratio.quantity] / simulated[ratio.fast][ratio.quantity]
        yield CalibrationCell(
            case=f"{study.study} {ratio.slow} over {ratio.fast}",
            quantity=ratio.quantity,
            unit="x",
            known=published[ratio.metric],
            simulated=float(f"{quotient:.4g}"),
            fitted=False,
        )
