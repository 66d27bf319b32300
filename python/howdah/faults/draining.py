"""Workers of a lab that are drained: excluded by the masters while their daemons run, and members again."""

from __future__ import annotations

from collections.abc import Collection

from howdah.errors import RunFailed
from howdah.lab.resizing import begin_leaving
from howdah.lab.state import LabState, read_state
from howdah.render.cluster import render


def change_leaving(state: LabState, names: Collection[str], *, leaving: bool) -> None:
    """Have the masters drain these workers, or take them back; the lab's lock is held.

    Raises RunFailed if the lab is gone or a daemon refuses.
    """
    # Hosts may have joined or left since the run began.
    now = read_state(state.directory)
    if now is None:
        raise RunFailed(f'lab "{state.name}"', "is not up any more")
    others = [name for name in now.leaving if name not in names]
    changed = now.model_copy(update={"leaving": (*others, *names) if leaving else tuple(others)})
    begin_leaving(changed, render(changed.plan, leaving=changed.leaving))
