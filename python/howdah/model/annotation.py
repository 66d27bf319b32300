"""Users' notes on a run: tags to find it by, and a text."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, StringConstraints

from howdah.model.base import Model, WrongValue

MOST_TAGS = 32
LONGEST_TAG = 64
MOST_NOTE = 20_000
"""Characters; a longer text is a separate document."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def _tag(text: str) -> str:
    if not text:
        raise WrongValue("a tag is empty", "write a word, or leave the tag out")
    if len(text) > LONGEST_TAG:
        raise WrongValue(f"the tag {text[:20]!r}… is longer than {LONGEST_TAG} characters", "shorten it")
    if re.search(r"[\s,\x00-\x1f\x7f\ud800-\udfff]", text):
        raise WrongValue(f"the tag {text!r} has a space, a comma or a control character", "a tag is one word")
    return text


def _tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    if len(tags) > MOST_TAGS:
        raise WrongValue(f"these are {len(tags)} tags", f"give {MOST_TAGS} at most")
    return tuple(dict.fromkeys(tags))


def _note(text: str) -> str:
    if len(text) > MOST_NOTE:
        raise WrongValue(
            f"has {len(text):,} characters", f"shorten it to {MOST_NOTE:,}, or keep a document elsewhere"
        )
    if control := _CONTROL.search(text):
        raise WrongValue(
            f"has a control character, U+{ord(control[0]):04X}", "remove it: a note is plain text"
        )
    return text


Tag = Annotated[str, StringConstraints(strip_whitespace=True), AfterValidator(_tag)]
"""One word, so that several tags can be written in a line."""


class Annotation(Model):
    """The tags and the note of one run; the record itself is never changed."""

    annotation_version: Literal[1] = 1
    """Version of this layout."""
    tags: Annotated[tuple[Tag, ...], AfterValidator(_tags)] = ()
    """Words to find the run by, each once."""
    note: Annotated[str, AfterValidator(_note)] = ""
    """What somebody has to say of it: plain text."""
    changed: str = ""
    """When this was last changed, ISO 8601 in UTC; empty where it never was."""
