"""TestDFSIO's write and read tests."""

from __future__ import annotations

import posixpath
from functools import partial
from typing import Literal

from howdah.engines.hadoop.command import Command
from howdah.engines.hadoop.dfsio_rates import file_rates, read_sums
from howdah.engines.hadoop.properties import file_properties
from howdah.engines.hadoop.sources import DFSIO, DFSIO_DATA, dfsio_files
from howdah.engines.hadoop.work import Conclusion, Finished, Work, Yield
from howdah.installation.programs import PROGRAMS
from howdah.model.run import Counters, FileRate
from howdah.model.workload import DFSIO_LOG
from howdah.services.task_log import TaskLogs

_FOLDER = "test.build.data"


def dfsio_write(work: Work) -> Conclusion:
    """Write the files, one map task each."""
    folder = work.bench.workspace.folder(DFSIO)
    job = _run(work, "write", folder)
    work.bench.workspace.complete(DFSIO)
    return partial(_written, work, job, folder)


def _written(work: Work, job: Finished, folder: str) -> Yield:
    files = _rates(work, job, "write", folder)
    return Yield(
        counters=Counters(written_bytes=sum(file.bytes for file in files)),
        files=files,
        replicas=work.replicas(posixpath.join(folder, DFSIO_DATA)),
    )


def dfsio_read(work: Work) -> Conclusion:
    """Read back the files that dfsio-write left, as many and as large as they are."""
    folder = work.source()
    there = dfsio_files(work.bench.namenode, folder)
    work.workload = work.workload.model_copy(
        update={"files": len(there), "file_bytes": max(one.size_bytes for one in there)}
    )
    return partial(_read, work, _run(work, "read", folder), folder)


def _read(work: Work, job: Finished, folder: str) -> Yield:
    files = _rates(work, job, "read", folder)
    # Files that are kept are left as they were found.
    work.bench.namenode.delete(posixpath.join(folder, "io_read"))
    return Yield(counters=Counters(read_bytes=sum(file.bytes for file in files)), files=files)


def _run(work: Work, operation: Literal["write", "read"], folder: str) -> Finished:
    """Run one of the two; TestDFSIO itself appends to its log of results."""
    properties = {
        **file_properties(work.workload),
        _FOLDER: folder,
        "mapreduce.job.name": f"TestDFSIO {operation}",
    }
    arguments = (
        f"-{operation}",
        *("-nrFiles", str(work.workload.files or 1)),
        *("-size", f"{work.workload.file_bytes or 0}B"),
        *("-resFile", str(work.bench.job.results_dir / DFSIO_LOG)),
    )
    return work.run(Command(PROGRAMS["dfsio"], properties, arguments))


def _rates(
    work: Work, finished: Finished, operation: Literal["write", "read"], folder: str
) -> tuple[FileRate, ...]:
    output = work.bench.namenode.read(posixpath.join(folder, f"io_{operation}", "part-00000"))
    sums = read_sums(output.decode())
    target = work.bench.target
    logs = TaskLogs(target.web, target.conf)
    found = file_rates(finished.told.facts, logs, sums, folder, operation)
    if found is not None:
        return found
    work.bench.warn(
        "no-file-rates",
        f"dfsio-{operation}: the tasks' logs do not tell every file's rate; one file stands for all of them",
    )
    return (FileRate(path=folder, bytes=sums.size_bytes, io_s=sums.io_ms / 1000, operation=operation),)
