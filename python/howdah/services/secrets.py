"""Secrets, which are recognised by their names and never kept."""

from __future__ import annotations

import re

HIDDEN = "(hidden)"
"""What stands for a secret in everything after reading."""

_SECRET_NAME = re.compile(
    r"password$|passphrase$|\.pass$|secret$|secret[.-]?key$|access[.-]token$|\.sas\.", re.IGNORECASE
)
_SECRET_OPTION = re.compile(r"((?:password|passphrase|secret)[\w.-]*=)\S+", re.IGNORECASE)
_SECRET_SAID = re.compile(
    r"((?:password|passwd|secret|token|credential|private[._-]?key)[\w.-]*)(\s*[=:]\s*)[^\s,;]+",
    re.IGNORECASE,
)


def shown_value(name: str, text: str) -> str:
    """The text of a property or variable, a secret in it hidden; an empty one stays empty."""
    if text and not text.startswith("${") and _SECRET_NAME.search(name.replace("_", ".")):
        return HIDDEN
    return _SECRET_OPTION.sub(rf"\1{HIDDEN}", text)


def without_secrets(text: str) -> str:
    """What a program said, with what looks like a password or a token in it hidden."""
    return _SECRET_SAID.sub(rf"\1\2{HIDDEN}", text)
