"""Preparation of a run on HBase: a lab's, the user's own, or a standalone one on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from typing import Unpack

from howdah.engines.base import Prepared, RunStart, new_job
from howdah.engines.hbase.admin import LOAD, NO_TABLE, HBaseAdmin, newest_kept
from howdah.engines.hbase.engine import HBaseEngine, Opened
from howdah.engines.hbase.reached import ReachedHBase, reach_lab_hbase, reach_own_hbase, standing_alone
from howdah.engines.hbase.target import HBaseTarget, table_name
from howdah.engines.lab_runs import check_one_cluster, chosen_lab, complete_lab, on_lab, requested_faults
from howdah.errors import UserError
from howdah.faults.player import FaultPlayer
from howdah.installation.installation import find_hbase
from howdah.installation.java_programs import with_ycsb
from howdah.model.engines import CONF, DATA_DIR, HBASE, LAB, MEMORY, PLAN
from howdah.model.host import Host
from howdah.model.placement import AtOnce
from howdah.model.plan import Plan, Role, Worker, WorkerPlan
from howdah.model.run_request import RunRequest
from howdah.model.tables import Job
from howdah.model.workloads.ycsb import PE, PE_WRITE, YCSB_LOAD, TableShape, YcsbLoad, check_shape
from howdah.model.workloads.ycsb_options import CLIENTS, FIELD_SIZE, FIELDS, MOST_CLIENTS, RECORDS
from howdah.planner.local_plan import DEFAULT_DATA_DIR
from howdah.planner.suite.cluster import size_suite
from howdah.planner.suite.request import requested_programs, suite_line
from howdah.probe import probe_host
from howdah.services.conf import conf_directory
from howdah.units import GIB, format_memory

_CONF_DIR = "HBASE_CONF_DIR"
_HEAP_BYTES = GIB
_LEAST_HEAP_BYTES = GIB // 2


def prepare_hbase(request: RunRequest, **start: Unpack[RunStart]) -> Prepared:
    """Find the HBase, size the suite and return the prepared job; raises UserError for mistakes."""
    if requested_programs(request, HBASE)[0].reads == PE_WRITE:
        raise UserError("SUITE", "it reads the rows of pe-write, which are not kept", f"run the suite {PE}")
    host = probe_host()
    plan: Plan
    opened: Opened
    # What is opened to query the cluster ends with the stack.
    with ExitStack() as stack:
        reached, player = _reach(request, host)
        if reached is None:
            _check_alone(request, keep_data=start["keep_data"])
            installation, plan = with_ycsb(find_hbase()), _plan_alone(request, host)
            opened = partial(standing_alone, installation=installation)
            heap, servers, places = format_memory(plan.workers[0].memory_bytes), 1, MOST_CLIENTS
            line = f"{installation.version} alone on this machine, in one JVM of {heap}"
        else:
            stack.enter_context(reached.close)
            target = replace(reached.target, heal=player.heal) if player else reached.target
            request, installation = _of_kept(request, reached), target.installation
            opened = partial(_opened, target, reached.admin)
            plan, line = reached.plan, reached.line
            servers, places = len(reached.status.servers), len(target.places)
        clients = request.of(CLIENTS)
        if clients is not None and clients > places:
            problem = f"{clients} clients need as many machines, and there are {places}"
            raise UserError(CLIENTS.flag, problem, f"give at most {places}, with more --threads")
        sized = size_suite(request, AtOnce(0, 0), engine=HBASE, hosts=servers)
        plan = plan.model_copy(update={"settings": (*plan.settings, *sized.settings)})
        job = new_job(sized.suite, plan, host, sample_interval_s=sized.sample_interval_s, **start)
        engine = HBaseEngine(installation.version, opened)
        return Prepared(
            job=job,
            engine=on_lab(engine, reached.state if reached else None, player),
            introduction=(("HBase", line), ("plan", suite_line(sized.suite))),
            kept=partial(_kept, job),
            close=stack.pop_all().close,
        )


def _opened(target: HBaseTarget, admin: HBaseAdmin, job: Job) -> nullcontext[tuple[HBaseTarget, HBaseAdmin]]:
    return nullcontext((target, admin))


def _check_alone(request: RunRequest, *, keep_data: bool) -> None:
    """Raise UserError for a request that an HBase started for the run cannot serve."""
    hint = "run the suite ycsb, or give --conf DIR or --lab NAME"
    if requested_programs(request, HBASE)[0].reads == YCSB_LOAD:
        problem = f"{request.suite} needs a table, and an HBase started on this machine has none"
        raise UserError("SUITE", problem, hint)
    if keep_data:
        raise UserError("--keep-data", "an HBase started on this machine stops at the end of the run", hint)


def _of_kept(request: RunRequest, reached: ReachedHBase) -> RunRequest:
    """A mix alone is of the table that was kept; raises UserError without one, or where another is wanted."""
    if requested_programs(request, HBASE)[0].reads != YCSB_LOAD:
        return request
    table = newest_kept(reached.admin)
    if table is None:
        raise UserError("SUITE", NO_TABLE, f"run {LOAD} first")
    made = table.made
    check_shape(request.of, TableShape(made.records, made.fields, made.field_bytes))
    for option, value in ((RECORDS, made.records), (FIELDS, made.fields), (FIELD_SIZE, made.field_bytes)):
        request = request.with_value(option, value)
    return request


def _kept(job: Job) -> Mapping[str, Sequence[str]]:
    makes = any(isinstance(workload, YcsbLoad) for workload in job.suite.workloads)
    return {"HBase": [table_name(job.run_id)]} if job.keep_data and makes else {}


def _reach(request: RunRequest, host: Host) -> tuple[ReachedHBase | None, FaultPlayer | None]:
    """The chosen HBase, or that of the running lab, with its faults; None for one to be started here."""
    check_one_cluster(request)
    # Options that only apply to an HBase started for the run.
    alone = ((MEMORY.flag, request.of(MEMORY)), (DATA_DIR.flag, request.of(DATA_DIR)))
    if flags := [flag for flag, value in alone if value is not None]:
        clusters = ((CONF.flag, request.of(CONF)), (LAB.flag, request.of(LAB)))
        if names := [flag for flag, value in clusters if value is not None]:
            problem = f"is for an HBase started on this machine, but {names[0]} names another"
            raise UserError(flags[0], problem, "leave one of them out")
        return None, requested_faults(request, None)
    otherwise = f"{CONF.flag} DIR, or {MEMORY.flag} SIZE to start an HBase on this machine"
    find = partial(complete_lab, engine=HBASE, otherwise=otherwise)
    state = chosen_lab(request, HBASE, _CONF_DIR, find)
    player = requested_faults(request, state)
    if state is not None:
        return reach_lab_hbase(state), player
    directory, plan = conf_directory(request.of(CONF), _CONF_DIR), request.of(PLAN)
    if directory is not None:
        return reach_own_hbase(directory, plan, host.name), None
    if plan is not None:
        raise UserError(PLAN.flag, "describes a cluster, but no option names one", "give --conf DIR")
    return None, None


def _plan_alone(request: RunRequest, host: Host) -> WorkerPlan:
    heap = request.of(MEMORY) or _HEAP_BYTES
    if heap < _LEAST_HEAP_BYTES:
        problem = f"{format_memory(heap)} is too little heap for HBase"
        raise UserError(MEMORY.flag, problem, "give 512MiB or more")
    data_dirs = request.of(DATA_DIR) or (DEFAULT_DATA_DIR,)
    if len(data_dirs) > 1:
        problem = "an HBase on this machine uses a single data directory"
        raise UserError(DATA_DIR.flag, problem, "give one --data-dir")
    for path in request.of(DATA_DIR) or ():
        if not path.is_dir():
            raise UserError(f"--data-dir {path}", "is not a directory", "create it on the disk to measure")
    worker = Worker(
        name=host.name,
        map_slots=1,
        reduce_slots=1,
        memory_bytes=heap,
        data_dirs=tuple(str(path.resolve()) for path in data_dirs),
        roles=(Role.HMASTER, Role.REGIONSERVER),
    )
    return WorkerPlan(platform="native", workers=(worker,), settings=())
