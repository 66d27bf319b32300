"""A file as text, or the reason why it is none."""

from __future__ import annotations

import re
from pathlib import Path

from howdah.documents.fault import Fault, Mark, error_of
from howdah.errors import UserError

_LARGEST = 64 * 2**20
_NOT_TEXT = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read_text(path: Path, hint: str) -> str:
    """The text of a file; raises UserError where there is none, with a hint at what would be right."""
    try:
        with path.open("rb") as file:
            # Whatever is named may be endless, a device for instance.
            content = file.read(_LARGEST + 1)
    except FileNotFoundError as error:
        raise UserError(str(path), "no such file", hint) from error
    except IsADirectoryError as error:
        raise UserError(str(path), "is a directory", hint) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(str(path), f"cannot be read ({reason})", hint) from error
    if len(content) > _LARGEST:
        raise UserError(str(path), f"is larger than {_LARGEST // 2**20} MiB", hint)
    return _decoded(path, content)


def _decoded(path: Path, content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8", errors="replace")
        what = f"byte 0x{content[error.start]:02x} is not UTF-8"
        raise _not_text(path, before, what) from error
    if found := _NOT_TEXT.search(text):
        what = f"character U+{ord(found.group()):04X} has no place in a text"
        raise _not_text(path, text[: found.start()], what)
    return text


def _not_text(path: Path, before: str, what: str) -> UserError:
    mark = Mark(before.count("\n") + 1, len(before) - before.rfind("\n"))
    return error_of(str(path), [Fault(mark, (), what, "save it as UTF-8 text")])
