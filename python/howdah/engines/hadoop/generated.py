"""TeraGen's record of the rows it wrote, which goes with them from folder to folder."""

from __future__ import annotations

from typing import NamedTuple

import pydantic

from howdah.services.namenode import NameNode

FILE = "_TERAGEN"
"""The local engine writes the same file; programs of MapReduce pass over names with an underscore."""


class Generated(NamedTuple):
    """How many rows, and the sum of their CRC-32 in hex, of which Hadoop counts the low 64 bits."""

    rows: int
    checksum: str


_CONTENT = pydantic.TypeAdapter(dict[str, int | str])


def read_generated(namenode: NameNode, folder: str) -> Generated | None:
    """The record in a folder; None where there is none, or one cut off."""
    if not any(entry.name == FILE for entry in namenode.list(folder)):
        return None
    try:
        content = _CONTENT.validate_json(namenode.read(f"{folder}/{FILE}"))
        generated = Generated(int(content["rows"]), str(content["checksum"]))
        int(generated.checksum, 16)
    except (pydantic.ValidationError, ValueError, KeyError):
        return None
    return generated


def write_generated(namenode: NameNode, folder: str, generated: Generated) -> None:
    """Leave the record with the rows."""
    content: dict[str, int | str] = dict(generated._asdict())
    namenode.write(f"{folder}/{FILE}", _CONTENT.dump_json(content))
