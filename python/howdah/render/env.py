"""Shell files that Hadoop's and HBase's start scripts read: ``export NAME='value'``, nothing evaluated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from shlex import quote

from howdah.errors import UserError
from howdah.model.plan import Setting
from howdah.render.text import hash_comment, named, reason_lines, setting_text

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_JAVA_HOME = "JAVA_HOME is the site's own: set it for the daemons' users, or here."


def env_file(title: str, settings: Sequence[Setting]) -> str:
    """A whole env file; raises UserError for a key that cannot name a variable."""
    return hash_comment([title, _JAVA_HOME]) + "".join(_export(setting) for setting in settings)


def _export(setting: Setting) -> str:
    if not _VARIABLE.fullmatch(setting.key):
        raise UserError(named(setting), "is not the name of a variable", "letters, digits and underscores")
    value = quote(setting_text(setting, lines=True))
    return f"\n{hash_comment(reason_lines(setting))}export {setting.key}={value}\n"
