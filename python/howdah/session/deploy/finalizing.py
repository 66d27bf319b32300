"""``howdah deploy --finalize``: HDFS's upgrade is ended, after which there is no way back."""

from __future__ import annotations

import time

from howdah.deploy.ansible import PlaybookRun, Tell, check_ansible, run_playbook
from howdah.deploy.wrong import wrongs
from howdah.errors import UserError
from howdah.session.deploy.outcome import Agree, Deployed, outcome
from howdah.session.deploy.project import Target, project
from howdah.session.deploy.states import DeployAsked, found_states, look_at
from howdah.session.deploy.upgrading import upgrade_under_way


def finalize(target: Target, asked: DeployAsked, tell: Tell, agree: Agree) -> Deployed:
    """End HDFS's upgrade once that is agreed to.

    Raises UserError where hosts are not all on the release that stays.
    """
    check_ansible()
    begun = time.monotonic()
    with project(target, asked.disks) as folder:
        tell(f"inspecting {len(target.systems)} hosts")
        looked = look_at(folder, asked, tell)
        states = dict(found_states(looked))
        if looked.failures:
            return outcome(target, PlaybookRun(), states, begun, tuple(wrongs(looked.failures)))
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
        done = run_playbook(folder, "finalize.yaml", asked.login, tell)
    return outcome(target, done, states, begun)
