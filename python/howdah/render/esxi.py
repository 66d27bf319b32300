"""Advanced settings of ESXi hosts, as a script for their shell."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from howdah.model.plan import Setting
from howdah.render.text import hash_comment, reason_lines, setting_text


def esxi_script(hosts: str, settings: Sequence[Setting]) -> str:
    """``esxcli`` lines for options such as ``/Mem/ShareForceSalting``."""
    head = f"#!/bin/sh\n{hash_comment([f'Advanced settings of {hosts}: run it in the ESXi shell.'])}set -eu\n"
    return head + "".join(_option(setting) for setting in settings)


def _option(setting: Setting) -> str:
    option = "/" + setting.key.strip("/").replace(".", "/")
    number = isinstance(setting.value, int)
    value = str(int(setting.value)) if isinstance(setting.value, int) else setting_text(setting)
    return (
        f"\n{hash_comment(reason_lines(setting))}"
        f"esxcli system settings advanced set -o {quote(option)} {'-i' if number else '-s'} {quote(value)}\n"
    )
