"""The options of `howdah plan` that a request stores, each declared once.

Flags with their help, what is refused with ``--from``, and the command that a page shows derive from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar, get_args

from howdah.errors import UserError
from howdah.model.request import (
    CodedDirectory,
    Demand,
    Growth,
    Hypervisor,
    Override,
    PlanRequest,
    Profile,
    Protection,
    WorkKind,
)
from howdah.model.storage_policy import POLICIES
from howdah.units import exact_bytes, parse_count, parse_volume

C = TypeVar("C", bound=StrEnum)


@dataclass(frozen=True)
class PlanOption:
    """One option: how it is written on the command line, and its value in a request."""

    name: str
    help: str
    field: str = ""  # The request's field; empty if several options decide one.
    value: Callable[[PlanRequest], Any] | None = None  # Its value in a request, where that is not a field's.
    read: Callable[[Any], Any] | None = None  # The request's value of what was typed, where that is another.
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
        if self.read is not None:
            return self.read(value)
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


_WORKLOADS = "write mapreduce, terasuite:30TB, spark, tez, ycsb:300M, storage or @work.yaml"
_GROWTH = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(%?)\s*(?:/\s*(?:year|y|a))?\s*")
_HDFS_PATH = re.compile(r"(/[A-Za-z0-9._-]+)+")
_MOST_GROWTH = 10.0  # Eleven times as much every year is no plan any more.
_REALM = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


def parse_demands(texts: Sequence[str | Demand] | None) -> tuple[Demand, ...]:
    """The work of ``--workload terasuite:30TB``, or what a cluster's file has; by default, MapReduce."""
    demands = tuple(text if isinstance(text, Demand) else _demand(text) for text in texts or ())
    if len(demands) > 1 and any(demand.kind == "storage" for demand in demands):
        raise UserError("--workload storage", "is for clusters without other workloads", "leave storage out")
    return demands or USUAL.workloads


def _demand(text: str) -> Demand:
    where = f"--workload {text}"
    word, colon, amount = text.partition(":")
    kind = next((kind for kind in get_args(WorkKind) if kind == word), None)
    if kind is None:
        raise UserError(where, f"{word!r} is not a workload that howdah plans for", _WORKLOADS)
    if not colon:
        return Demand(kind=kind)
    if not amount.strip():
        raise UserError(where, "has no value after its colon", _WORKLOADS)
    if kind == "storage":
        raise UserError(where, "has no amount", "write storage, and give the amount of data by --need 300TB")
    if kind != "ycsb":
        return Demand(kind=kind, dataset_bytes=parse_volume(amount, where, _WORKLOADS))
    records = parse_count(amount, where)
    if records == 0:
        raise UserError(where, "is a table without records", _WORKLOADS)
    return Demand(kind="ycsb", records=records)


def parse_file_size(text: str | None) -> int | None:
    """The mean size of files, with its unit; raise UserError for one that is none."""
    return None if text is None else parse_volume(text, f"--mean-file {text}", "write, for example, 64MiB")


def parse_overrides(texts: Sequence[str] | None) -> tuple[Override, ...]:
    """The values of ``--set KEY=VALUE``; raise UserError for one without both, or given twice."""
    overrides: dict[str, Override] = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals or not key:
            hint = "write, for example, mapreduce.task.io.sort.mb=400"
            raise UserError(f"--set {text}", "is not of the form KEY=VALUE", hint)
        if key in overrides:
            raise UserError(f"--set {text}", f"{key} is set twice", "leave one of them out")
        if key == "dfs.replication":
            # Where replicas go and what disks hold follow from it: a value alone would contradict the plan.
            raise UserError(f"--set {text}", "has its own flag", "write --replication N")
        overrides[key] = Override(key=key, value=value.strip())
    return tuple(overrides.values())


def parse_coded(texts: Sequence[str] | None) -> tuple[CodedDirectory, ...]:
    """The directories of ``--erasure-coding DIR=POLICY``; raise UserError for an unknown policy or path."""
    directories: dict[str, CodedDirectory] = {}
    for text in texts or ():
        where = f"--erasure-coding {text}"
        path, equals, policy = text.rpartition("=")
        path = path.rstrip("/")
        if not equals or not _HDFS_PATH.fullmatch(path):
            hint = "write, for example, /archive=RS-6-3-1024k"
            raise UserError(where, "does not name a directory and a policy", hint)
        if policy not in POLICIES:
            hint = f"one of {', '.join(POLICIES)}"
            raise UserError(where, f"{policy!r} is not an erasure coding policy", hint)
        if path in directories:
            raise UserError(where, f"{path} is given twice", "leave one of them out")
        directories[path] = CodedDirectory(path=path, policy=policy)
    return tuple(directories.values())


def parse_growth(need: str | None, growth: str | None, years: int | None) -> Growth | None:
    """``--need 300TB --growth 40%/year --years 3``; raise UserError for growth or years without a need."""
    if need is None:
        for flag, value in (("--growth", growth), ("--years", years)):
            if value is not None:
                raise UserError(flag, "needs the amount of data to grow from", "add --need 300TB")
        return None
    need_bytes = parse_volume(need, f"--need {need}", "write, for example, 300TB")
    years = usual_years(growing=growth is not None) if years is None else years
    if growth is None:
        return Growth(need_bytes=need_bytes, per_year=0.0, years=years)
    # ``40%/year`` and ``0.4`` are the same.
    where, hint = f"--growth {growth}", "write, for example, 40%/year, or 0.4"
    match = _GROWTH.fullmatch(growth)
    if match is None:
        raise UserError(where, "is not a growth per year", hint)
    share = float(match[1]) / (100 if match[2] else 1)
    if share > _MOST_GROWTH:
        raise UserError(where, f"is {100 * share:,.0f} % per year", hint)
    return Growth(need_bytes=need_bytes, per_year=share, years=years)


def parse_realm(realm: str | None) -> str | None:
    """A Kerberos realm; raises UserError for an invalid name."""
    if realm is not None and not _REALM.fullmatch(realm):
        raise UserError(f"--realm {realm}", "is not a realm name", "write, for example, EXAMPLE.COM")
    return realm


def _years(growth: Growth) -> int | None:
    return growth.years if growth.years != usual_years(growing=bool(growth.per_year)) else None


PLAN_OPTIONS = (
    PlanOption(
        "workload", "Workload: mapreduce, spark, tez (Hive), ycsb:300M (HBase), storage, terasuite:30TB, "
        "@work.yaml; repeat it for a mix. Default: mapreduce.", "workloads", several=True, text=demand_text,
        read=parse_demands,
    ),
    PlanOption("replication", "Replicas of a block.", "replication", kind=int),
    PlanOption(
        "erasure_coding", "Directory of HDFS and the erasure coding policy of its files, such as "
        "/archive=RS-6-3-1024k; repeatable. `howdah plan storage` compares the policies.", "coded",
        several=True, text=lambda directory: f"{directory.path}={directory.policy}", metavar="DIR=POLICY",
        more=True, read=parse_coded,
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
    PlanOption("realm", "Kerberos realm. Default: the hosts' domain.", "realm", more=True, read=parse_realm),
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
        read=parse_overrides,
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
        "Default: 64MiB.", "file_bytes", text=exact_bytes, more=True, read=parse_file_size,
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


def plan_request(typed: Mapping[str, Any]) -> PlanRequest:
    """The request of options as they were typed, by their names."""
    return PlanRequest(**request_fields({option.name: typed[option.name] for option in PLAN_OPTIONS}))


def request_fields(typed: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a request that these options decide."""
    fields = {
        option.field: option.parse(typed[option.name])
        for option in PLAN_OPTIONS
        if option.field and option.name in typed
    }
    if fields.get("realm") is not None and not fields["secure"]:
        raise UserError("--realm", "has no effect without Kerberos", "add --secure")
    if "need" in typed:
        fields["growth"] = parse_growth(typed["need"], typed["growth"], typed["years"])
    return fields
