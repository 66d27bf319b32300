"""TeraGen's record of the rows it wrote, which goes with them from folder to folder."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

import pydantic

from howdah.engines.hadoop.storage import HdfsWorkspace, kept_data
from howdah.errors import UserError
from howdah.model.workloads.base import Workload
from howdah.model.workloads.suite import programs
from howdah.model.workloads.terasort import INPUT, ROW_BYTES
from howdah.services.hdfs import FileStatus
from howdah.services.namenode import NameNode

FILE = "_TERAGEN"
"""The local engine writes the same file; programs of MapReduce pass over names with an underscore."""

_CONTENT = pydantic.TypeAdapter(dict[str, int | str])
DFSIO_DATA = "io_data"
"""Its own folder of the files, below that one."""


class Generated(NamedTuple):
    """The number of rows and the sum of their CRC-32 in hex, of which Hadoop keeps the low 64 bits."""

    rows: int
    checksum: str


def read_generated(namenode: NameNode, folder: str) -> Generated | None:
    """The record in a folder; None where there is none, or one cut off."""
    if not any(entry.name == FILE for entry in namenode.list(folder)):
        return None
    try:
        content = _CONTENT.validate_json(namenode.read(f"{folder}/{FILE}"))
        generated = Generated(int(content["rows"]), str(content["checksum"]))
        int(generated.checksum, 16)
    except (pydantic.ValidationError, ValueError, KeyError):
        return None
    return generated


def write_generated(namenode: NameNode, folder: str, generated: Generated) -> None:
    """Leave the record with the rows."""
    content: dict[str, int | str] = dict(generated._asdict())
    namenode.write(f"{folder}/{FILE}", _CONTENT.dump_json(content))


class Rows(NamedTuple):
    """A folder of rows."""

    path: str
    rows: int


def find_source(
    namenode: NameNode, work_dir: str, workload: Workload, workspace: HdfsWorkspace | None = None
) -> str | None:
    """The path that a workload reads; None if it reads nothing.

    Raises UserError if it reads what neither this run nor an earlier one has left.
    """
    name = programs()[workload.reads].folder if workload.reads else None
    if name is None:
        return None
    inputs = INPUT.of(workload)
    if inputs:
        if len(inputs) > 1:
            raise UserError("--input", f"{len(inputs)} are given", "Hadoop's TeraSort reads one directory")
        if not inputs[0].startswith("/"):
            raise UserError(f"--input {inputs[0]}", "is not a path in HDFS", "give a path that begins with /")
        if namenode.stat(inputs[0]) is None:
            raise UserError(f"--input {inputs[0]}", "is not in HDFS", "give a directory of 100-byte rows")
        return inputs[0]
    if workspace is not None and workspace.has(name):
        return workspace.folder(name)
    kept = kept_data(namenode, work_dir, name)
    if kept is None:
        raise UserError(
            f"HDFS {work_dir}",
            f"contains no input for {workload.kind}",
            f"run `howdah run {workload.reads} --engine hadoop --keep-data` first",
        )
    return kept.path


def tera_rows(namenode: NameNode, path: str) -> Rows:
    """The rows in a folder; raises UserError where they are no whole number."""
    files = [status for status in namenode.list(path) if _is_data(status)]
    for file in files:
        if file.size_bytes % ROW_BYTES:
            raise UserError(
                f"HDFS {path}/{file.name}".rstrip("/"),
                f"is {file.size_bytes:,} bytes long, which is not a multiple of {ROW_BYTES}",
                "it is truncated or does not consist of TeraSort's 100-byte rows",
            )
    if not files:
        raise UserError(f"HDFS {path}", "contains no rows", "give a directory of TeraSort's part files")
    rows = sum(file.size_bytes for file in files) // ROW_BYTES
    return Rows(path, rows)


def check_whole(source: Rows, generated: Generated | None) -> None:
    """Raise UserError unless a folder still holds all the rows that TeraGen wrote, by its record."""
    if generated and generated.rows != source.rows:
        raise UserError(
            f"HDFS {source.path}",
            f"contains {source.rows:,} of the {generated.rows:,} rows that teragen wrote",
            "generate them again",
        )


def _is_data(entry: FileStatus) -> bool:
    """Whether MapReduce takes it for input: neither hidden nor a directory."""
    return entry.kind == "FILE" and not entry.name.startswith(("_", "."))


def dfsio_files(namenode: NameNode, path: str) -> list[FileStatus]:
    """The files of a dfsio-write."""
    return [status for status in namenode.list(posixpath.join(path, DFSIO_DATA)) if _is_data(status)]
