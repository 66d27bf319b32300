"""Models as YAML for people: short lines in the order of the fields, with sizes in words behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from howdah.documents.fault import Keys
from howdah.documents.tree import spelling
from howdah.documents.validation import key_of
from howdah.model.calibration import CalibrationCell, Residual, Without
from howdah.model.inventory import CpuLayout, DiskSet, NicSet
from howdah.model.plan import Breach, Input, Setting
from howdah.model.request import Demand, Override
from howdah.units import GIB, MIB, format_bytes

Comments = Mapping[Keys, str]
"""What stands behind the line of a path."""

_WIDEST = 110
_ONE_LINE = (Breach, CalibrationCell, CpuLayout, Demand, DiskSet, Input, NicSet, Override, Residual, Without)
"""Classes small enough to read between braces."""


def write_document(model: BaseModel, comments: Comments | None = None) -> str:
    """The text that reads back as this model; the same model gives the same text."""
    writer = _Writer(comments or {})
    writer.mapping(_said(model, model.model_dump(mode="json", by_alias=True)), model, 0, ())
    return "\n".join(writer.lines) + "\n"


def _said(model: BaseModel, dumped: dict[str, Any]) -> dict[str, Any]:
    """The fields worth a line: not those that nothing was said of.

    Other defaults are written, so that a file keeps its meaning when a default changes; except in
    settings, of which there are hundreds.
    """
    said: dict[str, Any] = {}
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        silent = not value or isinstance(model, Setting)
        if not (silent and type(value) is type(field.default) and value == field.default):
            key = key_of(type(model), name)
            said[key] = dumped[key]
    return said


class _Writer:
    """The lines so far."""

    def __init__(self, comments: Comments) -> None:
        self.lines: list[str] = []
        self._comments = comments

    def mapping(self, said: dict[str, Any], model: BaseModel, indent: int, path: Keys) -> None:
        """A model as one line for each of its fields."""
        values = {key_of(type(model), name): getattr(model, name) for name in type(model).model_fields}
        for key, dumped in said.items():
            in_bytes = key.endswith("_bytes") or (key == "value" and _is_size(model))
            self._entry(f"{' ' * indent}{key}:", dumped, values[key], indent, (*path, key), in_bytes=in_bytes)

    def _entry(self, head: str, dumped: Any, value: Any, indent: int, path: Keys, *, in_bytes: bool) -> None:
        if isinstance(value, BaseModel):
            said = _said(value, dumped)
            if self._one_line(head, said, value, path):
                return
            self._line(head, path)
            self.mapping(said, value, indent + 2, path)
        elif isinstance(value, dict):
            self._line(head, path)
            for key, inner in dumped.items():
                self._line(f"{' ' * indent}  {spelling(key)}: {spelling(inner, block=True)}", (*path, key))
        elif isinstance(value, tuple):
            self._list(head, dumped, value, indent, path)
        else:
            words = _in_words(value) if in_bytes and isinstance(value, int) else ""
            self._line(f"{head} {spelling(dumped, block=True)}", path, words)

    def _list(self, head: str, dumped: list[Any], values: tuple[Any, ...], indent: int, path: Keys) -> None:
        if not any(isinstance(value, BaseModel) for value in values):
            line = f"{head} [{', '.join(map(spelling, dumped))}]"
            if len(line) <= _WIDEST or not values:
                self._line(line, path)
                return
        self._line(head, path)
        for index, (entry, value) in enumerate(zip(dumped, values, strict=True)):
            here = (*path, index)
            dash = f"{' ' * indent}  -"
            if not isinstance(value, BaseModel):
                self._line(f"{dash} {spelling(entry, block=True)}", here)
                continue
            said = _said(value, entry)
            if self._one_line(dash, said, value, here):
                continue
            start = len(self.lines)
            self.mapping(said, value, indent + 4, here)
            self.lines[start] = f"{dash} {self.lines[start].lstrip(' ')}"

    def _one_line(self, head: str, said: dict[str, Any], model: BaseModel, path: Keys) -> bool:
        """Write a small model between braces if it fits a line; whether it did."""
        if not isinstance(model, _ONE_LINE):
            return False
        line = f"{head} {{{', '.join(f'{key}: {spelling(value)}' for key, value in said.items())}}}"
        if len(line) > _WIDEST:
            return False
        self._line(line, path, _size(model))
        return True

    def _line(self, line: str, path: Keys, words: str = "") -> None:
        comment = self._comments.get(path) or words
        self.lines.append(f"{line}  # {comment}" if comment else line)


def _size(model: BaseModel) -> str:
    """What an input in bytes comes to, in words."""
    if isinstance(model, Input) and _is_size(model) and isinstance(model.value, int | float):
        return _in_words(model.value)
    return ""


def _is_size(model: BaseModel) -> bool:
    """Whether a value is in bytes: an input says so, a number of the plan's own by its name."""
    if isinstance(model, Setting):
        return model.file is None and "memory" in model.key
    return isinstance(model, Input) and model.unit == "B"


def _in_words(value: float) -> str:
    """A size in the units it was made of: memory and blocks 1024-based, disks 1000-based."""
    if value % 10**9 == 0 or value % MIB or value < MIB:
        return format_bytes(value)
    factor, unit = (GIB, "GiB") if value >= GIB else (MIB, "MiB")
    return f"{value / factor:.2f}".rstrip("0").rstrip(".") + f" {unit}"
