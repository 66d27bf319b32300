"""``howdah deploy --stop`` and ``--start``: all daemons, in order, as they are configured."""

from __future__ import annotations

import time

from howdah.deploy.ansible import Tell, check_ansible, run_playbook
from howdah.session.deploy.outcome import Deployed, outcome
from howdah.session.deploy.project import Target, project
from howdah.session.deploy.states import DeployAsked


def switch(target: Target, asked: DeployAsked, tell: Tell, playbook: str) -> Deployed:
    """Run ``stop`` or ``start``; a host that fails is among the failures."""
    check_ansible()
    begun = time.monotonic()
    with project(target, asked.disks) as folder:
        done = run_playbook(folder, f"{playbook}.yaml", asked.login, tell)
    return outcome(target, done, {}, begun)
