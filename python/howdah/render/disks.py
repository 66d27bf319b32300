"""How data disks are partitioned, formatted, mounted and scheduled."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping

from howdah.errors import UserError
from howdah.model.configset import ConfigFile
from howdah.model.plan import Plan, Setting
from howdah.render.templates import template
from howdah.render.text import hash_comment, reason_lines, setting_label, setting_text
from howdah.render.variant import DISKS, FileVariant, select
from howdah.units import MIB

_SCRIPT_KEYS = ("fs.type", "mkfs.options", "mount.options", "partition.start")
_QUEUE = {"queue.scheduler": "queue/scheduler", "queue.read_ahead_kb": "queue/read_ahead_kb"}
_MKFS = {"xfs": "mkfs.xfs", "ext4": "mkfs.ext4"}


def disk_files(folder: str, plan: Plan, variant: FileVariant) -> Iterable[ConfigFile]:
    """``disks.sh`` and the udev rules that set up the data disks at every boot."""
    settings = {setting.key: setting for setting in select(plan, DISKS, variant)}
    directories = {
        len(worker.data_dirs)
        for worker in plan.workers
        if variant.worker in (None, worker.name) and variant.group in (None, worker.group)
    }
    if not settings or not any(directories):
        return
    yield ConfigFile(path=f"{folder}/disks.sh", content=_script(settings, directories), executable=True)
    if queue := [setting for key, setting in settings.items() if key in _QUEUE]:
        yield ConfigFile(path=f"{folder}/udev/90-howdah-disks.rules", content=_udev(queue))


def _script(settings: Mapping[str, Setting], counts: set[int]) -> str:
    file_system = _text(settings, "fs.type", "xfs")
    if file_system not in _MKFS:
        raise UserError(
            setting_label(settings["fs.type"]),
            f"howdah cannot create {file_system!r}",
            f"one of {', '.join(_MKFS)}",
        )
    words = {
        "REASONS": "".join(
            hash_comment(
                [f"{key}: {line}" if first else f"  {line}" for first, line in _marked(settings[key])]
            )
            for key in _SCRIPT_KEYS
            if key in settings
        ).rstrip("\n"),
        "COUNTS": shlex.quote(" ".join(map(str, sorted(counts - {0})))),
        "FS": shlex.quote(file_system),
        "MKFS": shlex.join([_MKFS[file_system], *_options(settings)]),
        "MOUNT": shlex.quote(_mount(settings)),
        "START": shlex.quote(_start(settings)),
    }
    script = template("disks.sh")
    for word, text in words.items():
        script = script.replace(f"@{word}@", text)
    return script


def _marked(setting: Setting) -> Iterable[tuple[bool, str]]:
    return ((number == 0, line) for number, line in enumerate(reason_lines(setting)))


def _options(settings: Mapping[str, Setting]) -> list[str]:
    setting = settings.get("mkfs.options")
    try:
        return shlex.split(setting_text(setting)) if setting else []
    except ValueError as error:
        assert setting is not None
        raise UserError(
            setting_label(setting), f"cannot be split into words: {error}", "close the quotes"
        ) from error


def _mount(settings: Mapping[str, Setting]) -> str:
    text = _text(settings, "mount.options", "noatime")
    if not text or any(character.isspace() for character in text):
        raise UserError(
            setting_label(settings["mount.options"]),
            "must be a single word in /etc/fstab",
            "put commas between options",
        )
    return text


def _start(settings: Mapping[str, Setting]) -> str:
    setting = settings.get("partition.start")
    if setting is None:
        return "1MiB"
    if isinstance(setting.value, int) and setting.value % MIB == 0:
        return f"{setting.value // MIB}MiB"
    return setting_text(setting)


def _text(settings: Mapping[str, Setting], key: str, default: str) -> str:
    return setting_text(settings[key]) if key in settings else default


def _udev(settings: Iterable[Setting]) -> str:
    """Rules for the disks that disks.sh made, known by their partitions' names, and for no other disk."""
    parts = [
        hash_comment(
            [
                "Goes to /etc/udev/rules.d/. Applies to the disks that disks.sh has partitioned.",
                "Now: udevadm control --reload && udevadm trigger --subsystem-match=block",
            ]
        )
    ]
    for setting in settings:
        value = setting_text(setting)
        if '"' in value:
            raise UserError(
                setting_label(setting), "contains a quotation mark", "write the value without one"
            )
        parts.append(
            f"\n{hash_comment(reason_lines(setting))}"
            'ACTION=="add|change", SUBSYSTEM=="block", ENV{ID_PART_ENTRY_NAME}=="hadoop-data-*", '
            f'ATTR{{../{_QUEUE[setting.key]}}}="{value}"\n'
        )
    return "".join(parts)
