"""The JSON schemas of what people write by hand, for editors."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from howdah.documents.fields import key_of, meanings
from howdah.model.base import Model
from howdah.model.inventory import CpuLayout, DiskSet, HostGroup, Inventory, NicSet
from howdah.model.study import Budget, Factor, Published, PublishedCell, PublishedRatio, Repeats, Study
from howdah.model.study_settings import CellSettings, Level

_INVENTORY: tuple[type[BaseModel], ...] = (HostGroup, CpuLayout, DiskSet, NicSet)
_STUDY: tuple[type[BaseModel], ...] = (
    CellSettings, Level, Factor, Repeats, Budget, Published, PublishedCell, PublishedRatio,
)  # fmt: skip


def inventory_schema() -> str:
    """JSON Schema, draft 2020-12, with the words of the classes' docstrings."""
    return _schema("howdah inventory", Inventory, _INVENTORY)


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
