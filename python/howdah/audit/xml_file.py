"""One XML configuration file, read as Hadoop reads it, except that nothing outside the file is followed.

Entities, document types and inclusions are refused: a check must not read other files or the
network on a file's word, and half of a configuration must not be judged as the whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from howdah.audit.secrets import without_secrets
from howdah.audit.text_file import read_bytes
from howdah.errors import UserError
from howdah.model.found import FoundProperty

_PARTS = ("name", "value", "final")


def read_xml(path: Path, name: str) -> tuple[FoundProperty, ...] | None:
    """The properties of a file, which the result calls ``name``; None if it is no Hadoop configuration.

    Raises UserError with the line and column for what is not well-formed or refers to other files.
    """
    reading = _Reading(path, name)
    try:
        reading.parser.Parse(read_bytes(path), True)
    except expat.ExpatError as error:
        raise UserError(
            f"{path}:{error.lineno}:{error.offset + 1}",
            f"is not well-formed XML: {expat.errors.messages[error.code]}",
            "Hadoop would not start with it: close every element, write & as &amp; and < as &lt;",
        ) from error
    except (ValueError, LookupError) as error:
        # Expat asks Python for an encoding that it does not know itself.
        raise UserError(str(path), f"cannot be decoded: {error}", "save the file as UTF-8") from error
    return tuple(reading.properties) if reading.root == "configuration" else None


@dataclass
class _Reading:
    """The state of one parse: where it is, and the property that is open."""

    path: Path
    name: str
    root: str | None = None
    properties: list[FoundProperty] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    parts: dict[str, str] = field(default_factory=dict)
    line: int = 0

    def __post_init__(self) -> None:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._doctype
        self.parser = parser

    def _refuse(self, what: str) -> NoReturn:
        raise UserError(
            f"{self.path}:{self.parser.CurrentLineNumber}",
            f"{what}, and howdah follows nothing out of a file",
            "write the properties themselves into the file",
        )

    def _doctype(self, name: str, system: str | None, public: str | None, subset: bool) -> None:
        self._refuse("has a document type declaration, which may define entities")

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        if element.rpartition(":")[2] == "include":
            self._refuse("includes another file")
        if self.root is None:
            self.root = element
        self.open.append(element)
        if element == "property":
            self.line = self.parser.CurrentLineNumber
            self.parts = {part: attributes[part] for part in _PARTS if part in attributes}
        elif element in _PARTS and self.open[-2:-1] == ["property"]:
            self.parts[element] = ""

    def _text(self, text: str) -> None:
        if self.open[-2:-1] == ["property"] and self.open[-1] in _PARTS:
            self.parts[self.open[-1]] += text

    def _end(self, element: str) -> None:
        self.open.pop()
        # Hadoop passes over a property without a name or without a value.
        if element == "property" and "value" in self.parts and self.parts.get("name", "").strip():
            self.properties.append(
                FoundProperty(
                    name=self.parts["name"].strip(),
                    text=without_secrets(self.parts["name"].strip(), self.parts["value"].strip()),
                    file=self.name,
                    line=self.line,
                    final=self.parts.get("final", "").strip() == "true",
                )
            )
