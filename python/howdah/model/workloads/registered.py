"""The programs howdah knows: its own, and those that other packages bring as entry points."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from itertools import chain
from typing import Any

from howdah.errors import UserError
from howdah.model.workloads import hbase_pe, spark, spark_programs, ycsb
from howdah.model.workloads.base import Workload
from howdah.model.workloads.dfsio import DfsioRead, DfsioWrite
from howdah.model.workloads.network import Network
from howdah.model.workloads.nnbench import NNBench
from howdah.model.workloads.option import Option
from howdah.model.workloads.pi import Pi
from howdah.model.workloads.redundancy import Redundancy
from howdah.model.workloads.storage import Storage
from howdah.model.workloads.terasort import TeraGen, TeraSort, TeraValidate
from howdah.model.workloads.user_command import UserCommand

GROUP = "howdah.workloads"
"""The group of entry points by which another package brings programs: ``name = "module:Class"``."""

OWN: tuple[type[Workload], ...] = (
    TeraGen,
    TeraSort,
    TeraValidate,
    DfsioWrite,
    DfsioRead,
    Pi,
    NNBench,
    Storage,
    Network,
    Redundancy,
    UserCommand,
    *ycsb.EVERY,
    *hbase_pe.EVERY,
    *spark.EVERY,
    *spark_programs.EVERY,
)


def kind_of(program: type[Workload]) -> str:
    """The name of a program."""
    kind: str = program.model_fields["kind"].default
    return kind


@cache
def programs() -> Mapping[str, type[Workload]]:
    """Every program by its name; raises UserError for one of another package that is none."""
    result = {kind_of(program): program for program in OWN}
    for point in entry_points(group=GROUP):
        if point.name in result:
            raise _wrong(point, f"registers {point.name}, which is already registered")
        result[point.name] = _loaded(point)
    return result


def _loaded(point: EntryPoint) -> type[Workload]:
    try:
        program = point.load()
    except Exception as error:
        # Whatever another package does while it is imported is not ours to know.
        raise _wrong(point, f"cannot be loaded: {error!r}") from error
    if not (isinstance(program, type) and issubclass(program, Workload)) or kind_of(program) != point.name:
        raise _wrong(point, f"is not a workload whose kind is {point.name!r}")
    return program


def _wrong(point: EntryPoint, problem: str) -> UserError:
    package = point.dist.name if point.dist else "a package"
    return UserError(f"{package}: {point.value}", problem, "correct its entry point, or remove the package")


@cache
def options() -> Mapping[str, Option[Any]]:
    """Every option of every program by name, in the programs' order."""
    result: dict[str, Option[Any]] = {}
    for program in programs().values():
        for option in (*program.options, *chain.from_iterable(program.options_on.values())):
            result.setdefault(option.name, option)
    return result
