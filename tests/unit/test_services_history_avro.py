"""Avro's two encodings: what a schema describes comes back from both."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.services.avro import Cursor, Malformed, codec

LEAF = {"type": "record", "name": "Leaf", "fields": [{"name": "n", "type": "int"}]}
SCHEMA = {
    "type": "record",
    "name": "Event",
    "namespace": "org.example",
    "fields": [
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B", "C"]}},
        {"name": "time", "type": "long"},
        {"name": "share", "type": "double"},
        {"name": "sure", "type": "boolean"},
        {"name": "text", "type": ["null", "string"]},
        {"name": "leaf", "type": LEAF},
        {"name": "either", "type": ["int", "string", "Leaf", "Kind", {"type": "array", "items": "int"}]},
        {"name": "leaves", "type": {"type": "array", "items": "Leaf"}},
        {"name": "acls", "type": {"type": "map", "values": "string"}},
    ],
}
_INT = st.integers(-(2**31), 2**31 - 1)
_LEAF = st.fixed_dictionaries({"n": _INT})
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_KIND = st.sampled_from(["A", "B", "C"])
_EITHER = st.one_of(
    st.tuples(st.just("int"), _INT),
    st.tuples(st.just("string"), _TEXT),
    st.tuples(st.just("org.example.Leaf"), _LEAF),
    st.tuples(st.just("org.example.Kind"), _KIND),
    st.tuples(st.just("array"), st.lists(_INT, max_size=3)),
)
_EVENTS = st.fixed_dictionaries(
    {
        "kind": _KIND,
        "time": st.integers(-(2**63), 2**63 - 1),
        "share": st.floats(allow_nan=False),
        "sure": st.booleans(),
        "text": st.none() | _TEXT,
        "leaf": _LEAF,
        "either": _EITHER,
        "leaves": st.lists(_LEAF, max_size=4),
        "acls": st.dictionaries(_TEXT, _TEXT, max_size=3),
    }
)
BRANCHES = ["int", "string", "org.example.Leaf", "org.example.Kind", "array"]


def _number(value: int) -> bytes:
    coded, out = (value << 1) ^ (value >> 63), bytearray()
    while coded >= 0x80:
        out.append(coded & 0x7F | 0x80)
        coded >>= 7
    return bytes([*out, coded])


def _text(value: str) -> bytes:
    return _number(len(value.encode())) + value.encode()


def _list(items: list[bytes], *, sized: bool) -> bytes:
    """One block and the empty one at the end; a sized block has its length in bytes, too."""
    body = b"".join(items)
    if not items:
        return _number(0)
    head = _number(-len(items)) + _number(len(body)) if sized else _number(len(items))
    return head + body + _number(0)


def _binary(event: dict[str, Any], *, sized: bool) -> bytes:
    branch, inner = event["either"]
    either = {
        "int": lambda: _number(inner),
        "string": lambda: _text(inner),
        "org.example.Leaf": lambda: _number(inner["n"]),
        "org.example.Kind": lambda: _number("ABC".index(inner)),
        "array": lambda: _list([_number(one) for one in inner], sized=sized),
    }[branch]()
    return b"".join(
        [
            _number("ABC".index(event["kind"])),
            _number(event["time"]),
            struct.pack("<d", event["share"]),
            bytes([event["sure"]]),
            _number(0) if event["text"] is None else _number(1) + _text(event["text"]),
            _number(event["leaf"]["n"]),
            _number(BRANCHES.index(branch)) + either,
            _list([_number(one["n"]) for one in event["leaves"]], sized=sized),
            _list([_text(key) + _text(value) for key, value in event["acls"].items()], sized=sized),
        ]
    )


def _in_json(event: dict[str, Any]) -> dict[str, Any]:
    branch, inner = event["either"]
    text = None if event["text"] is None else {"string": event["text"]}
    return event | {"text": text, "either": {branch: inner}}


@settings(max_examples=150)
@given(_EVENTS, st.booleans())
def test_an_event_comes_back_from_its_bytes(event: dict[str, Any], sized: bool) -> None:
    cursor = Cursor(_binary(event, sized=sized) + b"the next")
    assert codec(json.dumps(SCHEMA)).binary(cursor) == event | {"either": event["either"][1]}
    assert cursor.take(8) == b"the next"
    assert cursor.at_end


@settings(max_examples=100)
@given(_EVENTS)
def test_an_event_comes_back_from_json(event: dict[str, Any]) -> None:
    text = json.loads(json.dumps(_in_json(event)))
    assert codec(json.dumps(SCHEMA)).plain(text) == event | {"either": event["either"][1]}


@settings(max_examples=150)
@given(_EVENTS, st.data())
def test_bytes_that_end_within_an_event_are_malformed(event: dict[str, Any], data: st.DataObject) -> None:
    whole = _binary(event, sized=False)
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    with pytest.raises(Malformed):
        codec(json.dumps(SCHEMA)).binary(Cursor(cut))


@settings(max_examples=150)
@given(st.binary(max_size=60))
def test_noise_is_malformed_or_an_event(noise: bytes) -> None:
    try:
        event = codec(json.dumps(SCHEMA)).binary(Cursor(noise))
    except Malformed:
        return
    assert set(event) == {field["name"] for field in SCHEMA["fields"]}  # type: ignore[index]


@pytest.mark.parametrize("schema", ["", "{", "7", '"unheard-of"', '{"type": "record"}', '{"type": "enum"}'])
def test_what_is_no_schema_is_malformed(schema: str) -> None:
    with pytest.raises(Malformed):
        codec(schema)


def test_a_record_may_hold_itself() -> None:
    chain = {
        "type": "record",
        "name": "Link",
        "fields": [{"name": "next", "type": ["null", "Link"]}],
    }
    assert codec(json.dumps(chain)).binary(Cursor(b"\2\2\0")) == {"next": {"next": {"next": None}}}
    assert codec(json.dumps(chain)).plain({"next": {"Link": {"next": None}}}) == {"next": {"next": None}}


def test_a_length_beyond_all_reason_is_malformed() -> None:
    with pytest.raises(Malformed):
        codec('{"type": "array", "items": "null"}').binary(Cursor(_number(2**40)))
