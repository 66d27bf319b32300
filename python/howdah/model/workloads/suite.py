"""Suites: programs that run one after another, by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, SerializeAsAny

from howdah.model.base import Model
from howdah.model.workloads import hbase_pe, spark, ycsb
from howdah.model.workloads.base import Workload
from howdah.model.workloads.dfsio import DFSIO_READ, DFSIO_WRITE
from howdah.model.workloads.option import Option
from howdah.model.workloads.redundancy import REDUNDANCY
from howdah.model.workloads.registered import kind_of, programs
from howdah.model.workloads.terasort import TERAGEN, TERASORT, TERAVALIDATE
from howdah.model.wrong import WrongValue

T = TypeVar("T")

_TOGETHER = {
    "terasuite": (TERAGEN, TERASORT, TERAVALIDATE),
    spark.SPARK_TERASUITE: (TERAGEN, spark.SPARK_TERASORT, TERAVALIDATE),
    "dfsio": (DFSIO_WRITE, DFSIO_READ),
    "rebuild": (DFSIO_WRITE, REDUNDANCY, DFSIO_READ),
    ycsb.YCSB: tuple(kind_of(program) for program in ycsb.EVERY if program is not ycsb.YcsbOwnMix),
    hbase_pe.PE: tuple(kind_of(program) for program in hbase_pe.EVERY),
}
_MAIN = {
    "terasuite": TERASORT,
    "rebuild": REDUNDANCY,
    spark.SPARK_TERASUITE: spark.SPARK_TERASORT,
    ycsb.YCSB: "ycsb-a",
}
"""The program that a suite is run for, if it is not the first one."""


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
    """A workload as its own class; raises WrongValue for a program that is not known.

    Records of before had every program's options in each workload, those of other programs as null.
    """
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

    name: str
    """The suite's name on the command line."""
    workloads: tuple[AnyWorkload, ...]
    """In the order they run."""

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
