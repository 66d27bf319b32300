"""What is set in a host's firmware, as a list to tick off."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.model.configset import ConfigFile
from howdah.model.plan import Plan
from howdah.render.files import FIRMWARE
from howdah.render.text import plain_key, reason_lines, setting_text


def firmware_files(plan: Plan) -> Iterable[ConfigFile]:
    """``firmware.md``, where the plan says anything of it."""
    settings = [setting for setting in plan.settings if setting.file == FIRMWARE]
    if not settings:
        return
    lines = ["# Firmware", "", "To be set on every host before anything is installed.", ""]
    for setting in sorted(settings, key=lambda one: (one.group or "", one.key)):
        hosts = f" (hosts of {setting.group})" if setting.group else ""
        name = plain_key(setting).removeprefix("bios.").replace("_", " ")
        lines.append(f"- [ ] **{name}**{hosts}: {setting_text(setting)}.")
        lines += [f"  {line}" for line in reason_lines(setting)]
    yield ConfigFile(path="firmware.md", content="\n".join(lines) + "\n")
