"""The reader of YAML, and the words that values are written as."""

from __future__ import annotations

import math
from contextlib import suppress
from io import StringIO
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from howdah.documents.tree import Mark, Scalar, meaning, read_tree, spelling

SAMPLE = """\
# hosts
howdah: 1
groups:
  - name: small   # the old ones
    count: 3
    hosts: ["w[1-3].example.com", 'it''s']
    cpu: {sockets: 2, cores per socket: 10}
    empty:
    list: []
    map: {}
    text: a b:c #d e#f
    negative: -5
    share: 0.25
    on: true
  -   name: wide
      nested:
      - 1
      - {a: [1, [2, 3]], b: "x, y"}
last: ~
"""


def test_the_sample_is_read() -> None:
    data = read_tree(SAMPLE).data
    assert data["groups"][0] == {
        "name": "small",
        "count": 3,
        "hosts": ["w[1-3].example.com", "it's"],
        "cpu": {"sockets": 2, "cores per socket": 10},
        "empty": None,
        "list": [],
        "map": {},
        "text": "a b:c",
        "negative": -5,
        "share": 0.25,
        "on": True,
    }
    assert data["groups"][1]["nested"] == [1, {"a": [1, [2, 3]], "b": "x, y"}]


def test_the_places_of_keys_and_values_are_known() -> None:
    tree = read_tree(SAMPLE)
    assert tree.keys["groups", 0, "count"] == Mark(5, 5)
    assert tree.values["groups", 0, "count"] == Mark(5, 12)
    assert tree.values["groups", 0, "cpu", "cores per socket"] == Mark(7, 41)
    assert tree.values["groups", 1, "nested", 1, "a", 1, 0] == Mark(18, 18)
    assert tree.mark(("groups", 1, "not there")) == Mark(15, 7)


_WORDS = st.text(st.sampled_from("ab1-:#,[]{}'\"\\&*!|>%@`?~. \t\n"), max_size=8)
_TEXTS = st.one_of(_WORDS, st.text(max_size=12))
_LEAVES: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), _TEXTS
)
_KEYS = st.one_of(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), _TEXTS)
_DATA = st.dictionaries(
    _KEYS,
    st.recursive(
        _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3)
    ),
    max_size=4,
)


@given(_DATA)
@settings(max_examples=100)
def test_data_is_read_as_ruamel_does(data: dict[str, Any]) -> None:
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False  # between braces ruamel writes keys that it cannot read
    stream = StringIO()
    yaml.dump(data, stream)
    assert read_tree(stream.getvalue()).data == yaml.load(stream.getvalue())


def _has_only_text_keys(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_has_only_text_keys, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _has_only_text_keys(inner) for key, inner in value.items())
    return True


@pytest.mark.parametrize("text", ["a: 1\nb: [", "a: 1\nb: {c: [1"])
def test_a_fault_at_the_end_of_a_text_is_on_its_last_line(text: str) -> None:
    (fault,) = read_tree(text).faults
    assert fault.mark == Mark(2, len(text.split("\n")[1]) + 1)


@given(st.data())
@settings(max_examples=300)
def test_a_damaged_text_is_read_as_ruamel_does_or_refused_at_its_place(data: st.DataObject) -> None:
    text = SAMPLE
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        new = data.draw(st.one_of(st.sampled_from(["- ", ": ", " #", "\n", "\n  ", "'", '"', "a: "]), _WORDS))
        text = text[:at] + new + text[at + data.draw(st.integers(0, 3)) :]
    tree = read_tree(text)
    assert tree.whole or tree.faults
    for fault in tree.faults:
        assert 1 <= fault.mark.line <= text.count("\n") + 1
    if not tree.faults:
        with suppress(YAMLError):
            data_of_ruamel = YAML(typ="safe", pure=True).load(text)
            # A key of ours is the text as it stands, 10 too.
            if _has_only_text_keys(data_of_ruamel):
                assert repr(tree.data) == repr(data_of_ruamel), text


@given(st.one_of(st.none(), st.booleans(), st.integers(-(10**30), 10**30), st.floats(), _TEXTS))
@example("1e5")
@example("0x1F")
@example("yes")
@example("12:30")
@example("\ufeff")
@example('it\'s \\ "quoted"')
@example(-math.inf)
def test_a_value_is_spelt_so_that_it_means_itself(value: Scalar) -> None:
    flow, block = spelling(value), spelling(value, block=True)
    for text in (f"a: {block}\n", f"- {block}\n", f"a: {flow}\n", f"a: [{flow}, b]\n", f"a: {{b: {flow}}}\n"):
        data = read_tree(text).data
        match data["a"] if isinstance(data, dict) else data[0]:
            case [read, "b"] | {"b": read} | read:
                assert repr(read) == repr(value)


@given(_TEXTS)
def test_no_reader_of_yaml_1_1_takes_a_text_for_something_else(text: str) -> None:
    yaml = YAML(typ="safe", pure=True)
    assert yaml.load(f"%YAML 1.1\n---\na: {spelling(text, block=True)}\n") == {"a": text}


@pytest.mark.parametrize(
    ("word", "value"),
    [("", None), ("~", None), ("007", 7), ("0o17", 15), ("0x1f", 31), ("1.5e3", 1500.0), ("on", "on")],
)
def test_words_mean_what_yaml_1_2_says(word: str, value: Scalar) -> None:
    assert meaning(word) == value
    assert type(meaning(word)) is type(value)
