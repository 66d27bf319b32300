"""Kernel, distribution and Java, and what a user may have."""

from __future__ import annotations

import re
import shlex
from typing import Literal

from howdah.model.host import Software, UserLimits
from howdah.probe.inquiry import Inquiry
from howdah.probe.tree import FileTree


def read_software(tree: FileTree, inquiry: Inquiry) -> Software:
    """The versions that matter."""
    return Software(
        kernel=tree.text("proc/sys/kernel/osrelease", "kernel") or "unknown",
        distribution=_distribution(tree),
        java=_java(tree, inquiry),
        clock_synchronised=_clock_synchronised(tree, inquiry),
    )


def _distribution(tree: FileTree) -> str | None:
    for path in ("etc/os-release", "usr/lib/os-release"):
        for line in tree.lines(path):
            key, _, value = line.partition("=")
            if key == "PRETTY_NAME":
                return " ".join(shlex.split(value))
    tree.note("distribution", "/etc/os-release: lists none")
    return None


def _clock_synchronised(tree: FileTree, inquiry: Inquiry) -> bool | None:
    try:
        return inquiry.clock_synchronised()
    except OSError as error:
        tree.note("clock", f"adjtimex: {error.strerror}")
        return None


def _java(tree: FileTree, inquiry: Inquiry) -> str | None:
    """The first line ``java -version`` prints; None and no complaint if there is no Java."""
    try:
        answer = inquiry.command("java", "-version")
    except FileNotFoundError:
        return None
    except OSError as error:
        tree.note("java", f"java -version: {error.strerror}")
        return None
    # A line before the version repeats JAVA_TOOL_OPTIONS.
    lines = [line for line in answer.text.splitlines() if " version " in line]
    if answer.exit_code != 0 or not lines:
        tree.note("java", f"java -version: exit code {answer.exit_code} and no version")
        return None
    return lines[0].strip()


_Limit = int | Literal["unlimited"] | None


def read_limits(tree: FileTree) -> UserLimits:
    """The soft limits of this process, which are its user's unless someone changed them."""
    soft = dict(_soft_limits(tree))
    return UserLimits(
        open_files=soft.get("open files"),
        processes=soft.get("processes"),
        locked_memory_bytes=soft.get("locked memory"),
    )


def _soft_limits(tree: FileTree) -> list[tuple[str, _Limit]]:
    lines = tree.lines("proc/self/limits", "limits")
    match = [re.match(r"Max ([a-z -]+?)\s{2,}(\d+|unlimited)\s", line) for line in lines]
    return [
        (limit[1], "unlimited" if limit[2] == "unlimited" else int(limit[2]))
        for limit in match
        if limit is not None
    ]
