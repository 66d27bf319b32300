"""``howdah deploy``: look at all hosts, say what is wrong with any, change what differs, start in order."""

from __future__ import annotations

import getpass
import json
import os
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from howdah.deploy.ansible import (
    HostProblem,
    PlaybookRun,
    ReportStep,
    check_ansible,
    host_problems,
    mirror,
    run_playbook,
)
from howdah.errors import UserError
from howdah.hadoop.daemons import DAEMONS, EXCLUDES, INCLUDES, WORKERS
from howdah.model.hostname import is_hostname
from howdah.model.plan import Placement, Role, planned_text
from howdah.releases.values import read_positive
from howdah.session.deploy_order import (
    HdfsUpgrade,
    Way,
    check_downtime,
    downtime_for,
    steps,
    upgrade_under_way,
    way,
)
from howdah.session.deploy_project import (
    Agree,
    Deployed,
    DeployedHost,
    DeployOptions,
    Target,
    found_states,
    look_at,
    outcome,
    project,
    releases,
    secrets_of_hosts,
)
from howdah.units import listed

_WORKERS = tuple(DAEMONS[role].unit for role in WORKERS)
"""The units of a host that may be removed so; masters are moved by hand."""
_STOP = "stop "


def check_removal(target: Target, names: Sequence[str]) -> None:
    """Raise UserError for hosts that cannot be removed from this plan's cluster."""
    for name in names:
        flag = f"--remove {name}"
        if not is_hostname(name):
            raise UserError(flag, f"{name!r} is not a host name", "letters, digits, hyphens and dots")
        if name in target.systems:
            raise UserError(flag, f"{target.file} still lists it", "remove it from the plan first")
    remaining, replication = len(target.on(Role.DATANODE)), planned_text(target.plan, "dfs.replication")
    if names and remaining < (read_positive(replication) or 0):
        end = "so its decommission would never end"
        problem = f"leaves {remaining} DataNodes for {replication} replicas, {end}"
        hint = "add hosts first, or plan with less --replication"
        raise UserError(f"--remove {names[0]}", problem, hint)
    # Where hosts have upgrade domains, the list of members says who leaves too.
    domains = target.cluster.topology.placement is Placement.UPGRADE_DOMAINS
    lists = ("dfs.hosts",) if domains else ("dfs.hosts", "dfs.hosts.exclude")
    if names and not all(planned_text(target.plan, key) for key in lists):
        hint = f"plan with {listed(lists)}"
        raise UserError(target.file, "has no include and exclude lists of hosts", hint)


def remove_hosts(target: Target, options: DeployOptions, folder: Path, report: ReportStep) -> PlaybookRun:
    """Empty the hosts that leave and stop them; safe to repeat. Raises UserError for a master."""
    leaving = folder.parent / "leaving"
    shutil.copytree(folder, leaving)
    lists = {PurePosixPath(planned_text(target.plan, key)).name for key in (*INCLUDES, *EXCLUDES)}
    for path in (leaving / "manifests").glob("*.json"):
        manifest = json.loads(path.read_text())
        for entry in manifest["files"]:
            place = PurePosixPath(entry["path"])
            if place.name in lists and place.parent.name == "conf":
                # Hosts that leave are still members, and to be emptied.
                entry["content"] = with_leaving(entry["content"], options.remove)
        path.write_text(json.dumps(manifest))
    some = json.loads(next((leaving / "manifests").glob("*.json")).read_text())
    (leaving / "manifests/leaving.json").write_text(json.dumps(nothing_left(some)))
    with (leaving / "inventory.yaml").open("a") as inventory:
        inventory.write("    leaving:\n      hosts:\n")
        for name in options.remove:
            inventory.write(f"        {json.dumps(name)}: {{howdah_manifest: leaving}}\n")
    looked = run_playbook(leaving, "leave.yaml", options.login, report, check=True, limit=options.remove)
    if any(not failure.unreachable for failure in looked.failures):
        # Masters are not told that a host leaves which then could not be stopped.
        return looked
    for answer in looked.answers:
        stopped = [change for change in answer.result.get("changes") or () if change.startswith(_STOP)]
        if masters := [unit for unit in stopped if not unit.removeprefix(_STOP).startswith(_WORKERS)]:
            problem = f"it has a master ({masters[0].removeprefix(_STOP)})"
            raise UserError(f"--remove {answer.host}", problem, "move the master by hand first")
    variables = {"howdah_leaving": list(options.remove)}
    return run_playbook(leaving, "leave.yaml", options.login, report, variables=variables)


def with_leaving(content: str, names: Sequence[str]) -> str:
    """A list with the hosts that leave: names or, where hosts have upgrade domains, what is asked of each."""
    if not content.startswith("["):
        return content + "".join(f"{name}\n" for name in names)
    members = json.loads(content)
    pairs = [(name, port) for name in names for port in {member["port"] for member in members}]
    members += ({"hostName": name, "port": port, "adminState": "DECOMMISSIONED"} for name, port in pairs)
    return json.dumps(members, indent=1) + "\n"


def nothing_left(some: Mapping[str, object]) -> dict[str, object]:
    """The manifest of a host that is the cluster's no longer; its data disks are left as they are."""
    parts = ("trees", "users", "directories", "files", "daemons", "secrets")
    return {**some, **{key: [] for key in parts}, "disks": None}


def deploy(target: Target, options: DeployOptions, report: ReportStep, agree: Agree) -> Deployed:
    """Make the plan's hosts the planned cluster, once what differs is agreed to.

    Where anything is wrong with any host nothing is changed, and all of it is told. A host that fails later
    is among the failures, and the others are finished.
    """
    check_ansible()
    begun = time.monotonic()
    check_removal(target, options.remove)
    for host, devices in options.disks.items():
        if host not in target.systems:
            flag = f"--disks {host}={','.join(devices)}"
            hint = f"{next(iter(target.systems))} is one"
            raise UserError(flag, f"{target.file} lists no host {host}", hint)
    handed, wrong = secrets_of_hosts(target, options.secrets)
    if wrong:
        return outcome(target, PlaybookRun(), {}, begun, wrong)
    packed = releases(target)
    with project(target, options.disks, handed) as folder:
        report(f"inspecting {len(target.systems)} hosts")
        looked = look_at(folder, options, report)
        states = found_states(looked)
        if options.rollback and looked.failures:
            return outcome(target, PlaybookRun(), states, begun, tuple(host_problems(looked.failures)))
        back = _revision_before(states) if options.rollback else ""
        if back:
            looked = look_at(folder, options, report, howdah_rollback=back)
            states = found_states(looked)
        settled = not looked.failures and all(state.settled for state in states.values())
        # Served while hosts are looked at, so that they can tell whether they reach it.
        served = (
            mirror({tree.path.name: tree.path for tree in packed}) if not options.mirror else nullcontext()
        )
        with served as port:
            address = options.mirror or f":{port}"
            trees = {tree.name: tree.for_hosts() for tree in packed}
            variables: dict[str, object] = {"howdah_trees": trees, "howdah_mirror": address}
            if not settled:
                obstacles = _in_the_way(target, options, folder, looked, report, variables=variables)
                obstacles += _foreign(target, options, states)
                if obstacles:
                    return outcome(target, PlaybookRun(), states, begun, obstacles)
            # Asked for once all hosts are known to be well: who does not answer could say something else.
            chosen = Way.CHANGE if settled else way(target, options, states)
            downtime = None if settled else downtime_for(target, states)
            course = () if settled else steps(target, states, chosen, downtime)
            if downtime is not None and not options.only_look:
                check_downtime(target, options, chosen, downtime)
                chosen = Way.DOWNTIME
            if options.only_look or (settled and not options.remove):
                return outcome(target, PlaybookRun(), states, begun, steps=course)
            leave = tuple(f"empty {name}, then stop its daemons" for name in options.remove)
            agree(outcome(target, PlaybookRun(), states, begun, steps=(*leave, *course)))
            emptied = remove_hosts(target, options, folder, report) if options.remove else PlaybookRun()
            # One that is dead cannot be stopped, and need not be; what it held is elsewhere by now.
            if any(wrong.host not in options.remove or not wrong.unreachable for wrong in emptied.failures):
                return outcome(target, emptied, states, begun)
            variables["howdah_holders"] = [held for state in states.values() for held in state.holds]
            # Who deploys starts the first jobs, too: a home in HDFS, by the name that Hadoop's client has.
            user = os.environ.get("HADOOP_USER_NAME") or getpass.getuser()
            variables["howdah_homes"] = [user] if re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", user) else []
            variables |= {"howdah_rollback": back} if back else {}
            variables |= {"howdah_down": list(downtime.daemons)} if downtime else {}
            done = run_playbook(folder, chosen.value, options.login, report, variables=variables)
    done.answers[:0] = emptied.answers
    return outcome(target, done, states, begun, steps=course)


def _in_the_way(
    target: Target,
    options: DeployOptions,
    folder: Path,
    looked: PlaybookRun,
    report: ReportStep,
    *,
    variables: Mapping[str, object],
) -> list[HostProblem]:
    report("checking for obstacles")
    # Those that did not answer were asked once already, and would be waited for again.
    silent = [answer for answer in looked.failures if answer.unreachable]
    answered = {name for name, state in found_states(looked).items() if state.settled}
    answered |= {answer.host for answer in silent}
    seen = PlaybookRun()
    if asking := [name for name in target.systems if name not in answered]:
        seen = run_playbook(folder, "look.yaml", options.login, report, variables=variables, limit=asking)
    problems = [*host_problems(silent), *host_problems(seen.answers)]
    reported = {wrong.host for wrong in problems}
    return [*problems, *(wrong for wrong in host_problems(looked.failures) if wrong.host not in reported)]


def _foreign(
    target: Target, options: DeployOptions, states: Mapping[str, DeployedHost]
) -> Iterator[HostProblem]:
    running = [name for name, state in states.items() if state.revision]
    for name, state in states.items():
        for tree in state.trees:
            planned = next((release for release in state.planned if release.startswith("hbase-")), tree)
            if tree.startswith("hbase-") and planned != tree:
                fix = "howdah cannot upgrade HBase: plan for the running release, or follow HBase's guide"
                yield HostProblem(name, f"it runs {tree}, but the plan is for {planned}", fix)
        if options.add and running and not state.revision and name not in options.add:
            yield HostProblem(name, "it is new to the cluster", f"add it: --add {name}")
    for name in options.add:
        if name not in target.systems:
            yield HostProblem(name, f"it is not in {target.file}", "plan with it in the inventory first")


def _revision_before(states: Mapping[str, DeployedHost]) -> str:
    current = {state.revision for state in states.values()} - {""}
    before = {state.previous for state in states.values()} - {""}
    if len(current) > 1 and len(current & before) == 1:
        return next(iter(current & before))
    if len(current) == 1 and len(before) == 1:
        return next(iter(before))
    hint = "deploy the earlier plan instead"
    raise UserError("--rollback", "the hosts have no common earlier deployment to roll back to", hint)


class ClusterStatus(NamedTuple):
    """How a cluster's hosts are; ``silent`` ones did not, or could not report it."""

    cluster: str
    states: Mapping[str, DeployedHost]
    silent: tuple[HostProblem, ...]

    @property
    def upgrade(self) -> HdfsUpgrade | None:
        """An upgrade of HDFS that is not finalized; none of the cluster's daemons is the worse for it."""
        return upgrade_under_way(self.states)

    @property
    def well(self) -> bool:
        """Whether all is as planned, runs, and is of use."""
        lacking = (daemon["lacks"] for state in self.states.values() for daemon in state.daemons)
        return not (self.silent or any(lacking)) and all(state.settled for state in self.states.values())

    def for_programs(self) -> dict[str, object]:
        """The same as plain data."""
        return {
            "cluster": self.cluster,
            "well": self.well,
            "upgrade": self.upgrade._asdict() if self.upgrade else None,
            "hosts": {
                name: {"daemons": state.daemons, "changes": state.changes}
                for name, state in self.states.items()
            },
            "silent": [wrong._asdict() for wrong in self.silent],
        }


def status(target: Target, options: DeployOptions, report: ReportStep) -> ClusterStatus:
    """Ask every host; nothing is changed."""
    check_ansible()
    with project(target, options.disks) as folder:
        looked = look_at(folder, options, report, howdah_ask=True)
    return ClusterStatus(target.name, found_states(looked), tuple(host_problems(looked.failures)))
