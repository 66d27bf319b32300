"""What people write by hand, as files and as schemas for their editors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from howdah.documents.fault import Fault
from howdah.documents.read import parse_document, read_document, read_whole
from howdah.documents.text import read_text
from howdah.documents.validation import key_of, meanings
from howdah.documents.writing import Comments, write_document
from howdah.model.base import Model
from howdah.model.calibration import Calibration
from howdah.model.host import Host
from howdah.model.inventory import CpuLayout, DiskSet, HostGroup, Inventory, NicSet
from howdah.model.plan import Plan
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
from howdah.model.survey import Work
from howdah.model.tuning import Narrowing

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


def read_plan(path: Path) -> Plan:
    """The plan in a file; raises UserError that names every fault at its line and column."""
    return read_document(path, Plan, "a plan", "give a plan that `howdah plan` wrote, plan.yaml for instance")


def write_plan(plan: Plan) -> str:
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
