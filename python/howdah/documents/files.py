"""What documents are for: inventories, plans and the like, read from files and written to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from howdah.documents.read import DocumentKind, key_of
from howdah.documents.tree import Keys, read_text, spelling
from howdah.model import site
from howdah.model.calibration import Calibration, CalibrationCell, Residual, Without
from howdah.model.existing import Work
from howdah.model.host import Host
from howdah.model.inventory import CpuLayout, DiskSet, HostGroup, Inventory, NicSet
from howdah.model.plan import Breach, ClusterPlan, Input, Setting
from howdah.model.request import Demand, Override
from howdah.model.study import Budget, Factor, Published, PublishedCell, PublishedRatio, Repeats, Study
from howdah.model.study_settings import CellSettings, Level
from howdah.model.tuning import Narrowing
from howdah.units import GIB, MIB, format_bytes

Comments = Mapping[Keys, str]  # What stands behind the line of a path.

_WIDEST = 110
_ONE_LINE = (Breach, CalibrationCell, CpuLayout, Demand, DiskSet, Input, NicSet, Override, Residual, Without)
"""Classes small enough to read between braces."""


def write_document(model: BaseModel, comments: Comments | None = None) -> str:
    """The text that reads back as this model; the same model gives the same text.

    ``comments`` are at the ends of the lines of their paths.
    """
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
        size = model.value if isinstance(model, Input) and model.unit == "B" else None
        self._line(line, path, _in_words(size) if isinstance(size, int | float) else "")
        return True

    def _line(self, line: str, path: Keys, words: str = "") -> None:
        comment = self._comments.get(path) or words
        self.lines.append(f"{line}  # {comment}" if comment else line)


def _is_size(model: BaseModel) -> bool:
    """Whether a value is in bytes: by an input's unit, or by the name of a number of the plan."""
    if isinstance(model, Setting):
        return model.file is None and "memory" in model.key
    return isinstance(model, Input) and model.unit == "B"


def _in_words(value: float) -> str:
    """A size in the units it was made of: memory and blocks 1024-based, disks 1000-based."""
    if value % 10**9 == 0 or value % MIB or value < MIB:
        return format_bytes(value)
    factor, unit = (GIB, "GiB") if value >= GIB else (MIB, "MiB")
    return f"{value / factor:.2f}".rstrip("0").rstrip(".") + f" {unit}"


_CALIBRATION = DocumentKind(
    "a calibration",
    "give a file that `howdah calibrate` wrote, calibration.yaml for instance, or `published`",
    Calibration,
)
_HOST = DocumentKind(
    "the probe of a host", "give a file that `howdah probe --output` or `howdah probe --json` wrote", Host
)
_INVENTORY = DocumentKind(
    "an inventory",
    "give an inventory such as hosts.yaml: see docs/inventory.md",
    Inventory,
    (HostGroup, CpuLayout, DiskSet, NicSet),
)
_PLAN = DocumentKind("a plan", "give a plan that `howdah plan` wrote, plan.yaml for instance", ClusterPlan)
_SITE = DocumentKind(
    "a site",
    "give a site file such as site.yaml: see docs/provision.md",
    site.MachineSite,
    (site.VCenterSite, site.LibvirtSite, site.SiteNetwork, site.SiteSsh, site.SiteHosts, site.SiteMachines),
)
_STUDY = DocumentKind(
    "a study",
    "give a study such as study.yaml: see docs/study.md",
    Study,
    (CellSettings, Level, Factor, Repeats, Budget, Published, PublishedCell, PublishedRatio),
)
_NARROWING = DocumentKind("a search space", "give parameters with their values: see docs/tune.md", Narrowing)
_WORK = DocumentKind("the work of a cluster", "give a file that `howdah inventory import` wrote", Work)

read_calibration, parse_calibration = _CALIBRATION.read, _CALIBRATION.parse
read_inventory, parse_inventory = _INVENTORY.read, _INVENTORY.parse
inventory_faults, inventory_schema = _INVENTORY.faults, _INVENTORY.schema
read_plan = _PLAN.read
read_site, site_schema = _SITE.read, _SITE.schema
read_study, study_schema = _STUDY.read, _STUDY.schema
read_narrowing = _NARROWING.read
read_work = _WORK.read

write_calibration: Callable[[Calibration], str] = write_document
write_inventory = write_document
write_plan: Callable[[ClusterPlan], str] = write_document
write_study: Callable[[Study], str] = write_document
write_work: Callable[[Work], str] = write_document


def read_host(path: Path) -> Host:
    """The host in a probe's YAML or JSON; raises UserError that names every fault at its line and column."""
    text = read_text(path, _HOST.hint)
    if text.startswith("{"):
        try:
            return Host.model_validate(from_json(text, allow_inf_nan=False))
        except (ValueError, ValidationError):
            # JSON is YAML too, and YAML's reader shows where it is wrong.
            pass
    return _HOST.parse(text, str(path))
