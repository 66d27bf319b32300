"""What a user asks of a run: a suite by name, and values of its options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import Field

from howdah.model.base import Model
from howdah.model.engines import all_options
from howdah.model.workloads.base import Workload
from howdah.model.workloads.option import Option

ValueT = TypeVar("ValueT")


class RunRequest(Model):
    """A suite by name and the values the user gave, in SI base units; what is left out is the planner's."""

    suite: str
    given: Mapping[str, Any] = Field(default_factory=dict)
    """The values of options, of programs and engines, by the options' names."""

    def of(self, option: Option[ValueT]) -> ValueT | None:
        """What the user gave of an option; None where that is the planner's to choose."""
        value: ValueT | None = self.given.get(option.name)
        return value

    def fields_of(self, *options: Option[Any]) -> dict[str, Any]:
        """What the user gave of options, by the workloads' fields."""
        return {option.field: self.of(option) for option in options}

    def on(self, engine: str) -> RunRequest:
        """The same request without what only other engines have a use for."""
        used = {
            name: value
            for name, value in self.given.items()
            if not all_options()[name].engines or engine in all_options()[name].engines
        }
        return self.model_copy(update={"given": used})

    def with_value(self, option: Option[ValueT], value: ValueT) -> RunRequest:
        """The same request with another value of an option."""
        return self.model_copy(update={"given": {**self.given, option.name: value}})


def options_of(program: type[Workload], engine: str) -> tuple[Option[Any], ...]:
    """The options of a program on an engine."""
    return (*program.options, *program.options_on.get(engine, ()))
