"""Where the bytes went, as a table: on one machine by its devices, on a cluster layer by layer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from howdah.analysis.evidence import ByteAccount, ByteExplanation, ByteSide, Evidence, LayerAccount
from howdah.report.document import Table
from howdah.report.words import signed_bytes

SURE = {"measured": "measured", "likely": "likely", "guess": "a guess"}
SIMULATED = "simulated"
"""How sure a simulated run's own numbers are: what would be measured of a real one."""

WORTH_TELLING = 0.005
"""Parts of a layer's difference smaller than this share of its bytes are in the sum alone."""


class Accounts(NamedTuple):
    """The table, what its columns are, and the known parts of its differences one by one."""

    table: Table | None
    about: str
    explanations: tuple[str, ...]


def accounts(evidence: Evidence) -> Accounts:
    """The layers' accounts where jobs told of them, else the devices'."""
    if not evidence.flows:
        return _devices(evidence)
    rows, said = [], []
    for flow in evidence.flows:
        for layer in flow.layers:
            name = f"{flow.workload}, {layer.layer} {layer.direction}"
            rows.append((name, *(signed_bytes(volume) for volume in _volumes(layer))))
            said += [_explained(name, part) for part in _telling(layer)]
    columns = ("account", "theory", "counted", "remainder", "explained", "unexplained")
    about = (
        "Every layer from the disks read to the disks written: what it counted itself, compared with what "
        "the rows, their replicas and the compression ratio require."
    )
    return Accounts(Table(columns, tuple(rows)), about, tuple(said))


def _volumes(layer: LayerAccount) -> tuple[float, ...]:
    explained = sum(part.bytes for part in layer.explained)
    return (layer.theory, layer.counted, layer.remainder, explained, layer.unexplained)


def _telling(layer: LayerAccount) -> Iterator[ByteExplanation]:
    least = WORTH_TELLING * max(layer.theory, layer.counted)
    yield from (part for part in layer.explained if abs(part.bytes) > least)


def _devices(evidence: Evidence) -> Accounts:
    """One row for each direction in which a workload moved anything, or should have."""
    sides = [
        (account, verb, side)
        for account in evidence.accounts
        for verb, side in (("reads", account.read), ("writes", account.write))
    ]
    rows = tuple(
        _row(account, verb, side) for account, verb, side in sides if side.should or side.said or side.devices
    )
    columns = ("account", "should", "reported", "devices", "remainder", "unexplained")
    about = (
        "What each workload should move, what it reports, what the data disks counted meanwhile, and "
        "the difference between the last two."
    )
    said = [
        _explained(f"{account.workload} {verb}", part)
        for account, verb, side in sides
        for part in side.explained
    ]
    return Accounts(Table(columns, rows) if rows else None, about, tuple(said))


def _row(account: ByteAccount, verb: str, side: ByteSide) -> tuple[str, ...]:
    volumes = (side.should, side.said, side.devices, side.remainder, side.unexplained)
    return (f"{account.workload} {verb}", *(signed_bytes(volume) for volume in volumes))


def _explained(name: str, part: ByteExplanation) -> str:
    return f"{name}: {signed_bytes(part.bytes)} {part.what} ({SURE[part.sure]})."
