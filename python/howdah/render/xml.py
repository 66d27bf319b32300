"""Hadoop's XML files: every property with its reason above it, sorted by key."""

from __future__ import annotations

from collections.abc import Sequence

# The escape of xml.sax.saxutils does the same, but brings urllib and ssl with it.
from html import escape

from howdah.model.plan import Setting
from howdah.render.text import reason_lines, setting_text


def xml_file(title: str, settings: Sequence[Setting]) -> str:
    """A whole configuration file; the settings are sorted by key already."""
    head = ['<?xml version="1.0" encoding="UTF-8"?>', xml_comment([title]), "<configuration>"]
    return "\n".join([*head, *(_property(setting) for setting in settings), "</configuration>"]) + "\n"


def xml_comment(lines: Sequence[str], indent: str = "") -> str:
    """Lines as one comment; a double hyphen, which would end or spoil it, is drawn apart."""
    inner = "\n".join(f"{indent}     {line}".rstrip() for line in lines).lstrip()
    while "--" in inner:
        inner = inner.replace("--", "- -")
    return f"{indent}<!-- {inner} -->"


def _property(setting: Setting) -> str:
    value = escape(setting_text(setting, lines=True), quote=False)
    return (
        f"\n{xml_comment(reason_lines(setting), '  ')}\n"
        f"  <property>\n"
        f"    <name>{escape(setting.key, quote=False)}</name>\n"
        f"    <value>{value}</value>\n"
        f"  </property>"
    )
