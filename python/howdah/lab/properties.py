"""Hadoop's XML files: what a rendered one says, and a copy of it with some values changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Comment, Element, SubElement, TreeBuilder, XMLParser


class Change(NamedTuple):
    """A property that has to be other than rendered, and why."""

    file: str
    """The file it belongs to, ``hdfs-site.xml``."""
    key: str
    """Its key."""
    value: str
    """Its new value."""
    why: str
    """A sentence."""


def properties(text: str) -> dict[str, str]:
    """Every key with its value, as one file that howdah rendered gives them."""
    return {key: one.findtext("value", "") for key, one in _each(_root(text))}


def with_changes(text: str | None, changes: Mapping[str, Change]) -> str:
    """The file with these keys changed or added, its comments kept; a new file if there is none."""
    root = _root(text) if text is not None else Element("configuration")
    left = dict(changes)
    for key, one in _each(root):
        change = left.pop(key, None)
        value = one.find("value")
        if change is not None and value is not None:
            value.text = change.value
    for change in left.values():
        root.append(Comment(f" {change.why.replace('--', '- -')} [the laboratory] "))
        added = SubElement(root, "property")
        SubElement(added, "name").text = change.key
        SubElement(added, "value").text = change.value
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _root(text: str) -> Element:
    # What is read here was rendered by howdah a moment ago, so nothing strange is in it.
    parser = XMLParser(target=TreeBuilder(insert_comments=True))
    parser.feed(text)
    root = parser.close()
    assert isinstance(root, Element)
    return root


def _each(root: Element) -> Iterator[tuple[str, Element]]:
    for one in root.iter("property"):
        yield one.findtext("name", ""), one
