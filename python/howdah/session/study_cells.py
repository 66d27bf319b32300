"""From a cell of a study's matrix to a run that could start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from howdah.calibrate.problem import values_for
from howdah.calibrate.study import Platform, PublishedStudy
from howdah.calibrate.tables import StudySetting
from howdah.documents.files import read_inventory, read_plan, write_plan
from howdah.documents.tree import read_text
from howdah.engines.base import Prepared, RunStart, begun_record, job_digests, new_job
from howdah.errors import UserError, nearest
from howdah.model.calibration import HARDWARE, Calibration
from howdah.model.engines import CALIBRATION, LAB, LOCAL, PLAN, engines
from howdah.model.inventory import Inventory
from howdah.model.placement import at_once
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Override, PlanRequest, Profile, Protection
from howdah.model.run import Outcome
from howdah.model.run_request import RunRequest, options_of
from howdah.model.study import Study, matches
from howdah.model.study_settings import CellSettings
from howdah.model.tables import Job
from howdah.model.workloads.dfsio import FILE_SIZE, FILES
from howdah.model.workloads.option import REPLICATION
from howdah.model.workloads.suite import programs, suites
from howdah.model.workloads.terasort import OUTPUT_REPLICATION, REDUCES
from howdah.model.workloads.ycsb import YCSB
from howdah.model.workloads.ycsb_options import RECORDS
from howdah.planner.cluster import plan_cluster
from howdah.planner.suite.cluster import size_suite
from howdah.planner.suite.request import requested_programs
from howdah.probe import probe_host
from howdah.session.runs import prepare
from howdah.simulation.calibrations import PUBLISHED, load_calibration
from howdah.simulation.published_studies import plan_of, studies
from howdah.store.writer import RunWriter
from howdah.study.directory import StudyDirectory, put
from howdah.study.matrix import Cell, cells_of
from howdah.study.schedule import Due
from howdah.units import MIB

_ITS_OWN = ("inventory", "hypervisor", "workers_per_host", "slots", "link", "profile", "records")
"""Settings that a published study decides."""
_USUAL_REPLICATION = 3


def setup_plan(name: str, settings: CellSettings, calibration: Calibration | None) -> ClusterPlan:
    """The plan of a cell that has a ``setup``, on hosts as a calibration fitted them."""
    study = next((study for study in studies() if study.study == settings.setup), None)
    if study is None:
        hint = nearest(str(settings.setup), [study.study for study in studies()])
        raise UserError(name, f"setup {settings.setup!r} is not a published study", hint)
    its_own = next((key for key in _ITS_OWN if getattr(settings, key) is not None), None)
    if its_own is not None:
        hint = f"leave out {its_own} or setup"
        raise UserError(name, f"has {its_own}, which setup {study.study} already defines", hint)
    dataset_bytes = settings.dataset
    if dataset_bytes is None and study.ratios is not None:
        dataset_bytes = study.ratios.files * study.ratios.file_size
    if dataset_bytes is None:
        raise UserError(name, "has no dataset", "give dataset, for example 1TB")
    platform = _platform(name, settings, study)
    replication = settings.replication or _USUAL_REPLICATION
    setting = StudySetting(
        platform=platform.label,
        dataset_bytes=dataset_bytes,
        replication=replication,
        output_replication=settings.of(OUTPUT_REPLICATION) or replication,
        block_bytes=settings.block_size,
        protected=None if settings.protection is None else settings.protection is Protection.FT,
    )
    values = {} if calibration is None else {part.name: part.value for part in calibration.parameters}
    hardware = {key: value for key, value in values_for(study.study, values).items() if key in HARDWARE}
    return plan_of(study, platform, setting, _overrides(settings.overrides or {}), hardware)


def _platform(name: str, settings: CellSettings, study: PublishedStudy) -> Platform:
    if settings.platform is None and len(study.platforms) == 1:
        return study.platforms[0]
    name_of_platform = settings.platform or ""
    platform = study.platform(name_of_platform)
    if platform is None:
        unknown = f"{name_of_platform!r} is not a platform"
        problem = "has no platform" if settings.platform is None else unknown
        hint = nearest(name_of_platform, [platform.label for platform in study.platforms])
        raise UserError(name, f"{problem} of {study.study}", hint)
    return platform


_IN_A_PLAN = (
    "setup", "inventory", "hypervisor", "workers_per_host", "slots", "protection", "link", "profile",
    "overrides",
)  # fmt: skip
"""Settings that a cell's plan has decided."""
_CLUSTER_ONLY = (*_IN_A_PLAN, "plan", "platform", "calibration")


def write_inputs(study: Study, directory: StudyDirectory, cells: Sequence[Cell], study_folder: Path) -> None:
    """Plan every cell that has a plan of its own, and keep the plans and calibrations that runs rest on."""
    for cell in cells:
        settings = cell.settings
        if settings.records is not None and not _has_records(study.suite):
            raise UserError(cell.name, "has records, which only YCSB uses", f"give suite: {YCSB}")
        if not cell.planned:
            names = (*_CLUSTER_ONLY, REPLICATION.name) if _has_records(study.suite) else _CLUSTER_ONLY
            for name in names:
                if getattr(settings, name) is not None:
                    hint = "it belongs to engine sim or plan"
                    if engines()[settings.engine or LOCAL].on_laboratories:
                        hint += ", or to an inventory or plan, for which a lab is built"
                    raise UserError(cell.name, f"{name} is not used by its engine", hint)
            continue
        put(plan_path(directory, cell), write_plan(_plan(study, cell, cells, study_folder)))
        if settings.calibration not in (None, PUBLISHED):
            text = read_text(study_folder / settings.calibration, "give a calibration")
            put(_calibration_path(directory, settings.calibration), text)


def _plan(study: Study, cell: Cell, cells: Sequence[Cell], study_folder: Path) -> ClusterPlan:
    settings = cell.settings
    if settings.plan is not None:
        decided = next((key for key in _IN_A_PLAN if getattr(settings, key) is not None), None)
        if decided is not None:
            problem = f"has {decided}, which its plan already decides"
            raise UserError(cell.name, problem, f"leave out {decided} or plan")
    if settings.setup is not None:
        name = settings.calibration
        if name not in (None, PUBLISHED):
            name = str(study_folder / name)
        return setup_plan(cell.name, settings, load_calibration(name) if name is not None else None)
    if settings.platform is not None:
        hint = "give setup, or leave platform out"
        raise UserError(cell.name, "has a platform, which only a setup uses", hint)
    if settings.inventory is None and settings.plan is None:
        raise UserError(cell.name, "has no hosts to plan", "give inventory: hosts.yaml, or setup: vsphere6")
    if cell.lab_key is not None and settings.lab is not None:
        problem = f'names lab "{settings.lab}" and hosts for building another lab'
        raise UserError(cell.name, problem, "leave lab out, or inventory")
    if cell.lab_key is not None and settings.calibration is not None:
        raise UserError(cell.name, "its engine uses no calibration", "it belongs to engine sim or plan")
    if settings.plan is not None:
        return read_plan(study_folder / settings.plan)
    inventory = read_inventory(study_folder / str(settings.inventory))
    with named(cell):
        return plan_cluster(_linked(inventory, settings), _plan_request(study, _planned_for(cell, cells)))


def _has_records(suite: str) -> bool:
    return any(RECORDS in programs()[kind].options for kind in suites().get(suite, ()))


def _planned_for(cell: Cell, cells: Sequence[Cell]) -> CellSettings:
    """What a cell's plan is made for: where it shares a laboratory, for the most that any cell does there."""
    if cell.lab_key is None:
        return cell.settings
    sharing = [other_cell.settings for other_cell in cells if other_cell.lab_key == cell.lab_key]
    blocks = {settings.block_size for settings in sharing}
    update: dict[str, int | None] = {"block_size": blocks.pop() if len(blocks) == 1 else None}
    for name in ("dataset", "replication"):
        update[name] = max(filter(None, (getattr(settings, name) for settings in sharing)), default=None)
    return cell.settings.model_copy(update=update)


def plan_path(directory: StudyDirectory, cell: Cell) -> Path:
    """Where a cell's plan is kept."""
    return directory.inputs / f"plan-{cell.number + 1:03d}.yaml"


def prepare_cell(
    study: Study,
    directory: StudyDirectory,
    due: Due,
    laboratory: str | None = None,
    *,
    keep_data: bool = False,
) -> Prepared:
    """A run of a cell, ready to start, on the ``laboratory`` that was built for it."""
    settings = due.cell.settings
    engine = settings.engine or LOCAL
    request = run_request(study, settings)
    calibration = settings.calibration
    if calibration not in (None, PUBLISHED):
        calibration = str(_calibration_path(directory, calibration))
    chosen = {
        LAB.name: laboratory or settings.lab,
        PLAN.name: plan_path(directory, due.cell) if engines()[engine].planned else None,
        CALIBRATION.name: calibration,
    }
    options = {**request.given, **{name: value for name, value in chosen.items() if value is not None}}
    request = request.model_copy(update={"given": options})
    with named(due.cell):
        start = _start(study, directory, due)
        prepared = prepare(engine, request, **(start | {"keep_data": keep_data}))
    return prepared._replace(job=prepared.job.model_copy(update={"run_id": due.run_id}))


def filling_cell(filling: Study, cell: Cell) -> Cell:
    """The cell without options that only other programs than those of the suite that fills its lab use."""
    engine = cell.settings.engine or LOCAL
    kinds = suites()[filling.suite]
    several = {kind: options_of(program, engine) for kind, program in programs().items()}
    used = {option.name for kind in kinds for option in several[kind]}
    unused = {
        option.studied.name: None
        for options in several.values()
        for option in options
        if option.studied is not None and option.name not in used
    }
    return cell._replace(settings=cell.settings.model_copy(update=unused))


def _start(study: Study, directory: StudyDirectory, due: Due) -> RunStart:
    command = ("howdah", "study", study.study)
    return RunStart(runs_dir=directory.runs, command=command, seed=due.seed, keep_data=False)


def write_unstarted(study: Study, directory: StudyDirectory, due: Due, error: str) -> None:
    """Write the record of a run that failed before it began, because its lab did not start."""
    plan = read_plan(plan_path(directory, due.cell))
    engine, version = due.cell.settings.engine or LOCAL, plan.cluster.request.hadoop
    sized = size_suite(run_request(study, due.cell.settings), at_once(plan), engine=engine, plan=plan)
    start, interval_s = _start(study, directory, due), sized.sample_interval_s
    job = new_job(sized.suite, plan, probe_host(), sample_interval_s=interval_s, **start)
    _write_failed(directory, job.model_copy(update={"run_id": due.run_id}), engine, version, error)


def write_refused(study: Study, directory: StudyDirectory, due: Due, error: str) -> None:
    """Write the record of a run that was refused on a cluster that is up, as a run of the baseline's cell.

    Raises as ``prepare_cell`` if the cluster refuses that, too.
    """
    baseline = next(cell for cell in cells_of(study) if matches(study.baseline, dict(cell.levels)))
    with closing(prepare_cell(study, directory, due._replace(cell=baseline))) as prepared:
        job = prepared.job.model_copy(update={"run_id": due.run_id})
        _write_failed(directory, job, prepared.engine.name, prepared.engine.version, error)


def _write_failed(directory: StudyDirectory, job: Job, engine: str, version: str, error: str) -> None:
    created, digests = datetime.now(UTC), job_digests(job)
    record = begun_record(job, engine=engine, version=version, created=created, digests=digests)
    with RunWriter(directory.runs, record) as writer:
        writer.finish(record.model_copy(update={"outcome": Outcome.FAILED, "error": error}))


def check_asked(study: Study, cell: Cell) -> None:
    """Raise UserError for what the programs of a cell have no use for; whom they ask is not looked at."""
    with named(cell):
        requested_programs(run_request(study, cell.settings), cell.settings.engine or LOCAL)


@contextmanager
def named(cell: Cell) -> Iterator[None]:
    """Name the cell in what is wrong with it."""
    try:
        yield
    except UserError as error:
        where = f"{cell.name}: {error.where}" if error.where else cell.name
        raise UserError(where, error.what, error.hint) from error


def _calibration_path(directory: StudyDirectory, name: str) -> Path:
    return directory.inputs / Path(name).name


def run_request(study: Study, settings: CellSettings) -> RunRequest:
    """What a cell asks of its engine, with the options that its published study decides, if it has one."""
    options: dict[str, Any] = {}
    for setup in (published for published in studies() if published.study == settings.setup):
        options |= {} if setup.reduces is None else {REDUCES.name: setup.reduces}
        if setup.ratios is not None:
            options |= {FILES.name: setup.ratios.files, FILE_SIZE.name: setup.ratios.file_size}
            options[REPLICATION.name] = _USUAL_REPLICATION
    options |= settings.options()
    if _has_records(study.suite):
        # A table has as many replicas as its cluster's files, which is planned with them.
        options.pop(REPLICATION.name, None)
    return RunRequest(suite=study.suite, given=options)


def _plan_request(study: Study, settings: CellSettings) -> PlanRequest:
    overrides = dict(settings.overrides or {})
    if settings.block_size is not None:
        overrides.setdefault("dfs.blocksize", f"{settings.block_size // MIB}MiB")
    if _has_records(study.suite):
        demand = Demand(kind=YCSB, records=settings.records)
    else:
        # TeraSort stands for all of MapReduce.
        demand = Demand(kind="terasuite", dataset_bytes=settings.dataset)
    return PlanRequest(
        workloads=(demand,),
        replication=settings.replication,
        hypervisor=settings.hypervisor,
        protection=settings.protection or Protection.NONE,
        profile=settings.profile or Profile.PRODUCTION,
        workers_per_host=settings.workers_per_host,
        slots=settings.slots,
        overrides=_overrides(overrides),
    )


def _overrides(values: Mapping[str, str | int | float | bool]) -> tuple[Override, ...]:
    texts = {
        key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in values.items()
    }
    return tuple(Override(key=key, value=text) for key, text in texts.items())


def _linked(inventory: Inventory, settings: CellSettings) -> Inventory:
    if settings.link is None:
        return inventory
    groups = []
    for group in inventory.groups:
        nics = tuple(nic.model_copy(update={"speed_bits_per_s": settings.link}) for nic in group.nics)
        groups.append(group.model_copy(update={"nics": nics}))
    return inventory.model_copy(update={"groups": tuple(groups)})
