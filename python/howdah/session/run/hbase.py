"""A run on HBase, made ready: a laboratory's, a user's own, or one that stands alone on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from howdah.engines.hbase.engine import HBaseEngine
from howdah.engines.hbase.standalone import standing_alone
from howdah.errors import UserError
from howdah.installation.find import find_hbase
from howdah.installation.ycsb import with_ycsb
from howdah.model.at_once import AtOnce
from howdah.model.engines import DATA_DIR, HBASE, MEMORY
from howdah.model.host import Host
from howdah.model.plan import Plan, Role, Worker
from howdah.model.workloads.ycsb import YCSB_LOAD
from howdah.planner.local.plan import DEFAULT_DATA_DIR
from howdah.planner.suite.cluster import size_suite
from howdah.planner.suite.line import suite_line
from howdah.planner.suite.request import RunRequest, programs_asked
from howdah.probe import probe_host
from howdah.session.run.prepared import Prepared, new_job
from howdah.units import GIB, format_memory

_CONF_DIR = "HBASE_CONF_DIR"
_HEAP_BYTES = GIB
_LEAST_HEAP_BYTES = GIB // 2


def prepare_hbase(
    request: RunRequest,
    *,
    runs_dir: Path,
    command: Sequence[str],
    seed: int | None = None,
    keep_data: bool = False,
) -> Prepared:
    """Find the HBase to ask, size the suite for it and make a job of it; nothing is written.

    Raises UserError for whatever the request gets wrong, and where what it needs is not there.
    """
    programs = programs_asked(request, HBASE)
    host = probe_host()
    if programs[0].reads == YCSB_LOAD or keep_data:
        raise UserError(
            "--engine hbase",
            "HBase stands alone here, and its data ends with it",
            "run the suite ycsb, or give --conf DIR or --lab NAME",
        )
    installation = with_ycsb(find_hbase())
    plan = _plan_alone(request, host)
    sized = size_suite(request, AtOnce(0, 0), engine=HBASE, hosts=1)
    job = new_job(
        sized.suite,
        plan.model_copy(update={"settings": (*plan.settings, *sized.settings)}),
        host,
        runs_dir=runs_dir,
        command=command,
        seed=seed,
        keep_data=keep_data,
        sample_interval_s=sized.sample_interval_s,
    )
    heap = format_memory(plan.workers[0].memory_bytes)
    return Prepared(
        job=job,
        engine=HBaseEngine(installation.version, partial(standing_alone, installation=installation)),
        introduction=(
            ("HBase", f"{installation.version} alone on this machine, in one JVM of {heap}"),
            ("plan", suite_line(sized.suite)),
        ),
        kept=dict,
    )


def _plan_alone(request: RunRequest, host: Host) -> Plan:
    heap = request.of(MEMORY) or _HEAP_BYTES
    if heap < _LEAST_HEAP_BYTES:
        raise UserError(
            MEMORY.flag, f"{format_memory(heap)} is too small a heap for HBase", "give 512MiB or more"
        )
    data_dirs = request.of(DATA_DIR) or (DEFAULT_DATA_DIR,)
    if len(data_dirs) > 1:
        raise UserError(DATA_DIR.flag, "HBase alone keeps its data in one place", "give one")
    for path in request.of(DATA_DIR) or ():
        if not path.is_dir():
            raise UserError(
                f"--data-dir {path}", "is not a directory", "create it on the disk to be measured"
            )
    worker = Worker(
        name=host.name,
        map_slots=1,
        reduce_slots=1,
        memory_bytes=heap,
        data_dirs=tuple(str(path.resolve()) for path in data_dirs),
        roles=(Role.HMASTER, Role.REGIONSERVER),
    )
    return Plan(platform="native", workers=(worker,), settings=())
