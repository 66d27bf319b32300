"""``fair-scheduler.xml`` as a tree of elements with their lines."""

from __future__ import annotations

from pathlib import Path
from xml.parsers import expat

from howdah.audit.files import read_bytes
from howdah.errors import UnreadableFile
from howdah.model.found import Allocation

_DEEPEST = 50


class _Open:
    """An element that has not ended."""

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag, self.attributes, self.line = tag, attributes, line
        self.text = ""
        self.children: list[Allocation] = []

    def closed(self) -> Allocation:
        return Allocation(
            tag=self.tag,
            attributes=self.attributes,
            text=self.text.strip(),
            line=self.line,
            children=tuple(self.children),
        )


def read_allocations(path: Path) -> Allocation:
    """The outermost element of a file; raises UnreadableFile for what is malformed or refers to others."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    outside = _Open("", {}, 0)
    pending = [outside]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(pending) > _DEEPEST:
            raise UnreadableFile(
                f"{path}:{parser.CurrentLineNumber}", "is nested too deeply", "flatten the queues"
            )
        pending.append(_Open(tag, attributes, parser.CurrentLineNumber))

    def end(tag: str) -> None:
        element = pending.pop().closed()
        pending[-1].children.append(element)

    def text(content: str) -> None:
        pending[-1].text += content

    def doctype(name: str, system: str | None, public: str | None, subset: bool) -> None:
        raise UnreadableFile(
            f"{path}:{parser.CurrentLineNumber}",
            "has a document type declaration, which howdah does not read",
            "remove it",
            refused=True,
        )

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = text, doctype
    try:
        parser.Parse(read_bytes(path), True)
    except expat.ExpatError as error:
        raise UnreadableFile(
            f"{path}:{error.lineno}:{error.offset + 1}",
            f"is not well-formed XML: {expat.errors.messages[error.code]}",
            "close every element, write & as &amp; and < as &lt;",
        ) from error
    except (ValueError, LookupError) as error:
        raise UnreadableFile(str(path), f"cannot be decoded: {error}", "save the file as UTF-8") from error
    return outside.children[0]
