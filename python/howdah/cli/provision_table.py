"""What provisioning would do, or did, as a table and as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from howdah.model.machines import Difference, Doing, ProvisionChange, Provisioning
from howdah.provision.differences import DATA_DISK

_STYLES = {Doing.MAKE: "green", Doing.CHANGE: "yellow", Doing.LEAVE: "dim", Doing.EXTRA: "cyan"}
_ALIKE = 4
"""As many groups or rules of one kind as are named one by one."""
_SHOWN = 8
"""As many differences of one thing as a table lists."""
_TOLD = ("vCPUs", "memory", "network card")
"""What says most of a machine that is not there yet."""


def provision_table(provisioning: Provisioning) -> RenderableType:
    """One line for everything that is to be made or changed, and how many are left as they are."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in ("to do", "what", "name", "host"):
        table.add_column(column, no_wrap=column != "name", overflow="fold")
    table.add_column("how")
    shown = [change for change in provisioning.changes if change.doing is not Doing.LEAVE]
    for what, alike in groupby(shown, key=_kind):
        changes = list(alike)
        if len(changes) > _ALIKE and what[1] != "machine" and changes[0].doing is Doing.MAKE:
            # They are made of what the machines' own lines say already.
            changes = [changes[0].model_copy(update={"name": f"{len(changes)} of them", "differences": ()})]
        for change in changes:
            table.add_row(
                Text(change.doing.value, style=_STYLES[change.doing]),
                change.what,
                Text(plain(change.name)),
                Text(change.host),
                Text("\n").join(_how(change)),
            )
    parts: list[RenderableType] = [table, Text()] if shown else []
    parts += [Text(plain(f"note    {note}")) for note in provisioning.notes]
    return Group(*parts, Text(f"in all  {counted(provisioning)}"))


def counted(provisioning: Provisioning) -> str:
    """``3 to make, 1 to change, 130 as planned``."""
    counts = Counter(change.doing for change in provisioning.changes)
    text = f"{counts[Doing.MAKE]} to make, {counts[Doing.CHANGE]} to change, {counts[Doing.LEAVE]} as planned"
    if counts[Doing.EXTRA]:
        text += f", {counts[Doing.EXTRA]} created by howdah but no longer planned, left alone"
    return text


def plain(text: str) -> str:
    """A text from elsewhere without what would move a terminal's cursor or change its colours."""
    return "".join(character if character.isprintable() else "?" for character in text)


def _kind(change: ProvisionChange) -> tuple[Doing, str]:
    return change.doing, change.what


def provision_data(provisioning: Provisioning) -> dict[str, object]:
    """The same for other programs."""
    return provisioning.model_dump(mode="json")


def _how(change: ProvisionChange) -> Iterator[Text]:
    if change.doing is Doing.MAKE:
        yield Text(_made(change.differences))
        return
    for one in change.differences[:_SHOWN]:
        yield Text(plain(f"{one.what}: {one.found or 'none'} → {one.planned or 'none'}"))
    if len(change.differences) > _SHOWN:
        yield Text(f"and {len(change.differences) - _SHOWN} more")
    if change.refused:
        yield Text(f"not changed: {change.refused}", style="bold red")
    elif change.restarts:
        yield Text("will be shut down for the change and started again", style="bold")


def _made(differences: tuple[Difference, ...]) -> str:
    planned = {one.what: one.planned for one in differences}
    words = [
        f"{planned[what]} {what if what == 'vCPUs' else ''}".strip() for what in _TOLD if what in planned
    ]
    if disks := sum(what.startswith(DATA_DISK) for what in planned):
        words.append(f"{disks} data disks" if disks > 1 else "1 data disk")
    if not words:
        words = [text for text in planned.values() if text]
    return " · ".join(words)
