"""Values that a user insists on take the type of the rule's value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.model.plan import Value
from howdah.model.request import Override
from howdah.planner.override import typed


@pytest.mark.parametrize(
    ("text", "like", "value"),
    [
        ("128MiB", 268435456, 134217728),
        ("134217728", 268435456, 134217728),
        ("-1", 10, -1),
        ("TRUE", False, True),
        ("0.5", 0.8, 0.5),
        ("1", 0.8, 1.0),
        ("/a, /b", ("/data/01",), ("/a", "/b")),
        (" text ", "other", "text"),
    ],
)
def test_the_text_becomes_a_value_of_the_rules_type(text: str, like: Value, value: Value) -> None:
    result = typed(Override(key="k", value=text), like)
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("text", "like", "what"),
    [
        ("0.5", 5, "not a whole number"),
        ("1e3", 5, "not a whole number"),
        ("many", 5, "not a quantity"),
        ("", 5, "not a quantity"),
        ("yes", True, "neither true nor false"),
        ("half", 0.5, "not a number"),
    ],
)
def test_a_text_that_does_not_fit_is_refused_by_its_flag(text: str, like: Value, what: str) -> None:
    with pytest.raises(UserError, match=what) as caught:
        typed(Override(key="dfs.some.key", value=text), like)
    assert caught.value.where == "--set dfs.some.key"
    assert caught.value.hint


@given(st.text(), st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()))
def test_any_text_gives_the_rules_type_or_a_user_error(text: str, like: Value) -> None:
    try:
        value = typed(Override(key="k", value=text), like)
    except UserError:
        return
    assert type(value) is type(like)
