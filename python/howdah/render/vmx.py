"""Options of a virtual machine as a .vmx file has them."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.errors import UserError
from howdah.model.plan import Setting, Worker
from howdah.model.value import value_text
from howdah.render.text import hash_comment, named, reason_lines, setting_text


def vmx_fragment(worker: Worker, settings: Sequence[Setting]) -> str:
    """Lines to add to the .vmx file of every machine of one kind."""
    head = [
        f"For every machine of the kind {worker.name}; add these lines while it is off, or set them as its"
    ]
    head.append("advanced parameters.")
    return hash_comment(head) + "".join(_option(setting) for setting in settings)


def _option(setting: Setting) -> str:
    if '"' in setting.key or any(character.isspace() for character in setting.key):
        raise UserError(named(setting), "is not a key of a .vmx file", "letters, digits, dots and colons")
    text = value_text(setting.value).upper() if isinstance(setting.value, bool) else setting_text(setting)
    # The format's own way to write the quotation mark and the bar that introduces it.
    text = text.replace("|", "|7C").replace('"', "|22")
    return f'\n{hash_comment(reason_lines(setting))}{setting.key} = "{text}"\n'
