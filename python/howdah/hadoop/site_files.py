"""Hadoop's XML files, as its Configuration reads them: every property with its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn
from xml.parsers import expat

from howdah.errors import NoConfiguration, UnreadableFile, UserError

BLANKS = "".join(map(chr, range(0x21)))
"""What Java's ``String.trim`` removes: a blank that does not break, U+00A0, stays part of a value."""
_PARTS = ("name", "value", "final")


class SiteProperty(NamedTuple):
    """A property as a file gives it."""

    name: str
    text: str
    final: bool
    """Whether later files may not change it."""
    path: str
    line: int
    """Where in it the property begins."""
    blanks: bool = False
    """Whether the value has blanks around it, which some readers keep."""

    @property
    def where(self) -> str:
        """``core-site.xml:12``, the file by its path and the line."""
        return f"{self.path}:{self.line}"


def read_site_file(path: Path) -> Iterator[SiteProperty]:
    """Yield every property of a file in order; raises UserError that names the file and the line."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(str(path), f"cannot be read: {error.strerror}", "check who may read it") from error
    yield from read_site(content, str(path))


_XML_FAULTS = {
    expat.errors.XML_ERROR_NO_ELEMENTS: "the file ends within an element",
    expat.errors.XML_ERROR_INVALID_TOKEN: "an invalid character",
}


def xml_fault(error: expat.ExpatError) -> str:
    """What is wrong with a file that expat cannot read."""
    message = expat.errors.messages[error.code]
    return _XML_FAULTS.get(message, message)


def read_site(content: bytes, path: str) -> Iterator[SiteProperty]:
    """Yield every property in a file's content, as ``read_site_file`` does; ``path`` is for messages."""
    reading = _Reading(path)
    try:
        reading.parser.Parse(content, True)
    except expat.ExpatError as error:
        raise UnreadableFile(
            f"{path}:{error.lineno}:{error.offset + 1}",
            f"is not well-formed XML: {xml_fault(error)}",
            "close every element, write & as &amp; and < as &lt;",
        ) from error
    except (ValueError, LookupError) as error:
        # Expat asks Python for an encoding that it does not know itself.
        raise UnreadableFile(path, f"cannot be decoded: {error}", "save the file as UTF-8") from error
    yield from reading.properties


class _Reading:
    """The state of one parse: where it is, and the property that is open."""

    def __init__(self, path: str) -> None:
        self.properties: list[SiteProperty] = []
        self._path = path
        self._open: list[str] = []
        self._parts: dict[str, str] = {}
        self._line = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype

    def _refuse(self, what: str) -> NoReturn:
        raise UnreadableFile(
            f"{self._path}:{self.parser.CurrentLineNumber}",
            f"{what}, which howdah does not follow",
            "write the properties themselves into the file",
            refused=True,
        )

    def _doctype(self, name: str, system: str | None, public: str | None, subset: bool) -> None:
        self._refuse("has a document type declaration, which may define entities")

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        if element.rpartition(":")[2] == "include":
            self._refuse("includes another file")
        if not self._open and element != "configuration":
            raise NoConfiguration(
                f"{self._path}:{self.parser.CurrentLineNumber}",
                f"is not a Hadoop configuration: it begins with <{element}>",
                "its root element must be <configuration>",
            )
        self._open.append(element)
        if element == "property":
            self._line = self.parser.CurrentLineNumber
            self._parts = {part: attributes[part] for part in _PARTS if part in attributes}
        elif element in _PARTS and self._open[-2:-1] == ["property"]:
            self._parts[element] = ""

    def _text(self, text: str) -> None:
        if self._open[-2:-1] == ["property"] and self._open[-1] in _PARTS:
            self._parts[self._open[-1]] += text

    def _end(self, element: str) -> None:
        self._open.pop()
        name = self._parts.get("name", "").strip(BLANKS)
        # Hadoop passes over a property without a name or without a value.
        if element == "property" and name and "value" in self._parts:
            final = self._parts.get("final", "").strip() == "true"
            written = self._parts["value"]
            value = written.strip(BLANKS)
            self.properties.append(
                SiteProperty(name, value, final, self._path, self._line, blanks=value != written)
            )
