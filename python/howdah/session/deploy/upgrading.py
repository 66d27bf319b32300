"""Which way a cluster goes to the release that is wanted: changed in place, upgraded, or back."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from howdah.deploy.ansible import PlaybookRun, ReportStep, check_ansible, host_problems, run_playbook
from howdah.errors import UserError
from howdah.model.plan import Role
from howdah.session.deploy.project import Target, project
from howdah.session.deploy.states import (
    Agree,
    Deployed,
    DeployedHost,
    DeployOptions,
    found_states,
    look_at,
    outcome,
)

_NAMENODE = "namenode"


class Way(StrEnum):
    """How hosts become what is planned, by the playbook that does it."""

    CHANGE = "site.yaml"
    UPGRADE = "upgrade.yaml"
    BACK = "downgrade.yaml"
    DOWNTIME = "downtime.yaml"


class HdfsUpgrade(NamedTuple):
    """A rolling upgrade of HDFS that is under way: it can be finalized, or gone back from."""

    began_s: float | None
    """When it was prepared, in seconds since 1970; None where no NameNode answers."""
    image: bool
    """Whether the image to go back to is written."""
    origin: str
    """The release that it began from; empty before the first NameNode was told to be upgraded."""


def upgrade_under_way(states: Mapping[str, DeployedHost]) -> HdfsUpgrade | None:
    """What the NameNode that leads says of an upgrade, or another one where none leads."""
    masters = sorted(states.values(), key=lambda state: not _leads(state))
    active = [state for state in masters if state.namenode and state.namenode["active"] == "active"]
    upgrades = [state.upgrade for state in active if _leads(state)] or [state.upgrade for state in active]
    upgrade = next((upgrade for upgrade in upgrades if upgrade), None)
    origin = next((state.upgraded_from for state in masters if state.upgraded_from), "")
    if upgrade:
        return HdfsUpgrade(upgrade["startTime"] / 1000, bool(upgrade["createdRollbackImages"]), origin)
    return HdfsUpgrade(None, False, origin) if origin and not upgrades else None


def way(target: Target, options: DeployOptions, states: Mapping[str, DeployedHost]) -> Way:
    """How the hosts get to the release that is wanted; raises UserError where there is no way to it."""
    wanted = next((_hadoop(state.wanted) for state in states.values() if _hadoop(state.wanted)), "")
    # Workers may have been away while the others were upgraded: they follow.
    applied = {_hadoop(state.trees) for state in states.values() if state.namenode} - {""}
    under_way = upgrade_under_way(states)
    if not applied or (under_way is None and applied == {wanted}):
        return Way.CHANGE
    newest = max(applied, key=_number)
    chosen = _started(wanted, newest) if under_way is None else _continued(wanted, applied, under_way.origin)
    if chosen is not Way.CHANGE and len(target.on(Role.NAMENODE)) < 2 and not options.downtime:
        raise UserError(
            target.file,
            f"has only one NameNode: HDFS stops while it restarts with {wanted}",
            "give --downtime to accept that, or plan two with --protect-masters ha",
        )
    return chosen


def _started(wanted: str, runs: str) -> Way:
    """The way from what runs while no upgrade is under way: to newer releases only."""
    if _number(wanted) > _number(runs):
        return Way.UPGRADE
    raise UserError(
        wanted,
        f"is older than HDFS's release ({runs}), and no upgrade that could be rolled back is under way",
        f"plan with --hadoop {runs.removeprefix('hadoop-')}, or a newer one",
    )


def _continued(wanted: str, applied: set[str], origin: str) -> Way:
    """The way while an upgrade is under way: on to its end, or back to where it began."""
    newest = max(applied, key=_number)
    if wanted == (origin or newest):
        return Way.BACK if origin else Way.CHANGE
    if wanted in applied or (applied == {origin or newest} and _number(wanted) > _number(newest)):
        return Way.UPGRADE
    raise UserError(
        wanted,
        f"is not part of HDFS's upgrade from {origin} to {newest}",
        "end that upgrade first: --finalize, or --rollback and then --finalize",
    )


def _leads(state: DeployedHost) -> bool:
    return bool(state.namenode and state.namenode.get("leads"))


def _hadoop(trees: tuple[str, ...]) -> str:
    return next((tree for tree in trees if tree.startswith("hadoop-")), "")


def _number(tree: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", tree)))


def finalize(target: Target, options: DeployOptions, tell: ReportStep, agree: Agree) -> Deployed:
    """End HDFS's upgrade once that is agreed to.

    Raises UserError where hosts are not all on the release that stays.
    """
    check_ansible()
    begun = time.monotonic()
    with project(target, options.disks) as folder:
        tell(f"inspecting {len(target.systems)} hosts")
        looked = look_at(folder, options, tell)
        states = dict(found_states(looked))
        if looked.failures:
            return outcome(target, PlaybookRun(), states, begun, tuple(host_problems(looked.failures)))
        if differing := [state.host for state in states.values() if not state.settled]:
            raise UserError(
                "--finalize",
                f"{differing[0]} differs from {target.file}, or not all of its daemons run",
                f"howdah deploy {target.file} first; --diff shows what differs",
            )
        left = any(state.upgraded_from for state in states.values())
        upgrade = upgrade_under_way(states)
        if upgrade is None and not left:
            return outcome(target, PlaybookRun(), states, begun)
        origin = (upgrade.origin if upgrade else "") or "the release before"
        end = f"finalize HDFS's upgrade from {origin}; it cannot be rolled back afterwards"
        agree(outcome(target, PlaybookRun(), states, begun, steps=(end,)))
        done = run_playbook(folder, "finalize.yaml", options.login, tell)
    return outcome(target, done, states, begun)
