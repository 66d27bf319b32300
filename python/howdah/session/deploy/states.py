"""What is asked for, and how hosts are found: what each is, and what of it differs from what it is to be."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from howdah.deploy.ansible import (
    HostAnswer,
    HostProblem,
    PlaybookRun,
    ReportStep,
    SshLogin,
    host_problems,
    run_playbook,
)
from howdah.session.deploy.project import Target

_APPLY = "Apply the manifest"


class DeployOptions(NamedTuple):
    """What is asked for, beside the plan."""

    login: SshLogin = SshLogin()
    mirror: str = ""
    """Where hosts fetch releases from; from here if left out."""
    disks: Mapping[str, Sequence[str]] = {}
    """Data disks of hosts that have more empty ones than planned."""
    secrets: Path | None = None
    """The folder with what only the administrator has: keytabs, key stores."""
    add: Sequence[str] = ()
    """Hosts that are expected to be new to a cluster that is there."""
    remove: Sequence[str] = ()
    """Hosts that the plan has no longer, to be emptied first."""
    only_look: bool = False
    """Whether to change nothing."""
    diff: bool = False
    """Whether differences are wanted line by line."""
    rollback: bool = False
    """Whether to go back to what was in force before."""
    downtime: bool = False
    """Whether daemons may be stopped together for what cannot roll, or for an upgrade with one NameNode."""


class DeployedHost(NamedTuple):
    """What a host is, and what of it differs from what it is to be."""

    host: str
    changes: tuple[str, ...]
    """What would be done to it."""
    daemons: tuple[Mapping[str, Any], ...]
    """Its daemons: whether each runs, and on what is configured now."""
    revision: str
    """What was applied last; empty where nothing was."""
    previous: str
    """What was in force before that."""
    cluster: str
    """The cluster that it belongs to; empty if to none."""
    trees: tuple[str, ...]
    """The releases that were applied last."""
    wanted: tuple[str, ...]
    """The releases that it is to run."""
    upgrade: Mapping[str, Any] | None
    """What its NameNode, if it has one, says of an upgrade of HDFS that is under way; None if of none."""
    upgraded_from: str
    """The release that its NameNode is being upgraded from; empty if it is not."""
    holds: tuple[str, ...]
    """Where it holds what must never be formatted over."""
    diffs: tuple[Mapping[str, str], ...]

    @property
    def settled(self) -> bool:
        """Whether nothing is to be done."""
        return not self.changes and all(one["active"] == "active" and one["fresh"] for one in self.daemons)

    @property
    def namenode(self) -> Mapping[str, Any] | None:
        """Its NameNode among its daemons; None if it has none."""
        return next((one for one in self.daemons if one["name"] == "namenode"), None)

    @property
    def to_start(self) -> tuple[str, ...]:
        """The daemons that do not run."""
        return tuple(one["name"] for one in self.daemons if one["active"] != "active")

    @property
    def to_restart(self) -> tuple[str, ...]:
        """The daemons that run on what was configured before."""
        return tuple(one["name"] for one in self.daemons if one["active"] == "active" and not one["fresh"])


def look_at(folder: Path, options: DeployOptions, tell: ReportStep, **variables: object) -> PlaybookRun:
    """Ask all hosts what would be done to them."""
    return run_playbook(
        folder, "apply.yaml", options.login, tell, variables=variables, check=True, diff=options.diff
    )


def found_states(looked: PlaybookRun) -> Iterator[tuple[str, DeployedHost]]:
    """The state of every host that told it."""
    for host, answer in looked.of(_APPLY).items():
        if not answer.unreachable and "revision" in answer.result:
            yield host, _state(answer)


def _state(answer: HostAnswer) -> DeployedHost:
    result = answer.result
    return DeployedHost(
        host=answer.host,
        changes=tuple(result.get("changes") or ()),
        daemons=tuple(result.get("daemons") or ()),
        revision=str(result.get("revision") or ""),
        previous=str(result.get("previous") or ""),
        cluster=str(result.get("cluster") or ""),
        trees=tuple(result.get("trees") or ()),
        wanted=tuple(result.get("wanted") or ()),
        upgrade=result.get("upgrade"),
        upgraded_from=str(result.get("upgraded_from") or ""),
        holds=tuple(result.get("holds") or ()),
        diffs=tuple(result.get("diff") or ()),
    )


class Deployed(NamedTuple):
    """What came of a deployment."""

    cluster: str
    hosts: Mapping[str, tuple[str, ...]]
    """What was changed on each host, in order."""
    notes: Mapping[str, tuple[str, ...]]
    """What is to be known of hosts."""
    refused: tuple[HostProblem, ...]
    """What is wrong with hosts that were therefore not deployed to: nothing was changed on any."""
    failures: tuple[HostProblem, ...]
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
    refused: Sequence[HostProblem] = (),
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
        failures=tuple(host_problems(done.failures)),
        states=states,
        elapsed_s=time.monotonic() - begun,
        steps=tuple(steps),
    )
