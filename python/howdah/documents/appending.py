"""Groups added to an inventory's text, which keeps its comments, its order and its quotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import StringIO
from typing import Any

from ruamel.yaml import YAML

from howdah.documents.fault import Keys
from howdah.documents.files import write_inventory
from howdah.documents.grouping import Addition
from howdah.model.inventory import Inventory

_INDENTED = re.compile(r"^groups:.*\n(?:\s*(?:#.*)?\n)*( *)- ", re.MULTILINE)


def new_text(additions: Sequence[Addition], cluster: str = "cluster") -> str:
    """An inventory of these groups alone, of a cluster of that name."""
    comments: dict[Keys, str] = {
        ("groups", index, *path): text
        for index, addition in enumerate(additions)
        for path, text in addition.asked.items()
    }
    inventory = Inventory(cluster=cluster, groups=tuple(addition.group for addition in additions))
    return write_inventory(inventory, comments)


def extended_text(text: str, additions: Sequence[Addition]) -> str:
    """An inventory's text with these groups added, and those it has already extended."""
    match = _INDENTED.search(text)
    offset = len(match[1]) if match else 2
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096  # No line is wrapped that was not.
    yaml.indent(mapping=2, sequence=offset + 2, offset=offset)
    document = yaml.load(text)
    groups = document["groups"]
    for addition in additions:
        if addition.known:
            _extend(next(group for group in groups if group["name"] == addition.group.name), addition)
    if fresh := [addition for addition in additions if not addition.known]:
        for outer in (document, groups):
            outer.fa.set_block_style()  # Between brackets there is no room for comments.
        groups.extend(yaml.load(new_text(fresh))["groups"])
    stream = StringIO()
    yaml.dump(document, stream)
    return stream.getvalue()


def _extend(group: Any, addition: Addition) -> None:
    group["count"] = addition.group.count
    group["hosts"][:] = list(addition.group.hosts)
