"""What pydantic finds wrong with a value, in the words of howdah's errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import ErrorDetails

_LONGEST_SHOWN = 40
_WHOLE = ("is not a whole number", "write digits alone, for instance 2")
_MAPPING = ("is not a mapping", "write `key: value` lines below the key, or {{key: value}}")
_LIST = ("is not a list", "write `- ` entries below the key, or [a, b]")
_NUMBER = ("is not a number", "write, for example, 0.4")
_TRUTH = ("is neither true nor false", "write true or false")
_MESSAGES: Mapping[str, tuple[str, str]] = {
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "bool_type": _TRUTH,
    "bool_parsing": _TRUTH,
    "string_type": ("is not text", "put it in double quotes if you mean text"),
    "tuple_type": _LIST,
    "list_type": _LIST,
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "dict_type": _MAPPING,
    "greater_than_equal": ("is too small", "at least {ge}; leave the key out if there is none"),
    "less_than_equal": ("is too large", "at most {le}"),
    "greater_than": ("is too small", "more than {gt}"),
    "less_than": ("is too large", "less than {lt}"),
    "finite_number": ("is not a finite number", _NUMBER[1]),
    "enum": ("is unknown here", "one of {expected}"),
    "literal_error": ("is unknown here", "one of {expected}"),
}


def explained(detail: ErrorDetails) -> tuple[str, str]:
    """What is wrong with the value that an error is about, and what would be right."""
    if detail["type"] not in _MESSAGES:
        message = detail["msg"]
        return f"{message[:1].lower()}{message[1:]}", ""
    problem, hint = _MESSAGES[detail["type"]]
    context = detail.get("ctx", {})
    if "expected" in context:
        # Pydantic writes 'a', 'b' or 'c'.
        context["expected"] = str(context["expected"]).replace("'", "").replace(" or ", ", ")
    return f"{shown(detail['input'])} {problem}", hint.format_map(context)


def shown(value: Any) -> str:
    """A value as its file has it, briefly."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
