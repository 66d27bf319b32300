"""The commands of a rendered README.md, in its order, with the hosts it gives them to."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Step(NamedTuple):
    """A command line as an administrator would type it, and where."""

    hosts: tuple[str, ...]
    words: tuple[str, ...]


def steps(readme: str, heading: str, hosts: Sequence[str]) -> Iterator[Step]:
    """The commands below a heading, each on the hosts of the last ``# on …`` before it, chains apart."""
    (section,) = re.findall(rf"^### \d+\. {re.escape(heading)}\n(.*?)(?=^##|\Z)", readme, re.M | re.S)
    on: tuple[str, ...] = ()
    for line in re.findall(r"^    (.+)$", section, re.M):
        if line.startswith("# on "):
            named = re.findall(r"[\w.-]+", line)
            on = tuple(host for host in hosts if host in named)
        else:
            for command in line.split("&&"):
                yield Step(on, tuple(shlex.split(command, comments=True)))
