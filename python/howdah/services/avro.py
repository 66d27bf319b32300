"""Avro's two encodings of a record, the binary one and JSON, read by the schema that a file brings along."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

Value = Any
"""What a schema describes: None, a number, text, bytes, or a list or dictionary of such."""

_Read = Callable[["Cursor"], Value]
_Plain = Callable[[Value], Value]

_MOST_ITEMS = 10_000_000
"""More than any file of howdah's interest has in one list; a damaged length must not take all memory."""


class Malformed(ValueError):
    """The bytes are not what their schema says."""


class Cursor:
    """Where in the bytes a reader is."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    @property
    def at_end(self) -> bool:
        """Whether everything is read."""
        return self.at >= len(self.data)

    def take(self, count: int) -> bytes:
        """The next ``count`` bytes."""
        end = self.at + count
        if count < 0 or end > len(self.data):
            raise Malformed(f"it ends within a value, at byte {len(self.data)}")
        taken = self.data[self.at : end]
        self.at = end
        return taken

    def number(self) -> int:
        """An int or long: seven bits to a byte, the sign in the lowest."""
        shift = value = 0
        while True:
            if self.at >= len(self.data) or shift > 63:
                raise Malformed(f"there is no number at byte {self.at}")
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (value >> 1) ^ -(value & 1)
            shift += 7


class Codec(NamedTuple):
    """The readers of one schema."""

    binary: _Read
    """Reads one value at a cursor; raises Malformed."""
    plain: _Plain
    """Takes from a value in Avro's JSON the names that tell a union's branches apart; raises Malformed."""


def codec(schema: str) -> Codec:
    """The readers of a schema, which is JSON; raises Malformed for what is none."""
    try:
        return _Compiler().compile(json.loads(schema), "")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Malformed(f"its schema cannot be read: {error}") from error


_PRIMITIVES: Mapping[str, _Read] = {
    "null": lambda _: None,
    "boolean": lambda cursor: cursor.take(1) != b"\0",
    "int": Cursor.number,
    "long": Cursor.number,
    "float": lambda cursor: struct.unpack("<f", cursor.take(4))[0],
    "double": lambda cursor: struct.unpack("<d", cursor.take(8))[0],
    "bytes": lambda cursor: cursor.take(cursor.number()),
    "string": lambda cursor: str(cursor.take(cursor.number()), "utf-8", "replace"),
}


class _Compiler:
    """Turns a schema into readers once, so that reading asks it nothing again."""

    def __init__(self) -> None:
        self._named: dict[str, Codec] = {}

    def compile(self, schema: Value, space: str) -> Codec:
        if isinstance(schema, list):
            return _union([(self._name(one, space), self.compile(one, space)) for one in schema])
        if isinstance(schema, str):
            return self._known(schema, space)
        made: Codec
        match schema["type"]:
            case "record":
                made = self._record(schema, space)
            case "enum":
                symbols = list(schema["symbols"])
                made = self._name_it(schema, space, Codec(lambda cursor: _item(symbols, cursor), _same))
            case "fixed":
                size = int(schema["size"])
                made = self._name_it(schema, space, Codec(lambda cursor: cursor.take(size), _same))
            case "array":
                made = _array(self.compile(schema["items"], space))
            case "map":
                made = _map(self.compile(schema["values"], space))
            case kind:
                made = self.compile(kind, space)
        return made

    def _record(self, schema: Value, space: str) -> Codec:
        # A record may hold itself, so its name is known before its fields are.
        late: list[Codec] = []
        full = self._full(schema["name"], schema.get("namespace", space))
        self._named[full] = Codec(
            lambda cursor: late[0].binary(cursor),  # noqa: PLW0108
            lambda value: late[0].plain(value),  # noqa: PLW0108
        )
        inner = full.rpartition(".")[0]
        late.append(_fields([(one["name"], self.compile(one["type"], inner)) for one in schema["fields"]]))
        self._named[full] = late[0]
        return late[0]

    def _name_it(self, schema: Value, space: str, made: Codec) -> Codec:
        self._named[self._full(schema["name"], schema.get("namespace", space))] = made
        return made

    def _known(self, name: str, space: str) -> Codec:
        if name in _PRIMITIVES:
            return Codec(_PRIMITIVES[name], _same)
        return self._named[self._full(name, space)]

    def _name(self, schema: Value, space: str) -> str:
        """What a branch of a union is called in JSON."""
        if isinstance(schema, str):
            return schema if schema in _PRIMITIVES else self._full(schema, space)
        if schema["type"] in ("record", "enum", "fixed"):
            return self._full(schema["name"], schema.get("namespace", space))
        return str(schema["type"])

    @staticmethod
    def _full(name: str, space: str) -> str:
        return name if "." in name or not space else f"{space}.{name}"


def _same(value: Value) -> Value:
    return value


def _item(items: list[Any], cursor: Cursor) -> Any:
    number = cursor.number()
    if not 0 <= number < len(items):
        raise Malformed(f"there is no choice {number} of {len(items)} before byte {cursor.at}")
    return items[number]


def _union(branches: list[tuple[str, Codec]]) -> Codec:
    by_name = dict(branches)
    readers = [one.binary for _, one in branches]

    def plain(value: Value) -> Value:
        if value is None and "null" in by_name:
            return None
        if not isinstance(value, dict) or len(value) != 1:
            raise Malformed("a union does not say what it holds")
        ((name, inner),) = value.items()
        if name not in by_name:
            raise Malformed(f"a union holds {name}, which its schema does not have")
        return by_name[name].plain(inner)

    return Codec(lambda cursor: _item(readers, cursor)(cursor), plain)


def _fields(fields: list[tuple[str, Codec]]) -> Codec:
    def plain(value: Value) -> Value:
        if not isinstance(value, dict):
            raise Malformed("a record is no object")
        return {name: one.plain(value[name]) for name, one in fields if name in value}

    return Codec(lambda cursor: {name: one.binary(cursor) for name, one in fields}, plain)


def _array(items: Codec) -> Codec:
    def plain(value: Value) -> Value:
        if not isinstance(value, list):
            raise Malformed("an array is no list")
        return [items.plain(one) for one in value]

    return Codec(lambda cursor: [items.binary(cursor) for _ in _blocks(cursor)], plain)


def _map(values: Codec) -> Codec:
    text = _PRIMITIVES["string"]

    def plain(value: Value) -> Value:
        if not isinstance(value, dict):
            raise Malformed("a map is no object")
        return {key: values.plain(one) for key, one in value.items()}

    return Codec(lambda cursor: {text(cursor): values.binary(cursor) for _ in _blocks(cursor)}, plain)


def _blocks(cursor: Cursor) -> Iterator[None]:
    """Once for each item: items come in blocks with their count, an empty one at the end."""
    while count := cursor.number():
        if count < 0:
            # A negative count is followed by the block's size, for readers that pass it over.
            count = -count
            cursor.number()
        if count > _MOST_ITEMS:
            raise Malformed(f"a list of {count} items before byte {cursor.at}")
        for _ in range(count):
            yield None
