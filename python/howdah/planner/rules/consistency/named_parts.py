"""Lists of a user's own names, each of which has a key that says what it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading, entry_verdict
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.releases import default_of, hadoop

_CAPACITY = "yarn.scheduler.capacity."
_LABELS = re.compile(r"yarn\.scheduler\.capacity\.(?P<queue>.+)\.accessible-node-labels")
_SHARE = re.compile(
    r"yarn\.scheduler\.capacity\.(?P<queue>.+)\.accessible-node-labels\.(?P<label>[^.]+)\.(maximum-)?capacity"
)
_EXPRESSION = re.compile(r"yarn\.scheduler\.capacity\.(?P<queue>.+)\.default-node-label-expression")


class _Parts(NamedTuple):
    """A list, the key that each of its names needs, and what happens without it."""

    listed: str
    key: str
    wanted: str
    otherwise: str


_LISTS = (
    _Parts(
        "hadoop.security.group.mapping.providers",
        "hadoop.security.group.mapping.provider.{}",
        "the class of the mapping",
        "its groups are left out",
    ),
    _Parts(
        "yarn.log-aggregation.file-formats",
        "yarn.log-aggregation.file-controller.{}.class",
        "the class that writes the format",
        "NodeManagers do not start",
    ),
    _Parts(
        "yarn.nodemanager.health-checker.scripts",
        "yarn.nodemanager.health-checker.{}.path",
        "the path of the script",
        "it never runs",
    ),
)
_NODE_LABELS = "Hadoop 3.5.0: NodeLabel, Hadoop 3.5.0: CapacitySchedulerConfiguration"
rules = Rules()


@rules.inspection(
    "consistency.named-parts",
    MUST,
    sources="Hadoop 3.5.0: CompositeGroupsMapping, Hadoop 3.5.0: LogAggregationFileControllerFactory, "
    "Hadoop 3.5.0: NodeHealthScriptRunner",
    when="where such a list is set",
)
def _parts(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Every name of a list has the key that defines it."""
    for row in _LISTS:
        for name in filter(None, map(str.strip, (reading.text(row.listed) or "").split(","))):
            key = row.key.format(name)
            known = reading.text(key) or default_of(key, hadoop(facts.request.hadoop))
            yield Observation(
                ok=bool(known),
                about=key,
                found=known or f"not set, and {row.listed} has {name}",
                expected=f"{row.wanted}: else {row.otherwise}",
                fix=f"set {key} to {row.wanted}, or remove {name} from {row.listed} in "
                f"{reading.where(row.listed)}",
                where=reading.where(key) or reading.where(row.listed),
            )


@rules.inspection(
    "consistency.label-names", MUST, sources=_NODE_LABELS, when="where a queue has a share of a label's nodes"
)
def _labels(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Queues have shares of labels that are theirs."""
    for entry in reading.config.effective if reading.config else ():
        match = _SHARE.fullmatch(entry.name)
        listed = reading.text(f"{_CAPACITY}{match['queue']}.accessible-node-labels") if match else None
        if match is None or not listed or "*" in listed:
            continue
        labels = [label.strip() for label in listed.split(",")]
        near = {label.lower(): label for label in labels}.get(match["label"].lower())
        yield entry_verdict(
            entry,
            match["label"] in labels,
            found=f"a share of {match['label']}; the queue has {', '.join(labels)}",
            expected="labels that the queue has: names are compared with case, and applications that ask for "
            f"{near or labels[0]} get nothing",
            fix=f"write {near or labels[0]} for {match['label']} in {entry.place}, or add it to "
            f"{_CAPACITY}{match['queue']}.accessible-node-labels",
        )


@rules.inspection("consistency.label-shares", MUST, sources=_NODE_LABELS, when="where a queue uses a label")
def _shares(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Queues that use a label have a share of its nodes."""
    shares = {
        (match["queue"], match["label"]): entry
        for entry in (reading.config.effective if reading.config else ())
        if (match := _SHARE.fullmatch(entry.name)) and match[3] is None
    }
    for (queue, label), entry in shares.items():
        parent = queue.rpartition(".")[0]
        siblings = [
            reading.number(f"{_CAPACITY}{parent}.{name.strip()}.accessible-node-labels.{label}.capacity") or 0
            for name in (reading.text(f"{_CAPACITY}{parent}.queues") or "").split(",")
        ]
        if parent == "root" and round(sum(siblings)) == 100 and (reading.number(entry.name) or 0) > 0:
            key = f"{_CAPACITY}root.accessible-node-labels.{label}.capacity"
            yield Observation(
                ok=("root", label) in shares,
                about=key,
                found=reading.text(key) or f"not set, which is 0; {queue} has {entry.text} of it",
                expected="100, the share of the root queue: the ResourceManager does not start with 0 above "
                "queues that have a share",
                fix=f"set {key} to 100 in capacity-scheduler.xml",
                where=reading.where(key) or entry.place,
            )
            break
    for entry in reading.config.effective if reading.config else ():
        match = _EXPRESSION.fullmatch(entry.name)
        label = entry.text.strip()
        if match and label and not any(own == label for _, own in shares):
            yield entry_verdict(
                entry,
                False,
                found=f"{label}, of which no queue has a share",
                expected=f"a label with {_CAPACITY}{match['queue']}.accessible-node-labels.{label}.capacity: "
                "applications of the queue wait for ever",
                fix=f"set {_CAPACITY}{match['queue']}.accessible-node-labels.{label}.capacity, and that "
                f"of each "
                f"queue above it, in capacity-scheduler.xml, or remove {entry.name}",
            )
