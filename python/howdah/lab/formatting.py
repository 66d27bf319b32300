"""Making a file system in an image with the options that a plan asks a disk to be made with."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from howdah.errors import HowdahError, UserError
from howdah.lab.spec import Format
from howdah.lab.tools import run
from howdah.model.cluster import Deviation
from howdah.units import MIB, format_memory

_FORCED = {"xfs": ("-q", "-f"), "ext4": ("-q", "-F")}
_LEAST_BYTES = {"xfs": 300 * MIB, "ext4": 16 * MIB}
_ONE_GROUP = re.compile(r"(^|,)agcount=1(?=,|$)")


def check_format(form: Format, smallest_bytes: int) -> None:
    """Raise UserError for a file system that howdah does not make, or options it does not pass on.

    A path in them would lead mkfs or mount, which run as root, to a device or a file of this machine.
    """
    if form.file_system not in _FORCED:
        raise UserError("fs.type", f"{form.file_system!r} is not made by howdah", "one of xfs, ext4")
    for key, words in (("mkfs.options", form.mkfs_options), ("mount.options", form.mount_options)):
        for word in words:
            if "/" in word:
                raise UserError(key, f"{word!r} names a path of this machine", "options without a path")
    least = _LEAST_BYTES[form.file_system]
    if smallest_bytes < least:
        raise UserError(
            "disks",
            f"{format_memory(smallest_bytes)} is less than mkfs.{form.file_system} makes",
            f"{format_memory(least)} at least",
        )


def possible(form: Format) -> tuple[Format, tuple[Deviation, ...]]:
    """What of the planned options mkfs makes: the papers' one allocation group is two today."""
    words = tuple(_ONE_GROUP.sub(r"\1agcount=2", word) for word in form.mkfs_options)
    if form.file_system != "xfs" or words == form.mkfs_options:
        return form, ()
    changed = Deviation(
        key="mkfs.options",
        planned=shlex.join(form.mkfs_options),
        used=shlex.join(words),
        why="mkfs.xfs makes two allocation groups at least",
    )
    return form.model_copy(update={"mkfs_options": words}), (changed,)


def make_image(lab: str, path: Path, size_bytes: int, form: Format) -> None:
    """Make a file with a file system in it, whole or not at all; raises UserError if mkfs refuses."""
    partial = path.with_name(f"{path.name}.partial")
    with partial.open("wb") as file:
        file.truncate(size_bytes)
    program = f"mkfs.{form.file_system}"
    options = (*_FORCED[form.file_system], *form.mkfs_options)
    try:
        # Beside the image, a word of the plan that mkfs took for a file's name would find nothing else.
        run(lab, program, *options, partial.name, folder=path.parent)
    except HowdahError as error:
        partial.unlink()
        planned = shlex.join(form.mkfs_options)
        raise UserError(
            "mkfs.options", f"{program} refuses {planned!r}: {error.what}", "see its manual"
        ) from error
    partial.rename(path)
