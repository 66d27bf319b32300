"""The options of `howdah plan` that a request stores, each declared once.

Flags with their help, what is refused with ``--from``, and the command that a page shows derive from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from howdah.errors import UserError
from howdah.model.request import Demand, Growth, Hypervisor, PlanRequest, Profile, Protection
from howdah.units import exact_bytes

C = TypeVar("C", bound=StrEnum)


@dataclass(frozen=True)
class PlanOption:
    """One option: how it is written on the command line, and its value in a request."""

    name: str
    help: str
    field: str = ""  # The request's field; empty if several options decide one.
    value: Callable[[PlanRequest], Any] | None = None  # Its value in a request, where that is not a field's.
    kind: type[bool] | type[int] | type[str] = str  # What a command line reads; a bool is a flag.
    several: bool = False  # Whether it may be repeated; its value is a tuple then.
    text: Callable[[Any], str] = str
    choices: type[StrEnum] | None = None
    completion: str | None = None  # A sequence of values as ``module:name`` that a shell completes from.
    default: str | None = None  # What is taken, and shown in help, if it is left out.
    metavar: str | None = None
    most: int | None = None
    more: bool = False  # Whether only ``--help-all`` shows it.

    @property
    def flag(self) -> str:
        """How it is written on the command line."""
        return f"--{self.name.replace('_', '-')}"

    def of(self, request: PlanRequest) -> Any:
        """Its value in a request: None, False or () if it was left out."""
        return self.value(request) if self.value is not None else getattr(request, self.field)

    def parse(self, value: Any) -> Any:
        """The request's value of what was typed; raises UserError for an invalid one."""
        if value is None:
            return None
        if self.choices is not None:
            return parse_choice(self.flag, value, self.choices)
        if self.kind is int and value < 1:
            raise UserError(f"{self.flag} {value}", "is not a count", "give 1 or more")
        return value


def parse_choice(flag: str, text: str, choices: type[C]) -> C:
    """One of a few words; raises UserError that lists them."""
    try:
        return choices(text)
    except ValueError as error:
        raise UserError(flag, f"unknown value {text!r}", f"one of {', '.join(choices)}") from error


def demand_text(demand: Demand) -> str:
    """The work as ``--workload`` reads it: ``terasuite:30TB``."""
    amount = exact_bytes(demand.dataset_bytes) if demand.dataset_bytes is not None else demand.records
    return f"{demand.kind}:{amount}" if amount is not None else demand.kind


def usual_years(*, growing: bool) -> int:
    """The years to plan for if ``--years`` is left out."""
    return 3 if growing else 0


def _years(growth: Growth) -> int | None:
    return growth.years if growth.years != usual_years(growing=bool(growth.per_year)) else None


PLAN_OPTIONS = (
    PlanOption(
        "workload", "Workload: mapreduce, spark, tez (Hive), ycsb:300M (HBase), storage, terasuite:30TB, "
        "@work.yaml; repeat it for a mix. Default: mapreduce.", "workloads", several=True, text=demand_text,
    ),
    PlanOption("replication", "Replicas of a block.", "replication", kind=int),
    PlanOption(
        "erasure_coding", "Directory of HDFS and the erasure coding policy of its files, such as "
        "/archive=RS-6-3-1024k; repeatable. `howdah plan storage` compares the policies.", "coded",
        several=True, text=lambda directory: f"{directory.path}={directory.policy}", metavar="DIR=POLICY",
        more=True,
    ),
    PlanOption(
        "hypervisor", f"Hypervisor: {', '.join(Hypervisor)}. Default: none, every host is a worker.",
        "hypervisor", choices=Hypervisor,
    ),
    PlanOption(
        "weigh_virtual", "Also evaluate virtual machines as workers on these hosts.", "weigh_virtual",
        kind=bool,
    ),
    PlanOption(
        "protect_masters", f"Protection of masters from the loss of a host: {', '.join(Protection)}.",
        "protection", choices=Protection, default=Protection.NONE.value,
    ),
    PlanOption("secure", "Plan Kerberos and TLS.", "secure", kind=bool),
    PlanOption("realm", "Kerberos realm. Default: the hosts' domain.", "realm", more=True),
    PlanOption(
        "profile", "Profile: production, or paper to reproduce a study's configuration.", "profile",
        choices=Profile, default=Profile.PRODUCTION.value, more=True,
    ),
    PlanOption("workers_per_host", "Plan exactly this many workers per host.", "workers_per_host", kind=int),
    PlanOption(
        "slots", "Plan exactly this many concurrent map tasks per worker, and as many reduce tasks.", "slots",
        kind=int, more=True,
    ),
    PlanOption("overcommit", "Allow more virtual CPUs than threads.", "overcommit", kind=bool, more=True),
    PlanOption(
        "set", "Value to use instead of the rule's, KEY=VALUE; repeatable.", "overrides", several=True,
        text=lambda override: f"{override.key}={override.value}", metavar="KEY=VALUE",
    ),
    PlanOption(
        "hadoop", "Hadoop release.", "hadoop", metavar="VERSION",
        completion="howdah.releases.catalogue:PLANNED_VERSIONS", default=PlanRequest().hadoop, more=True,
    ),
    PlanOption(
        "hbase", "HBase release.", "hbase", metavar="VERSION",
        completion="howdah.releases.catalogue:HBASE_VERSIONS", default=PlanRequest().hbase, more=True,
    ),
    PlanOption(
        "need", "Amount of data to store today, such as 300TB.", metavar="SIZE", text=exact_bytes,
        value=lambda request: request.growth.need_bytes if request.growth is not None else None,
    ),
    PlanOption(
        "growth", "Growth of the data, such as 40%/year.", metavar="RATE",
        value=lambda request: (request.growth.per_year or None) if request.growth is not None else None,
        text=lambda per_year: f"{100 * per_year:g}%/year",
    ),
    PlanOption(
        "years", "Years that the cluster must last.", kind=int, most=30, more=True,
        value=lambda request: _years(request.growth) if request.growth is not None else None,
    ),
    PlanOption(
        "mean_file", "Mean size of the files to be stored: small files need more NameNode heap. "
        "Default: 64MiB.", "file_bytes", text=exact_bytes, more=True,
    ),
)  # fmt: skip

USUAL = PlanRequest(workloads=(Demand(kind="mapreduce"),))  # The request without any option.


def written_options(request: PlanRequest) -> Iterator[str]:
    """The words of a command line that make this request; what it leaves to the planner is left out."""
    for option in PLAN_OPTIONS:
        value = option.of(request)
        if value == option.of(USUAL):
            continue
        if option.kind is bool:
            yield option.flag
        else:
            for member in value if option.several else (value,):
                yield from (option.flag, option.text(member))
