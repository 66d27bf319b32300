"""What a user may have: /proc/self/limits."""

from __future__ import annotations

import re
from typing import Literal

from howdah.model.host import UserLimits
from howdah.probe.tree import Tree

_Limit = int | Literal["unlimited"] | None


def read_limits(tree: Tree) -> UserLimits:
    """The soft limits of this process, which are its user's unless someone changed them."""
    soft = dict(_soft_limits(tree))
    return UserLimits(
        open_files=soft.get("open files"),
        processes=soft.get("processes"),
        locked_memory_bytes=soft.get("locked memory"),
    )


def _soft_limits(tree: Tree) -> list[tuple[str, _Limit]]:
    lines = tree.lines("proc/self/limits", "limits")
    found = [re.match(r"Max ([a-z -]+?)\s{2,}(\d+|unlimited)\s", line) for line in lines]
    return [
        (one[1], "unlimited" if one[2] == "unlimited" else int(one[2])) for one in found if one is not None
    ]
