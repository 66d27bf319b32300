"""What documents are for: inventories, plans and the like, read from files and written to them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from howdah.documents.fault import Fault, Keys, read_text
from howdah.documents.read import key_of, meanings, parse_document, read_document, read_whole
from howdah.documents.tree import spelling
from howdah.model.base import Model
from howdah.model.calibration import Calibration, CalibrationCell, Residual, Without
from howdah.model.existing import Work
from howdah.model.host import Host
from howdah.model.inventory import CpuLayout, DiskSet, HostGroup, Inventory, NicSet
from howdah.model.plan import Breach, ClusterPlan, Input, Setting
from howdah.model.request import Demand, Override
from howdah.model.site import (
    LibvirtSite,
    MachineSite,
    SiteHosts,
    SiteMachines,
    SiteNetwork,
    SiteSsh,
    VCenterSite,
)
from howdah.model.study import Budget, Factor, Published, PublishedCell, PublishedRatio, Repeats, Study
from howdah.model.study_settings import CellSettings, Level
from howdah.model.tuning import Narrowing
from howdah.units import GIB, MIB, format_bytes

Comments = Mapping[Keys, str]
"""What stands behind the line of a path."""

_WIDEST = 110
_ONE_LINE = (Breach, CalibrationCell, CpuLayout, Demand, DiskSet, Input, NicSet, Override, Residual, Without)
"""Classes small enough to read between braces."""


def write_document(model: BaseModel, comments: Comments | None = None) -> str:
    """The text that reads back as this model; the same model gives the same text."""
    writer = _Writer(comments or {})
    writer.mapping(_worth_writing(model, model.model_dump(mode="json", by_alias=True)), model, 0, ())
    return "\n".join(writer.lines) + "\n"


def _worth_writing(model: BaseModel, dumped: dict[str, Any]) -> dict[str, Any]:
    """The fields worth a line: not those without a value.

    Other defaults are written, so that a file keeps its meaning when a default changes; except in
    settings, of which there are hundreds.
    """
    fields: dict[str, Any] = {}
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        silent = not value or isinstance(model, Setting)
        if not (silent and type(value) is type(field.default) and value == field.default):
            key = key_of(type(model), name)
            fields[key] = dumped[key]
    return fields


class _Writer:
    """The lines so far."""

    def __init__(self, comments: Comments) -> None:
        self.lines: list[str] = []
        self._comments = comments

    def mapping(self, fields: dict[str, Any], model: BaseModel, indent: int, path: Keys) -> None:
        """A model as one line for each of its fields."""
        values = {key_of(type(model), name): getattr(model, name) for name in type(model).model_fields}
        for key, dumped in fields.items():
            in_bytes = key.endswith("_bytes") or (key == "value" and _is_size(model))
            self._entry(f"{' ' * indent}{key}:", dumped, values[key], indent, (*path, key), in_bytes=in_bytes)

    def _entry(self, head: str, dumped: Any, value: Any, indent: int, path: Keys, *, in_bytes: bool) -> None:
        if isinstance(value, BaseModel):
            fields = _worth_writing(value, dumped)
            if self._one_line(head, fields, value, path):
                return
            self._line(head, path)
            self.mapping(fields, value, indent + 2, path)
        elif isinstance(value, dict):
            self._line(head, path)
            for key, inner in dumped.items():
                self._line(f"{' ' * indent}  {spelling(key)}: {spelling(inner, block=True)}", (*path, key))
        elif isinstance(value, tuple):
            self._list(head, dumped, value, indent, path)
        else:
            words = _in_words(value) if in_bytes and isinstance(value, int) else ""
            self._line(f"{head} {spelling(dumped, block=True)}", path, words)

    def _list(self, head: str, dumped: list[Any], values: tuple[Any, ...], indent: int, path: Keys) -> None:
        if not any(isinstance(value, BaseModel) for value in values):
            line = f"{head} [{', '.join(map(spelling, dumped))}]"
            if len(line) <= _WIDEST or not values:
                self._line(line, path)
                return
        self._line(head, path)
        for index, (entry, value) in enumerate(zip(dumped, values, strict=True)):
            here = (*path, index)
            dash = f"{' ' * indent}  -"
            if not isinstance(value, BaseModel):
                self._line(f"{dash} {spelling(entry, block=True)}", here)
                continue
            fields = _worth_writing(value, entry)
            if self._one_line(dash, fields, value, here):
                continue
            start = len(self.lines)
            self.mapping(fields, value, indent + 4, here)
            self.lines[start] = f"{dash} {self.lines[start].lstrip(' ')}"

    def _one_line(self, head: str, fields: dict[str, Any], model: BaseModel, path: Keys) -> bool:
        """Write a small model between braces if it fits a line; whether it did."""
        if not isinstance(model, _ONE_LINE):
            return False
        line = f"{head} {{{', '.join(f'{key}: {spelling(value)}' for key, value in fields.items())}}}"
        if len(line) > _WIDEST:
            return False
        self._line(line, path, _size(model))
        return True

    def _line(self, line: str, path: Keys, words: str = "") -> None:
        comment = self._comments.get(path) or words
        self.lines.append(f"{line}  # {comment}" if comment else line)


def _size(model: BaseModel) -> str:
    """What an input in bytes comes to, in words."""
    if isinstance(model, Input) and _is_size(model) and isinstance(model.value, int | float):
        return _in_words(model.value)
    return ""


def _is_size(model: BaseModel) -> bool:
    """Whether a value is in bytes: an input says so, a number of the plan's own by its name."""
    if isinstance(model, Setting):
        return model.file is None and "memory" in model.key
    return isinstance(model, Input) and model.unit == "B"


def _in_words(value: float) -> str:
    """A size in the units it was made of: memory and blocks 1024-based, disks 1000-based."""
    if value % 10**9 == 0 or value % MIB or value < MIB:
        return format_bytes(value)
    factor, unit = (GIB, "GiB") if value >= GIB else (MIB, "MiB")
    return f"{value / factor:.2f}".rstrip("0").rstrip(".") + f" {unit}"


_A_CALIBRATION = "a calibration"
_CALIBRATION_HINT = "give a calibration that `howdah calibrate` wrote, calibration.yaml for instance"

_HOST_HINT = "give a file that `howdah probe --output` or `howdah probe --json` wrote"
_AN_INVENTORY = "an inventory"
_INVENTORY_HINT = "give an inventory such as hosts.yaml: see docs/inventory.md"
_A_SITE = "a site"
_SITE_HINT = "give a site file such as site.yaml: see docs/provision.md"
_SITE: tuple[type[BaseModel], ...] = (
    VCenterSite, LibvirtSite, SiteNetwork, SiteSsh, SiteHosts, SiteMachines,
)  # fmt: skip
_A_STUDY = "a study"
_STUDY_HINT = "give a study such as study.yaml: see docs/study.md"
_INVENTORY: tuple[type[BaseModel], ...] = (HostGroup, CpuLayout, DiskSet, NicSet)
_STUDY: tuple[type[BaseModel], ...] = (
    CellSettings, Level, Factor, Repeats, Budget, Published, PublishedCell, PublishedRatio,
)  # fmt: skip


def read_calibration(path: Path) -> Calibration:
    """The calibration in a file; raises UserError that names every fault at its line and column."""
    return read_document(path, Calibration, _A_CALIBRATION, _CALIBRATION_HINT)


def parse_calibration(text: str, file: str) -> Calibration:
    """The calibration in a text; raises UserError that names every fault in ``file``."""
    return parse_document(text, file, Calibration, _A_CALIBRATION, _CALIBRATION_HINT)


def write_calibration(calibration: Calibration) -> str:
    """The text that reads back as this calibration; the same calibration gives the same text."""
    return write_document(calibration)


def read_host(path: Path) -> Host:
    """The host in a probe's YAML or JSON; raises UserError that names every fault at its line and column."""
    text = read_text(path, _HOST_HINT)
    if text.startswith("{"):
        try:
            return Host.model_validate(from_json(text, allow_inf_nan=False))
        except (ValueError, ValidationError):
            # JSON is YAML too, and YAML's reader tells where it is wrong.
            pass
    return parse_document(text, str(path), Host, "the probe of a host", _HOST_HINT)


def read_inventory(path: Path) -> Inventory:
    """The inventory in a file; raises UserError that names every fault at its line and column."""
    return read_document(path, Inventory, _AN_INVENTORY, _INVENTORY_HINT)


def parse_inventory(text: str, file: str) -> Inventory:
    """The inventory in a text that is, or is to be, the content of ``file``."""
    return parse_document(text, file, Inventory, _AN_INVENTORY, _INVENTORY_HINT)


def inventory_faults(text: str) -> tuple[Fault, ...]:
    """Everything that is wrong with an inventory's text, each at its place; nothing where it is right."""
    return read_whole(text, Inventory, _AN_INVENTORY, _INVENTORY_HINT)[1]


def write_inventory(inventory: Inventory, comments: Comments | None = None) -> str:
    """The text that reads back as this inventory, with comments at the ends of the lines of these paths."""
    return write_document(inventory, comments)


def read_plan(path: Path) -> ClusterPlan:
    """The plan in a file; raises UserError that names every fault at its line and column."""
    return read_document(
        path, ClusterPlan, "a plan", "give a plan that `howdah plan` wrote, plan.yaml for instance"
    )


def write_plan(plan: ClusterPlan) -> str:
    """The text that reads back as this plan; the same plan gives the same text."""
    return write_document(plan)


def read_site(path: Path) -> MachineSite:
    """The site in a file; raises UserError that names every fault at its line and column."""
    return read_document(path, MachineSite, _A_SITE, _SITE_HINT)


def read_study(path: Path) -> Study:
    """The study in a file; raises UserError that names every fault at its line and column."""
    return read_document(path, Study, _A_STUDY, _STUDY_HINT)


def read_narrowing(path: Path) -> Narrowing:
    """What a file says of a search space; raises UserError that names every fault at its line and column."""
    hint = "give parameters with their values: see docs/tune.md"
    return read_document(path, Narrowing, "a search space", hint)


def read_work(path: Path) -> Work:
    """The work in a file; raises UserError that names every fault at its line and column."""
    return read_document(
        path, Work, "the work of a cluster", "give a file that `howdah inventory import` wrote"
    )


def write_work(work: Work) -> str:
    """The text that reads back as this work."""
    return write_document(work)


def inventory_schema() -> str:
    """JSON Schema, draft 2020-12, with the words of the classes' docstrings."""
    return _schema("howdah inventory", Inventory, _INVENTORY)


def site_schema() -> str:
    """JSON Schema, draft 2020-12, with the words of the classes' docstrings."""
    return _schema("howdah site", MachineSite, _SITE)


def write_study(study: Study) -> str:
    """The text that reads back as this study."""
    return write_document(study)


def study_schema() -> str:
    """JSON Schema, draft 2020-12, with the words of the classes' docstrings."""
    return _schema("howdah study", Study, _STUDY)


def _schema(title: str, whole: type[BaseModel], parts: tuple[type[BaseModel], ...]) -> str:
    schema = whole.model_json_schema()
    _describe(schema, whole)
    for model in parts:
        for owner in model.__mro__:
            # What a class inherits is told where it is inherited from.
            if issubclass(owner, Model):
                _describe(schema["$defs"][model.__name__], owner)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return json.dumps({**head, **{key: schema[key] for key in schema if key not in head}}, indent=2) + "\n"


def _describe(schema: dict[str, Any], model: type[BaseModel]) -> None:
    for field, text in meanings(model).items():
        schema["properties"][key_of(model, field)]["description"] = text.replace("``", "`")
