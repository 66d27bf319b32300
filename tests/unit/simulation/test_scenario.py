"""The scenario and the outcome have the fields that the simulator's Rust source defines, and no others."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

from howdah.model.reported import StationUse
from howdah.simulation import outcome, scenario

SOURCE = Path(__file__).parents[3] / "crates" / "howdah-sim" / "src"
PAIRS: dict[type[BaseModel], tuple[str, str]] = {
    scenario.Scenario: ("scenario/mod.rs", "Scenario"),
    scenario.Written: ("scenario/mod.rs", "Recording"),
    scenario.Hosts: ("scenario/hosts.rs", "HostGroup"),
    scenario.Disks: ("scenario/hosts.rs", "DiskGroup"),
    scenario.Nics: ("scenario/hosts.rs", "NicGroup"),
    scenario.Workers: ("scenario/hosts.rs", "WorkerGroup"),
    scenario.Coding: ("scenario/software.rs", "Coding"),
    scenario.SimulatedHdfs: ("scenario/software.rs", "Hdfs"),
    scenario.Scheduling: ("scenario/software.rs", "Scheduling"),
    scenario.JobSettings: ("scenario/software.rs", "Job"),
    scenario.Masters: ("scenario/software.rs", "Masters"),
    scenario.ScenarioProgram: ("scenario/workloads.rs", "Workload"),
    scenario.SimulatedHBase: ("hbase/scenario.rs", "HBase"),
    scenario.OperationShares: ("hbase/scenario.rs", "Shares"),
    scenario.AskingProgram: ("hbase/scenario.rs", "Program"),
    scenario.LocalScenario: ("local/scenario.rs", "LocalScenario"),
    scenario.Directory: ("local/scenario.rs", "Directory"),
    scenario.Costs: ("local/scenario.rs", "Costs"),
    scenario.Doubling: ("local/scenario.rs", "Doubling"),
    scenario.Packing: ("local/scenario.rs", "Packing"),
    scenario.LocalProgram: ("local/scenario.rs", "LocalWorkload"),
    outcome.Summary: ("outcome.rs", "Summary"),
    outcome.WorkloadOutcome: ("outcome.rs", "WorkloadSummary"),
    outcome.PhaseOutcome: ("outcome.rs", "PhaseSummary"),
    outcome.SimCounters: ("outcome.rs", "Counters"),
    outcome.LocalityCounts: ("outcome.rs", "LocalityCounts"),
    outcome.AskedOutcome: ("hbase/mod.rs", "ClientSummary"),
    outcome.AskedInterval: ("hbase/latencies.rs", "Interval"),
    outcome.TimedOperations: ("hbase/latencies.rs", "Latencies"),
    StationUse: ("hbase/mod.rs", "StationUse"),
}
ENUMS = {
    "DiskKind": "scenario/hosts.rs",
    "Placement": "scenario/software.rs",
    "SchedulingKind": "scenario/software.rs",
    "Codec": "scenario/software.rs",
    "Protection": "scenario/software.rs",
    "Log": "hbase/scenario.rs",
    "Durability": "hbase/scenario.rs",
    "Distribution": "hbase/scenario.rs",
}
NOT_SENT = {"Scenario": {"network"}, "Hdfs": {"filled"}}
"""Fields that have their default in every scenario that is translated from a plan."""
_FIELD = re.compile(r"((?:#\[serde\([^\n]*\)\]\s*)*)(?:pub )?(\w+): ([^\n]+),\n")
_VARIANT = re.compile(r"((?:#\[[^\n]*\]\s*)*)\b([A-Z]\w*)(?: \{(.*?)\n    \}|\b(?:\([^)]*\))?),\n", re.DOTALL)
_TYPES = {"f64": float, "bool": bool, "String": str, "&'static str": str, "Cow<'static, str>": str}


class RustField(NamedTuple):
    """A field: its type, and whether a scenario may lack it."""

    type: str
    optional: bool


def _item(file: str, name: str) -> tuple[str, str]:
    """A struct's or an enum's attributes, and its body without comments."""
    text = re.sub(r"^\s*//.*\n", "", (SOURCE / file).read_text(), flags=re.MULTILINE)
    found = re.search(
        rf"((?:#\[[^\n]*\]\n)*)pub (?:struct|enum) {name} \{{\n(.*?)\n\}}", text, flags=re.DOTALL
    )
    assert found is not None, f"no {name} in {file}"
    return found[1], found[2] + "\n"


def _renamed(name: str, attributes: str, style: str) -> str:
    if own := re.search(r'rename = "([^"]+)"', attributes):
        return own[1]
    kebab = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower().replace("_", "-")
    return {"kebab-case": kebab, "lowercase": name.lower(), "snake_case": kebab.replace("-", "_")}.get(
        style, name
    )


def _style(attributes: str) -> str:
    found = re.search(r'rename_all = "([^"]+)"', attributes)
    return found[1] if found else ""


def _fields(file: str, name: str) -> dict[str, RustField]:
    """The fields of a struct; of an enum with fields those of all variants, and its tag."""
    attributes, body = _item(file, name)
    if "tag =" in attributes:
        variants = list(_VARIANT.finditer(body))
        assert variants
        every = {
            field[2]: RustField(field[3], True)
            for one in variants
            for field in _FIELD.finditer(f"{one[3]}\n")
        }
        return {"kind": RustField("String", False), **every}
    all_optional = "default" in "".join(re.findall(r"#\[serde\((.*?)\)\]", attributes))
    return {
        _renamed(field[2], field[1], _style(attributes)): RustField(
            field[3], all_optional or "default" in field[1] or "skip_serializing_if" in field[1]
        )
        for field in _FIELD.finditer(body)
    }


def _words(name: str) -> set[str]:
    attributes, body = _item(ENUMS[name], name)
    style = _style(attributes)
    return {_renamed(found[2], found[1], style) for found in _VARIANT.finditer(body)}


def _agrees(python: Any, rust: str) -> bool:
    """Whether a type of Python's is the one of Rust's."""
    if optional := re.fullmatch(r"Option<(.+)>", rust):
        kinds = set(get_args(python))
        return NoneType in kinds and _agrees(next(iter(kinds - {NoneType})), optional[1])
    if get_origin(python) in (Union, UnionType):
        # None is left out of what is sent, so that Rust's default holds.
        (python,) = set(get_args(python)) - {NoneType}
    if several := re.fullmatch(r"Vec<(.+)>", rust):
        return get_origin(python) is tuple and _agrees(get_args(python)[0], several[1])
    if rust in ENUMS:
        # Rust may have words that no plan needs.
        return set() < _values(python) <= _words(rust)
    return _agrees_alone(python, rust)


def _values(python: Any) -> set[Any]:
    if isinstance(python, type) and issubclass(python, Enum):
        return {member.value for member in python}
    return set(get_args(python))


def _agrees_alone(python: Any, rust: str) -> bool:
    if python in PAIRS:
        return PAIRS[python][1] == rust
    if rust == "Parameters":
        return bool(python == dict[str, float])
    if get_origin(python) is Literal:
        return rust == "String"
    return python is _TYPES.get(rust, int if re.fullmatch(r"[iu](8|16|32|64|size)", rust) else None)


@pytest.mark.parametrize("model", PAIRS, ids=lambda model: model.__name__)
def test_the_fields_are_those_of_rust(model: type[BaseModel]) -> None:
    file, name = PAIRS[model]
    rust = _fields(file, name)
    python = {field.alias or own: field.annotation for own, field in model.model_fields.items()}
    assert set(python) == set(rust) - NOT_SENT.get(name, set())
    wrong = {own: (kind, rust[own].type) for own, kind in python.items() if not _agrees(kind, rust[own].type)}
    assert wrong == {}


@pytest.mark.parametrize("model", PAIRS, ids=lambda model: model.__name__)
def test_what_rust_needs_is_never_left_out(model: type[BaseModel]) -> None:
    rust = _fields(*PAIRS[model])
    open_fields = {
        field.alias or own
        for own, field in model.model_fields.items()
        if type(None) in get_args(field.annotation)
    }
    needed = {
        own for own, field in rust.items() if not field.optional and not field.type.startswith("Option<")
    }
    assert open_fields & needed == set()
