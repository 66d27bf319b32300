"""Masters of a cluster that is changed: who can stay where it is stays."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from howdah.model.plan import Master


def keep_places(
    before: Sequence[Master], chosen: Sequence[Master], hosts: Collection[str]
) -> tuple[Master, ...]:
    """The masters as they were; one whose host is gone takes a place that was chosen and is not taken.

    ``chosen`` are those of a plan from nothing for the hosts that there are now.
    """
    taken = {master.host for master in before if master.host in hosts}
    free = iter([master for master in chosen if master.host not in taken])
    return tuple(_kept(before, free, hosts))


def _kept(before: Sequence[Master], free: Iterator[Master], hosts: Collection[str]) -> Iterator[Master]:
    for master in before:
        if master.host in hosts and master.shadow_host in (None, *hosts):
            yield master
            continue
        place = next(free, None)
        if place is None:
            # There is no other host for it, so that nothing can stay as it was.
            return
        yield place.model_copy(update={"name": master.name, "roles": master.roles})
