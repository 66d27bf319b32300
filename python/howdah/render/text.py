"""A plan's values and reasons as text that is safe in the files they go to.

Reasons, names and a user's own values may hold anything; a comment never ends early, a value never
becomes markup or a command, and what a file cannot carry is refused.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from html import escape
from shlex import quote

from howdah.errors import UserError
from howdah.model.plan import Setting, value_text

_WIDTH = 100
_ILLEGAL = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\x7f-\x9f]")
"""Characters that XML 1.0 excludes, and control characters that a terminal would interpret."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_JAVA_HOME = "JAVA_HOME is the site's own: set it for the daemons' users, or here."


def setting_text(setting: Setting, *, lines: bool = False) -> str:
    """A setting's value as text; only with ``lines`` may it have more than one line.

    Raises UserError for characters that no configuration file can carry.
    """
    text = value_text(setting.value)
    if _ILLEGAL.search(text) or (not lines and "\n" in text):
        raise UserError(
            setting_label(setting),
            "its value contains a control character or a line break",
            "write it on one line",
        )
    return text


def setting_label(setting: Setting) -> str:
    """A setting as an error names it: its file and key, or the flag that gave it."""
    if setting.origin == "user":
        return f"--set {setting.key}"
    return f"{setting.file}: {setting.key}"


def plain_key(setting: Setting) -> str:
    """A setting's key where it stands bare in a file; raises UserError if it is more than a word."""
    if (
        not setting.key.replace(".", "").replace("_", "").replace("-", "").isalnum()
        or not setting.key.isascii()
    ):
        raise UserError(
            setting_label(setting), "is not a plain key", "letters, digits, dots, hyphens and underscores"
        )
    return setting.key


def reason_lines(setting: Setting, width: int = _WIDTH) -> list[str]:
    """Why a setting has its value, then where that comes from, as plain lines without control characters."""
    lines = wrapped(setting.reason[:1].upper() + setting.reason[1:], width)
    if setting.origin == "user":
        lines += [
            line
            for breach in setting.breaks
            for line in wrapped(f"Breaks {breach.rule}: {breach.says}", width)
        ]
    else:
        lines += wrapped(f"[{setting.rule or 'no rule'}; {setting.source}]", width)
    return lines


def wrapped(text: str, width: int = _WIDTH) -> list[str]:
    """A text as lines of at most ``width`` where it has spaces to break at; at least one line."""
    plain = " ".join(_ILLEGAL.sub("�", text).split())
    return textwrap.wrap(plain, width, break_long_words=False, break_on_hyphens=False) or [""]


def hash_comment(lines: list[str]) -> str:
    """Lines as comments of a shell, sysctl or systemd file."""
    return "".join(f"# {line}".rstrip() + "\n" for line in lines)


def env_file(title: str, settings: Sequence[Setting]) -> str:
    """A whole env file; raises UserError for a key that cannot name a variable."""
    return hash_comment([title, _JAVA_HOME]) + "".join(_export(setting) for setting in settings)


def _export(setting: Setting) -> str:
    if not _VARIABLE.fullmatch(setting.key):
        raise UserError(
            setting_label(setting), "is not the name of a variable", "letters, digits and underscores"
        )
    value = quote(setting_text(setting, lines=True))
    return f"\n{hash_comment(reason_lines(setting))}export {setting.key}={value}\n"


# The escape of xml.sax.saxutils does the same, but brings urllib and ssl with it.


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
