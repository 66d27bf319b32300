"""What came of a deployment, or why there was none."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from howdah.deploy.ansible import PlaybookRun
from howdah.deploy.wrong import HostWrong, wrongs
from howdah.session.deploy.project import Target
from howdah.session.deploy.states import DeployedHost


class Deployed(NamedTuple):
    """What came of a deployment."""

    cluster: str
    hosts: Mapping[str, tuple[str, ...]]
    """What was changed on each host, in order."""
    notes: Mapping[str, tuple[str, ...]]
    """What is to be known of hosts."""
    refused: tuple[HostWrong, ...]
    """What is wrong with hosts that were therefore not deployed to: nothing was changed on any."""
    failures: tuple[HostWrong, ...]
    """What failed on hosts while they were changed."""
    states: Mapping[str, DeployedHost]
    """How the hosts were found."""
    elapsed_s: float
    steps: tuple[str, ...] = ()
    """What is done to the cluster beside the hosts' own changes, in order."""

    @property
    def changed(self) -> int:
        """How much was changed in all."""
        return sum(map(len, self.hosts.values()))


Agree = Callable[[Deployed], None]
"""Shows what would be done and returns where it may be; raises otherwise, before any host is changed."""


def outcome(
    target: Target,
    done: PlaybookRun,
    states: Mapping[str, DeployedHost],
    begun: float,
    refused: Sequence[HostWrong] = (),
    *,
    steps: Sequence[str] = (),
) -> Deployed:
    """What was changed on each host, and what failed."""
    hosts: dict[str, list[str]] = {name: [] for name in target.systems}
    notes: dict[str, list[str]] = {}
    for answer in done.answers:
        hosts.setdefault(answer.host, []).extend(answer.result.get("changes") or ())
        if told := answer.result.get("notes"):
            notes.setdefault(answer.host, []).extend(told)
    return Deployed(
        cluster=target.name,
        hosts={name: tuple(changes) for name, changes in hosts.items()},
        notes={name: tuple(told) for name, told in notes.items()},
        refused=tuple(refused),
        failures=tuple(wrongs(done.failures)),
        states=states,
        elapsed_s=time.monotonic() - begun,
        steps=tuple(steps),
    )
