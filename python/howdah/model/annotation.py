"""What people say of a run afterwards: tags to find it by, and a note."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator

from howdah.model.base import Model

MOST_TAGS = 32
MOST_NOTE = 20_000
"""Characters; more is a document of its own."""

Tag = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^[^\s,\x00-\x1f\x7f]{1,64}$")]
"""One word, so that tags can be written beside one another."""


class Annotation(Model):
    """The tags and the note of one run; the record itself is never changed."""

    annotation_version: Literal[1] = 1
    """Version of this layout."""
    tags: Annotated[tuple[Tag, ...], Field(max_length=MOST_TAGS)] = ()
    """Words to find the run by, each once."""
    note: Annotated[str, Field(max_length=MOST_NOTE)] = ""
    """What somebody has to say of it: plain text."""
    changed: str = ""
    """When this was last changed, ISO 8601 in UTC; empty where it never was."""

    @field_validator("tags")
    @classmethod
    def _once(cls, tags: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(tags))
