"""Removal of secrets, which are recognised by their names."""

from __future__ import annotations

import re

HIDDEN = "(hidden)"
"""Replaces a secret after reading."""

_SECRET_NAME = re.compile(
    r"password$|passphrase$|\.pass$|secret$|secret[.-]?key$|access[.-]token$|\.sas\.", re.IGNORECASE
)
_SECRET_OPTION = re.compile(r"((?:password|passphrase|secret)[\w.-]*=)\S+", re.IGNORECASE)
_SECRET_IN_TEXT = re.compile(
    r"((?:password|passwd|secret|token|credential|private[._-]?key)[\w.-]*)(\s*[=:]\s*)[^\s,;]+",
    re.IGNORECASE,
)


def shown_value(name: str, text: str) -> str:
    """Return the text of a property or variable with hidden secrets; an empty one stays empty."""
    if text and not text.startswith("${") and _SECRET_NAME.search(name.replace("_", ".")):
        return HIDDEN
    return _SECRET_OPTION.sub(rf"\1{HIDDEN}", text)


def without_secrets(text: str) -> str:
    """Return a program's output with passwords and tokens hidden."""
    return _SECRET_IN_TEXT.sub(rf"\1\2{HIDDEN}", text)
