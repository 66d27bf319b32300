"""Answers in JSON as typed facts."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from howdah.services.errors import Unexpected

Object = dict[str, Any]
"""A JSON object."""


class AnswerPart(BaseModel):
    """Part of a daemon's answer; what later releases add to it is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


T = TypeVar("T", bound=AnswerPart)


def parse_object(kind: type[T], answer: object, where: str) -> T:
    """Read an object of an answer; raises Unexpected that names what it lacks."""
    try:
        return kind.model_validate(answer)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "its answer"
        raise Unexpected(where, f"{field}: {first['msg']}", "does howdah support this release?") from error


def an_object(answer: object, where: str) -> Object:
    """An answer that must be an object; raises Unexpected where it is none."""
    if not isinstance(answer, dict):
        raise Unexpected(where, "returns JSON that is not an object", "is this the right daemon?")
    return answer


def one_or_many(answer: object, key: str) -> list[Object]:
    """The list that an answer has at a key.

    Releases differ: a list of one element may be that element itself, an empty one null or not there,
    and so may the object around it. Raises Unexpected for an element that is no object.
    """
    value = answer.get(key) if isinstance(answer, dict) else None
    if value is None or value == "":
        return []
    elements = value if isinstance(value, list) else [value]
    if not all(isinstance(element, dict) for element in elements):
        raise Unexpected(key, "contains an entry that is not an object", "does howdah support this release?")
    return list(elements)


def member(answer: object, key: str, where: str) -> Object:
    """The object that an answer has at a key; raises Unexpected where there is none."""
    value = answer.get(key) if isinstance(answer, dict) else None
    if not isinstance(value, dict):
        raise Unexpected(where, f"has no {key} in its answer", "does howdah support this release?")
    return value
