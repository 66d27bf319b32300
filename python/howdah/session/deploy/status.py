"""``howdah deploy --status``: what runs on each host, whether it is of use, what differs from the plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from howdah.deploy.ansible import Tell, check_ansible
from howdah.deploy.wrong import HostWrong, wrongs
from howdah.session.deploy.project import Target, project
from howdah.session.deploy.states import DeployAsked, DeployedHost, found_states, look_at
from howdah.session.deploy.upgrading import HdfsUpgrade, upgrade_under_way


class ClusterStatus(NamedTuple):
    """How a cluster's hosts are."""

    cluster: str
    states: Mapping[str, DeployedHost]
    """Every host that answered."""
    silent: tuple[HostWrong, ...]
    """Those that did not, or could not say how they are."""

    @property
    def upgrade(self) -> HdfsUpgrade | None:
        """An upgrade of HDFS that is not finalized; none of the cluster's daemons is the worse for it."""
        return upgrade_under_way(self.states)

    @property
    def well(self) -> bool:
        """Whether all is as planned, runs, and is of use."""
        return not self.silent and all(
            state.settled and not any(one["lacks"] for one in state.daemons) for state in self.states.values()
        )

    def for_programs(self) -> dict[str, object]:
        """The same as plain data."""
        return {
            "cluster": self.cluster,
            "well": self.well,
            "upgrade": self.upgrade._asdict() if self.upgrade else None,
            "hosts": {
                name: {"daemons": [dict(one) for one in state.daemons], "changes": list(state.changes)}
                for name, state in self.states.items()
            },
            "silent": [wrong._asdict() for wrong in self.silent],
        }


def status(target: Target, asked: DeployAsked, tell: Tell) -> ClusterStatus:
    """Ask every host; nothing is changed."""
    check_ansible()
    with project(target, asked.disks) as folder:
        looked = look_at(folder, asked, tell, howdah_ask=True)
    return ClusterStatus(target.name, dict(found_states(looked)), tuple(wrongs(looked.failures)))
