"""The registered programs, howdah's own and those of other packages, and the suites of them, by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from itertools import chain
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, SerializeAsAny

from howdah.errors import UserError
from howdah.model.base import Model, WrongValue
from howdah.model.workloads import spark, ycsb
from howdah.model.workloads.base import Workload
from howdah.model.workloads.dfsio import DFSIO_READ, DFSIO_WRITE, DfsioRead, DfsioWrite, Storage
from howdah.model.workloads.hadoop_programs import REDUNDANCY, Network, NNBench, Pi, Redundancy, UserCommand
from howdah.model.workloads.option import Option
from howdah.model.workloads.terasort import TERAGEN, TERASORT, TERAVALIDATE, TeraGen, TeraSort, TeraValidate

GROUP = "howdah.workloads"  # Entry points by which packages bring programs: ``name = "module:Class"``.

OWN: tuple[type[Workload], ...] = (
    TeraGen, TeraSort, TeraValidate, DfsioWrite, DfsioRead, Pi, NNBench, Storage, Network, Redundancy,
    UserCommand, *ycsb.EVERY, *ycsb.EVALUATIONS, *spark.EVERY,
)  # fmt: skip


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


T = TypeVar("T")

_TOGETHER = {
    "terasuite": (TERAGEN, TERASORT, TERAVALIDATE),
    spark.SPARK_TERASUITE: (TERAGEN, spark.SPARK_TERASORT, TERAVALIDATE),
    "dfsio": (DFSIO_WRITE, DFSIO_READ),
    "rebuild": (DFSIO_WRITE, REDUNDANCY, DFSIO_READ),
    ycsb.YCSB: tuple(kind_of(program) for program in ycsb.EVERY if program is not ycsb.YcsbOwnMix),
    ycsb.PE: tuple(kind_of(program) for program in ycsb.EVALUATIONS),
}
_MAIN = {
    "terasuite": TERASORT,
    "rebuild": REDUNDANCY,
    spark.SPARK_TERASUITE: spark.SPARK_TERASORT,
    ycsb.YCSB: "ycsb-a",
}  # The program that a suite is run for, if it is not the first one.


@cache
def suites() -> Mapping[str, tuple[str, ...]]:
    """The suites by name, each with its programs in order: those that belong together, and each alone."""
    alone = {kind: (kind,) for kind in programs()}
    ordered: dict[str, tuple[str, ...]] = {}
    for kind in alone:
        for name, members in _TOGETHER.items():
            if members[0] == kind:
                ordered[name] = members
        ordered[kind] = (kind,)
    return ordered


def read_workload(value: Mapping[str, Any]) -> Workload:
    """A workload as its own class, also of old records; raises WrongValue for an unknown program."""
    kind = value.get("kind")
    program = programs().get(str(kind))
    if program is None:
        raise WrongValue(f"{kind!r} is not a workload", f"one of {', '.join(programs())}", ("kind",))
    own = {key: item for key, item in value.items() if key in program.model_fields or item is not None}
    return program.model_validate(own)


def _typed(value: object) -> object:
    return read_workload(value) if isinstance(value, Mapping) else value


AnyWorkload = Annotated[SerializeAsAny[Workload], BeforeValidator(_typed)]
"""A workload of any program, read back as its own class."""


class Suite(Model):
    """A named list of workloads, run in order."""

    name: str  # The suite's name on the command line.
    workloads: tuple[AnyWorkload, ...]  # In the order they run.

    @property
    def main(self) -> str:
        """The kind of the workload that the suite is run for; one metric of it stands for a run in lists."""
        kinds = [workload.kind for workload in self.workloads]
        main = _MAIN.get(self.name)
        return main if main in kinds else next(iter(kinds), "")

    def first(self, option: Option[T]) -> T | None:
        """What the first workload of those that say anything has of an option."""
        return next(
            (value for workload in self.workloads if (value := option.of(workload)) is not None), None
        )
