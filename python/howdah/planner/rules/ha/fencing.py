"""How a NameNode that may still believe to be active is stopped, as a configuration that exists says it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.planner.rules.ha.services import SHARED, own_pairs

FENCING = "dfs.ha.fencing.methods"
_METHOD = re.compile(r"([A-Za-z0-9.$]+)(?:\((.+)\))?")
_OWN = ("sshfence", "shell", "powershell")
_NOTHING = re.compile(r"(/usr)?(/bin/)?true|exit 0|:")
"""Commands that succeed and do nothing."""
rules = Rules()


def methods(text: str) -> tuple[str, ...]:
    """The ways to fence, one in a line, in the order in which they are tried."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(line for line in lines if line)


def _given(reading: Reading) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """What each pair fences with: the key, the ways, and where its edits are shared."""
    seen: set[str] = set()
    for pair in own_pairs(reading):
        key = pair.key(reading, FENCING)
        text = reading.text(key)
        if text and "${" not in text and key not in seen:
            seen.add(key)
            yield key, methods(text), reading.text(pair.key(reading, SHARED)) or ""


def _known(method: str) -> bool:
    match = _METHOD.fullmatch(method)
    # A name with a dot is a class of anybody's.
    return match is not None and (match[1] in _OWN or "." in match[1])


@rules.inspection(
    "ha.fencing-form", MUST, sources="Hadoop 3.5.0: NodeFencer", when="a pair of NameNodes says how it fences"
)
def _readable(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Each way to fence has a line of its own, and is one that there is."""
    for key, ways, _ in _given(reading):
        wrong = [way for way in ways if not _known(way)]
        yield reading.verdict(
            key,
            not wrong,
            found="; ".join(wrong or ways),
            expected="sshfence or shell(…), each in a line of its own: a failover controller ends otherwise",
            fix=f"set {key} in {reading.where(key)} to sshfence, and in the next line shell(/bin/true)",
        )


@rules.inspection(
    "ha.fencing-lost-host",
    sources="Hadoop 3.5.0: SshFenceByTcpPort",
    when="edits are shared through JournalNodes",
)
def _last_way(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Failover goes on where the host of the active NameNode is lost, with all that sshfence asks."""
    for key, ways, shared in _given(reading):
        if not all(map(_known, ways)) or not shared.startswith("qjournal://"):
            continue
        yield reading.verdict(
            key,
            not all(way.startswith("sshfence") for way in ways),
            found="; ".join(ways),
            expected="a way that succeeds where the host itself is lost: until somebody comes, nothing is "
            "active otherwise, and JournalNodes let one NameNode write at a time in any case",
            fix=f"add shell(/bin/true) as the last line of {key} in {reading.where(key)}",
        )


def _does_nothing(method: str) -> bool:
    match = _METHOD.fullmatch(method)
    return (
        match is not None and match[1] == "shell" and _NOTHING.fullmatch((match[2] or "").strip()) is not None
    )


@rules.inspection(
    "ha.fencing-shared-disk",
    MUST,
    sources="Hadoop 3.5.0: HDFSHighAvailabilityWithNFS",
    when="edits are shared in a file system",
)
def _really(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Where nothing else keeps two NameNodes from writing, fencing does."""
    for key, ways, shared in _given(reading):
        if not shared or shared.startswith("qjournal://"):
            continue
        yield reading.verdict(
            key,
            not any(map(_does_nothing, ways)),
            found=f"{'; '.join(ways)}, and edits are shared in {shared}",
            expected="ways that stop the other NameNode: on a shared file system both write, and the "
            "namespace is lost",
            fix=f"let {key} in {reading.where(key)} cut the other one off, such as shell(…) with a command "
            f"to its power supply or to the filer, or share edits through JournalNodes ({SHARED})",
        )
