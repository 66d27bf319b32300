"""A password in a file: one line, that nobody else may read. Arguments, which others see, hold none."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from howdah.errors import UserError


def read_password(flag: str, file: Path) -> str:
    """The password; raises UserError, by the flag that named the file, for one that cannot be used.

    A pipe is taken too: a shell's ``<(…)``, readable for others or not, is read once.
    """
    where = f"{flag} {file}"
    try:
        with file.open(encoding="utf-8") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            text = opened.read()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise UserError(
            where, f"cannot be read: {why}", "give a file that contains only the password"
        ) from None
    if stat.S_ISREG(mode) and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UserError(where, "is readable by other users", f"chmod 600 {file}")
    password = text.removesuffix("\n").removesuffix("\r")
    if not password or "\n" in password:
        raise UserError(where, "does not contain exactly one line", "write only the password into it")
    return password
