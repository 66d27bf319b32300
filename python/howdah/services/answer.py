"""Answers in JSON as typed facts."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from howdah.services.errors import Unexpected

Object = dict[str, Any]
"""A JSON object."""


class AnswerPart(BaseModel):
    """Part of a daemon's answer; unknown fields of later releases are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


T = TypeVar("T", bound=AnswerPart)


def parse_object(kind: type[T], answer: object, where: str) -> T:
    """Read an object of an answer; raise Unexpected with the missing field."""
    try:
        return kind.model_validate(answer)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "its answer"
        raise Unexpected(where, f"{field}: {first['msg']}", "does howdah support this release?") from error


def as_object(answer: object, where: str) -> Object:
    """Return an answer that must be an object; raise Unexpected if it is not."""
    if not isinstance(answer, dict):
        raise Unexpected(where, "returns JSON that is not an object", "is this the right daemon?")
    return answer


def list_at(answer: object, key: str) -> list[Object]:
    """Return the list at a key of an answer.

    Releases differ: a list with one element may be the element itself, and an empty list, or the object
    around it, may be null or missing. Raises Unexpected if an element is not an object.
    """
    value = answer.get(key) if isinstance(answer, dict) else None
    if value is None or value == "":
        return []
    elements = value if isinstance(value, list) else [value]
    if not all(isinstance(element, dict) for element in elements):
        raise Unexpected(key, "contains an entry that is not an object", "does howdah support this release?")
    return list(elements)


def object_at(answer: object, key: str, where: str) -> Object:
    """Return the object at a key of an answer; raise Unexpected if there is none."""
    value = answer.get(key) if isinstance(answer, dict) else None
    if not isinstance(value, dict):
        raise Unexpected(where, f"has no {key} in its answer", "does howdah support this release?")
    return value
