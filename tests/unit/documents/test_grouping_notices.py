"""What an inventory may have got wrong without being wrong, and its schema for editors."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from howdah.documents.files import inventory_schema, parse_inventory, read_inventory
from howdah.documents.grouping import notices

ROOT = Path(__file__).parents[3]
SOUND = """\
groups:
  - name: w
    count: 4
    cpu: {sockets: 2, cores_per_socket: 10}
    memory: 256GiB
    disks:
      - {count: 6, kind: hdd, size: 4TB, role: data}
      - {count: 2, kind: ssd, size: 480GB, role: system}
    nics:
      - {count: 2, speed: 10Gb/s}
"""


def said(text: str) -> list[str]:
    return [f"{one.group}: {one.text} {one.source}" for one in notices(parse_inventory(text, "hosts.yaml"))]


def test_a_sound_inventory_needs_no_notice() -> None:
    assert said(SOUND) == []


@pytest.mark.parametrize(
    ("old", "new", "pieces"),
    [
        ("256GiB", "256GB", ["w: memory is 238.4 GiB", "is 239GiB meant, or 256GiB?"]),
        ("count: 6", "count: 1", ["one data disk per host", "D0 50"]),
        ("role: data", "role: spare", ["no data disk"]),
        ("role: system", "role: data", ["data disks differ (6 × 4.00 TB hdd, 2 × 480 GB ssd)", "D0 151"]),
        ("role: system", "role: spare", ["no disk has the role system", "D0 30"]),
        ("10Gb/s", "1Gb/s", ["write 9.6 Gb/s together, at 190 MiB/s each", "2 Gb/s", "D0 45"]),
        ("role: data", "role: data, outer_rate: 1GB/s", ["write 48.0 Gb/s together; two thirds", "20 Gb/s"]),
    ],
)
def test_what_is_unusual_is_said(old: str, new: str, pieces: list[str]) -> None:
    assert old in SOUND
    found = said(SOUND.replace(old, new))
    for piece in pieces:
        assert any(piece in one for one in found), found


def test_hosts_for_masters_alone_need_no_data_disks() -> None:
    assert said(SOUND.replace("role: data", "role: system") + "    serves: masters\n") == []


def test_the_schema_in_the_repository_is_current() -> None:
    kept = (ROOT / "schemas" / "inventory.schema.json").read_text()
    assert kept == inventory_schema(), "renew it: howdah inventory schema -o schemas/inventory.schema.json"


def test_the_schema_describes_every_key_and_allows_no_other() -> None:
    schema = json.loads(inventory_schema())
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    objects = [schema, *(one for one in schema["$defs"].values() if one["type"] == "object")]
    assert len(objects) == 5
    for one in objects:
        assert one["additionalProperties"] is False
        for key, content in one["properties"].items():
            assert content["description"], key


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("hosts-*.yaml")), ids=lambda path: path.stem)
def test_an_editor_accepts_what_howdah_accepts(path: Path) -> None:
    schema = json.loads(inventory_schema())
    read_inventory(path)
    assert list(_complaints(YAML(typ="safe").load(path.read_text()), schema, schema["$defs"])) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("count: 4", "cuont: 4"),
        ("sockets: 2", "sockets: 0"),
        ("sockets: 2", "sockets: two"),
        ("256GiB", "256"),
        ("256GiB", "256 furlongs"),
        ("kind: hdd", "kind: tape"),
        ("name: w", "name: W W"),
        ("10Gb/s", "10"),
        ("    count: 4\n", "    count: 4\n    hosts: ['$(id)']\n"),
    ],
)
def test_an_editor_refuses_what_howdah_refuses(old: str, new: str) -> None:
    schema = json.loads(inventory_schema())
    data = YAML(typ="safe").load(SOUND.replace(old, new))
    assert list(_complaints(data, schema, schema["$defs"]))


def _complaints(data: Any, schema: dict[str, Any], defs: dict[str, Any], at: str = "") -> list[str]:
    """What a validator says, of as much of JSON Schema as the inventory's uses."""
    unknown = schema.keys() - _USED
    assert not unknown, unknown
    if "$ref" in schema:
        return _complaints(data, defs[schema["$ref"].rpartition("/")[2]], defs, at)
    if "anyOf" in schema:
        tried = [_complaints(data, one, defs, at) for one in schema["anyOf"]]
        return min(tried, key=len)
    if not isinstance(data, _TYPES[schema.get("type", "any")]):
        return [f"{at}: not {schema['type']}"]
    found = []
    if ("enum" in schema and data not in schema["enum"]) or ("const" in schema and data != schema["const"]):
        found.append(f"{at}: not one of them")
    if "pattern" in schema and not re.search(schema["pattern"], str(data)):
        found.append(f"{at}: not like {schema['pattern']}")
    if isinstance(data, int | float) and not _within(data, schema):
        found.append(f"{at}: out of bounds")
    if isinstance(data, list):
        if len(data) < schema.get("minItems", 0):
            found.append(f"{at}: too few")
        for index, one in enumerate(data):
            found += _complaints(one, schema["items"], defs, f"{at}[{index}]")
    if isinstance(data, dict):
        found += [f"{at}.{key}: missing" for key in schema.get("required", []) if key not in data]
        found += [f"{at}.{key}: unknown" for key in data if key not in schema["properties"]]
        for key in data.keys() & schema["properties"].keys():
            found += _complaints(data[key], schema["properties"][key], defs, f"{at}.{key}")
    return found


def _within(data: float, schema: dict[str, Any]) -> bool:
    above = "exclusiveMinimum" not in schema or data > schema["exclusiveMinimum"]
    return bool(above and schema.get("minimum", data) <= data <= schema.get("maximum", data))


_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "null": type(None),
    "any": object,
}
_USED = {
    *("$schema", "$defs", "$ref", "title", "description", "default", "examples", "type", "anyOf", "enum"),
    *("const", "pattern", "minimum", "maximum", "minItems", "items", "required", "properties"),
    *("additionalProperties", "exclusiveMinimum"),
}
