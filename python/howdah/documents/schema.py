"""The inventory's JSON schema, for editors."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from howdah.documents.fields import key_of, meanings
from howdah.model.inventory import CpuLayout, DiskSet, HostGroup, Inventory, NicSet

_MODELS: tuple[type[BaseModel], ...] = (Inventory, HostGroup, CpuLayout, DiskSet, NicSet)


def inventory_schema() -> str:
    """JSON Schema, draft 2020-12, with the words of the classes' docstrings."""
    schema = Inventory.model_json_schema()
    for model in _MODELS:
        _describe(schema if model is Inventory else schema["$defs"][model.__name__], model)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "howdah inventory",
    }
    return json.dumps({**head, **{key: schema[key] for key in schema if key not in head}}, indent=2) + "\n"


def _describe(schema: dict[str, Any], model: type[BaseModel]) -> None:
    for field, text in meanings(model).items():
        schema["properties"][key_of(model, field)]["description"] = text.replace("``", "`")
