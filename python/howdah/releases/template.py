"""Names with parts of a user's own in brackets: ``dfs.ha.namenodes.<nameservice>``.

``<part>`` stands for one part between dots and ``<part...>`` for one or more, as in
``yarn.scheduler.capacity.<queue-path...>.queues``; a template holds at most one of the latter.
"""

from __future__ import annotations


def fill(template: str, name: str) -> str | None:
    """The template with what a name has where the brackets are, which is the name if it is the template's.

    None if the name has too few parts or too many.
    """
    # With its dots gone, a bracket for several parts is one part of the template.
    parts, own = template.replace("...>", ">>").split("."), name.split(".")
    several = next((i for i, part in enumerate(parts) if part.endswith(">>")), None)
    if several is not None and len(own) >= len(parts):
        parts[several : several + 1] = ["<>"] * (len(own) - len(parts) + 1)
    if len(parts) != len(own) or "" in own:
        return None
    return ".".join(mine if part.startswith("<") else part for part, mine in zip(parts, own, strict=True))
