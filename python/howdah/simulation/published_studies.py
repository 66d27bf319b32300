"""Published studies as cases: each run of a table planned as its paper had it, and simulated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from types import MappingProxyType

from howdah.calibrate.case import Case, CaseWork
from howdah.calibrate.study import Platform, PublishedStudy, PublishedTable
from howdah.calibrate.tables import KnownFigure, NamedRun, StudySetting, has_figures, run_name, table_figures
from howdah.documents.read import DocumentKind
from howdah.documents.tree import read_text
from howdah.errors import UserError
from howdah.model.inventory import DiskKind, DiskRole, DiskSet, HostGroup, Inventory
from howdah.model.placement import at_once, placed_hosts
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Override, PlanRequest, Profile
from howdah.model.run_request import RunRequest
from howdah.model.workloads.dfsio import FILE_SIZE, FILES
from howdah.model.workloads.option import MAPS, REPLICATION
from howdah.model.workloads.terasort import OUTPUT_REPLICATION, REDUCES, ROW_BYTES, ROWS
from howdah.planner.cluster import plan_cluster
from howdah.planner.reading import path_list
from howdah.planner.suite.cluster import size_suite
from howdah.simulation.replications import Simulations
from howdah.simulation.scenario import Hosts, Scenario, ScenarioProgram
from howdah.simulation.translate import translate
from howdah.units import MIB

_TB = 10**12
_SMALL = 0.25
_LARGE_BYTES = 5 * _TB  # From this size on, a quarter of hosts and data shows what a parameter does.
_LOCAL_DIRS = "yarn.nodemanager.local-dirs"
_SMALL_BYTES = _TB // 2
_SEEDS = 3  # Seeds of smaller ones, whose slowest task decides.
_MORE_SEEDS = 9  # Seeds of the smallest, which take a hundredth of a second.


@cache
def studies() -> tuple[PublishedStudy, ...]:
    """Every study, in the order of their names."""
    folder = files("howdah.calibrate") / "studies"
    by_name = {path.name: path for path in folder.iterdir() if path.name.endswith(".yaml")}
    kind = DocumentKind("a study", "see the others next to it", PublishedStudy)
    return tuple(kind.parse(by_name[name].read_text(encoding="utf-8"), name) for name in sorted(by_name))


def tables_of(path: Path) -> tuple[PublishedStudy, tuple[PublishedTable, ...]]:
    """The study of a table's file, and its tables of each dataset; raises UserError for an unknown file."""
    for study in studies():
        if tables := tuple(table for table in study.tables if table.file == path.name):
            return study, tables
    names = dict.fromkeys(table.file for study in studies() for table in study.tables)
    hint = f"one of {', '.join(names)}, or a run's record"
    raise UserError(str(path), "is not a published table that howdah knows", hint)


def cases_of(paths: Iterable[Path]) -> tuple[Case, ...]:
    """The runs of published tables, those of the same setting joined; raises UserError."""
    published: dict[tuple[str, StudySetting], dict[str, KnownFigure]] = {}
    by_name = {study.study: study for study in studies()}
    for path in paths:
        study, tables = tables_of(path)
        text = read_text(path, "give a published table, a CSV file")
        # A file may have a study's first size of data alone.
        for table in (tables[0], *(table for table in tables[1:] if has_figures(table, text, str(path)))):
            for figure in table_figures(study, table, text, str(path)):
                published.setdefault((study.study, figure.setting), {})[figure.quantity] = figure
    cases = []
    for (name, setting), figures in published.items():
        case = case_of(
            by_name[name], setting, {quantity: figure.value for quantity, figure in figures.items()}
        )
        cases.append(case._replace(unsure={quantity: figure.unsure for quantity, figure in figures.items()}))
    return tuple(cases)


def case_of(
    study: PublishedStudy,
    setting: StudySetting,
    figures: dict[str, float],
    hardware: Mapping[str, float] = MappingProxyType({}),
) -> Case:
    """One run of a study as the simulator would run it, on its hosts or on those with such ``hardware``."""
    platform = study.platform(setting.platform)
    assert platform is not None
    plan = plan_of(study, platform, setting, hardware=hardware)
    capacity = at_once(plan)
    request = RunRequest(
        suite="terasuite",
        given={
            ROWS.name: setting.dataset_bytes // ROW_BYTES,
            MAPS.name: study.maps or capacity.maps,
            REDUCES.name: study.reduces or capacity.reduces,
            REPLICATION.name: setting.replication,
            OUTPUT_REPLICATION.name: setting.output_replication,
        },
    )
    suite = size_suite(request, capacity).suite
    work = CaseWork(plan, suite)
    large = setting.dataset_bytes >= _LARGE_BYTES
    return Case(
        name=run_name(NamedRun(study.study, setting)),
        study=study.study,
        work=work,
        known=figures,
        best_of=study.best_of,
        seeds=1 if large else _SEEDS if setting.dataset_bytes >= _SMALL_BYTES else _MORE_SEEDS,
        small=work._replace(share=_SMALL) if large else None,
    )


def plan_of(
    study: PublishedStudy,
    platform: Platform,
    setting: StudySetting,
    overrides: tuple[Override, ...] = (),
    hardware: Mapping[str, float] = MappingProxyType({}),
) -> ClusterPlan:
    """The study's hosts, divided as on one of its platforms and configured by the paper profile.

    ``overrides`` go before the study's own settings, and ``hardware`` (``core_speed``,
    ``controller_bytes_per_s``) before its inventory.
    """
    overridden = {override.key for override in overrides}
    overrides += tuple(override for override in study.settings if override.key not in overridden)
    if setting.block_bytes is not None:
        overrides += (Override(key="dfs.blocksize", value=f"{setting.block_bytes // MIB}MiB"),)
    if setting.sort is not None:
        overrides += (
            Override(key="mapreduce.task.io.sort.factor", value=str(setting.sort.factor)),
            Override(key="mapreduce.task.io.sort.mb", value=str(setting.sort.buffer_mb)),
        )
    request = PlanRequest(
        workloads=(Demand(kind="terasuite", dataset_bytes=setting.dataset_bytes),),
        replication=setting.replication,
        hypervisor=platform.hypervisor,
        protection=platform.protection,
        profile=Profile.PAPER,
        workers_per_host=platform.workers_per_host,
        slots=setting.slots or platform.slots,
        overrides=overrides,
        hadoop1=study.hadoop1.model_copy(update={"lockstep": setting.protected}),
    )
    inventory = inventory_of(study, platform, setting.hosts)
    plan = plan_cluster(_equipped(inventory, hardware), request)
    if platform.local_disks is not None:
        plan = _with_local_disks(plan, platform.local_disks)
    return _masters_sharing(plan) if study.masters_share else plan


def ratio_works(study: PublishedStudy) -> Iterator[tuple[str, CaseWork]]:
    """The work that a study's ratios compare, by platform."""
    ratios = study.ratios
    if ratios is None:
        return
    for platform in study.platforms:
        setting = StudySetting(platform.label, ratios.files * ratios.file_size, 3, 3)
        plan = plan_of(study, platform, setting)
        request = RunRequest(
            suite="dfsio", given={FILES.name: ratios.files, FILE_SIZE.name: ratios.file_size}
        )
        yield platform.label, CaseWork(plan, size_suite(request, at_once(plan)).suite)


def _masters_sharing(plan: ClusterPlan) -> ClusterPlan:
    """The plan with its masters on full workers, which it would rather make room on."""
    masters = tuple(
        master.model_copy(update={"takes": (), "whole_host": False, "shares": True})
        for master in plan.cluster.masters
    )
    return plan.model_copy(update={"cluster": plan.cluster.model_copy(update={"masters": masters})})


def _with_local_disks(plan: ClusterPlan, count: int) -> ClusterPlan:
    """The plan with intermediate data on the first data disks of every worker alone."""
    settings = tuple(
        setting.model_copy(update={"value": path_list(setting.value)[:count]})
        if setting.key == _LOCAL_DIRS
        else setting
        for setting in plan.settings
    )
    return plan.model_copy(update={"settings": settings})


def inventory_of(study: PublishedStudy, platform: Platform, hosts: int | None = None) -> Inventory:
    """The study's hosts, with the disks and network ports of the platform; so many of them with workers."""
    groups = tuple(_on_platform(group, platform, hosts) for group in study.inventory.groups)
    return study.inventory.model_copy(update={"groups": groups})


def _on_platform(group: HostGroup, platform: Platform, hosts: int | None) -> HostGroup:
    fields = {name: getattr(group, name) for name in type(group).model_fields}
    if group.serves != "masters":
        if hosts is not None:
            fields |= {"count": hosts, "hosts": ()}
        if platform.disks is not None:
            fields["disks"] = (
                platform.disks,
                *(disk for disk in group.disks if disk.role is not DiskRole.DATA),
            )
    if platform.link is not None:
        fields["nics"] = tuple(
            nic.model_copy(update={"speed_bits_per_s": platform.link}) for nic in group.nics
        )
    # Not a copy, which would keep the names of as many hosts as there were.
    return HostGroup.model_construct(**fields)


def _at_rate(disks: DiskSet, share: float) -> DiskSet:
    """The disks with such a share of their stated rates, if they rotate."""
    if disks.kind is not DiskKind.HDD or disks.outer_bytes_per_s is None or disks.inner_bytes_per_s is None:
        return disks
    rates = {
        "outer_bytes_per_s": round(disks.outer_bytes_per_s * share),
        "inner_bytes_per_s": round(disks.inner_bytes_per_s * share),
    }
    return disks.model_copy(update=rates)


def _equipped(inventory: Inventory, hardware: Mapping[str, float]) -> Inventory:
    """The hosts with the speed of a core, the controller and the disks that a calibration fitted to them."""
    if not hardware:
        return inventory
    groups = tuple(
        group.model_copy(
            update={
                "cpu": group.cpu.model_copy(update={"speed": hardware.get("core_speed", group.cpu.speed)}),
                "controller_bytes_per_s": round(hardware["controller_bytes_per_s"])
                if "controller_bytes_per_s" in hardware
                else group.controller_bytes_per_s,
                "disks": tuple(_at_rate(disks, hardware.get("disk_speed", 1.0)) for disks in group.disks),
            }
        )
        for group in inventory.groups
    )
    return inventory.model_copy(update={"groups": groups})


_EVEN = 512  # From so many workers on, chance evens out within a run.


def simulate_case(work: CaseWork, values: Mapping[str, float], seed: int) -> dict[str, float]:
    """Every simulated quantity; raises UserError for a work that the simulator refuses."""
    (summary,) = Simulations([scenario_of(work, values, seed)]).summaries()
    return summary.quantities()


def simulate_typical(
    work: CaseWork, values: Mapping[str, float], seed: int, *, even: int = _EVEN
) -> dict[str, float]:
    """The mean of every quantity over as many seeds as it takes; raises UserError as ``simulate_case`` does.

    On few workers chance decides which heartbeat is first, so that one worker gets two tasks and another
    none, which changes a short run's time by a tenth. It evens out from ``even`` workers on.
    """
    workers = sum(len(host.workers) for host in placed_hosts(work.plan.cluster))
    scenario = scenario_of(work, values, seed)
    seeds = range(seed, seed + max(1, even // max(1, workers)))
    summaries = Simulations([scenario.model_copy(update={"seed": draw}) for draw in seeds]).summaries()
    figures = [summary.quantities() for summary in summaries]
    return {name: fmean(figure[name] for figure in figures) for name in figures[0]}


def scenario_of(work: CaseWork, values: Mapping[str, float], seed: int) -> Scenario:
    """The simulator's scenario; raises UserError for a plan that cannot run the work."""
    scenario = translate(work.plan, work.suite, values, seed=seed).scenario
    return scenario if work.share == 1 else shrunk(scenario, work.share)


def shrunk(scenario: Scenario, share: float) -> Scenario:
    """The same work for every host on the first of them: those that make room for masters stay."""
    hosts = tuple(_first(scenario.hosts, round(share * sum(group.count for group in scenario.hosts))))
    kept = _map_slots(hosts) / _map_slots(scenario.hosts)
    workloads = tuple(_less(program, kept) for program in scenario.workloads)
    return scenario.model_copy(update={"hosts": hosts, "workloads": workloads})


def _first(groups: tuple[Hosts, ...], count: int) -> Iterator[Hosts]:
    remaining = max(1, count)
    for group in groups:
        if remaining > 0:
            yield group.model_copy(update={"count": min(group.count, remaining)})
            remaining -= group.count


def _map_slots(groups: tuple[Hosts, ...]) -> int:
    return sum(
        group.count * workers.count * workers.map_slots for group in groups for workers in group.workers
    )


def _less(program: ScenarioProgram, kept: float) -> ScenarioProgram:
    """A workload with as many rows, tasks and files as fewer slots have."""
    update = {
        name: max(1, round(value * kept))
        for name in ("rows", "maps", "reduces", "files")
        if (value := getattr(program, name)) is not None
    }
    return program.model_copy(update=update)
