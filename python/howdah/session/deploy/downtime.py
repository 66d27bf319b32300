"""Changes that a cluster cannot make while it runs: found before hosts are changed, and made in one stop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from howdah.errors import UserError
from howdah.hadoop.daemons import BY_NAME, DAEMONS
from howdah.hadoop.downtime import Unrollable, stopped_for, unrollable
from howdah.model.plan import Role
from howdah.releases import default_of, hadoop, hbase
from howdah.session.deploy.project import Target
from howdah.session.deploy.states import DeployedHost, DeployOptions
from howdah.session.deploy.upgrading import Way

_SHOWN = 60
"""As many characters of a value as a line shows."""


class UnrollableChange(NamedTuple):
    """A setting that running daemons have another value of, which they cannot change a few at a time."""

    key: str
    before: str
    after: str
    why: Unrollable
    roles: tuple[Role, ...]
    """The daemons that run with the former value."""

    def text(self) -> str:
        """The change and why it cannot roll, as a line."""
        return f"{self.key}: {_short(self.before)} to {_short(self.after)}: {self.why.reason}"


class Downtime(NamedTuple):
    """What is stopped and started so that such changes can be made."""

    changes: tuple[UnrollableChange, ...]
    daemons: tuple[str, ...]
    """The daemons by their names, in the order of starting."""

    def steps(self) -> Iterator[str]:
        """What is done, in words."""
        for change in self.changes:
            yield f"needs --downtime: {change.text()}"
        yield f"stop every {', '.join(reversed(self.daemons))}"
        yield f"start every {', '.join(self.daemons)}"


def downtime_for(target: Target, states: Mapping[str, DeployedHost]) -> Downtime | None:
    """What has to be stopped for what a plan changes of daemons that run; None where nothing has to be."""
    found: dict[str, UnrollableChange] = {}
    releases = hadoop(target.cluster.request.hadoop), hbase(target.cluster.request.hbase)
    for state in states.values():
        for daemon in state.daemons:
            for setting in daemon.get("settings") or ():
                key = str(setting["key"])
                before, after = (
                    str(setting[part]) or default_of(key, *releases) or "" for part in ("running", "planned")
                )
                why = unrollable(key, before, after) if before != after else None
                if why is None:
                    continue
                role = BY_NAME[daemon["name"]]
                known = found.setdefault(key, UnrollableChange(key, before, after, why, ()))
                if role not in known.roles:
                    found[key] = known._replace(roles=(*known.roles, role))
    if not found:
        return None
    stopped = stopped_for(role for change in found.values() for role in change.roles)
    names = (kind.name for role, kind in DAEMONS.items() if role in stopped and target.on(role))
    return Downtime(tuple(found[key] for key in sorted(found)), tuple(names))


def check_downtime(target: Target, options: DeployOptions, way: Way, downtime: Downtime) -> None:
    """Raise UserError unless these changes may be made now."""
    listed = "".join(f"\n  {change.text()}" for change in downtime.changes)
    if moved := [change.key for change in downtime.changes if change.why.moves_data]:
        raise UserError(
            target.file,
            f"moves the data directories of running daemons:{listed}",
            f"stop them (--stop), move their data to the new {moved[0]}, then deploy",
        )
    if way is not Way.CHANGE:
        raise UserError(
            target.file,
            f"changes the release and values that cannot change while daemons run:{listed}",
            "change the release and the values in separate deployments",
        )
    if not options.downtime:
        raise UserError(
            target.file,
            f"changes values that cannot change while the cluster runs:{listed}",
            f"give --downtime to stop and start every {', '.join(downtime.daemons)} for it",
        )


def _short(value: str) -> str:
    if not value:
        return "nothing"
    return value if len(value) <= _SHOWN else f"{value[: _SHOWN - 1]}…"
