"""A laboratory that is up, reached from within its own network."""

from __future__ import annotations

from howdah.errors import UserError
from howdah.installation import find_installation
from howdah.lab import registry
from howdah.lab.kernel.enter import client_prefix, join_network
from howdah.lab.state import LabState, read_state
from howdah.model.engine_names import HADOOP
from howdah.model.plan import Role
from howdah.services.conf import ClientConf
from howdah.services.namenode import NameNode
from howdah.session.cluster.reached import Reached, open_telemetry, open_web
from howdah.session.lab.members import LabMembers
from howdah.session.lab.telemetry import beneath, lab_telemetry, laboratory_of
from howdah.units import format_bytes, format_counted


def running_lab(name: str | None, *, elsewhere: bool = False) -> LabState | None:
    """The laboratory that can run Hadoop's programs, as ``whole_lab`` chooses it.

    Raises UserError as ``whole_lab`` does, and without YARN.
    """
    state = whole_lab(name, HADOOP, "--conf DIR", elsewhere=elsewhere)
    if state is not None and not any(Role.RESOURCEMANAGER in machine.roles for machine in state.machines):
        raise UserError(
            f'lab "{state.name}"',
            "has no YARN to run programs on, because its plan is for HBase only",
            "build one from a plan with --workload terasuite, or give --conf DIR",
        )
    return state


def whole_lab(name: str | None, engine: str, otherwise: str, *, elsewhere: bool = False) -> LabState | None:
    """The laboratory of that name, or of the default one; None where that is not up and none was named.

    One of another name may be another user's, and is used only if it is named. Raises UserError for a name
    that no laboratory has, if only others are up and no cluster is named ``elsewhere``, and for one that is
    half built; ``otherwise`` is what may be given instead.
    """
    chosen = registry.entry(name or registry.DEFAULT_NAME)
    if chosen is None:
        others = [entry.name for entry in registry.entries()]
        if name is not None:
            known = ", ".join(others)
            hint = f"one of {known}" if others else "no lab is up; build one: howdah lab up plan.yaml"
            raise UserError(f"--lab {name}", "no such lab is up", hint)
        if others and not elsewhere:
            raise UserError(
                f"--engine {engine}",
                f"no lab {registry.DEFAULT_NAME!r} is up, only {', '.join(others)}",
                f"give --lab {others[0]} to run there, or {otherwise}",
            )
        return None
    state = read_state(chosen.directory)
    if state is None or not state.complete:
        hint = f"run howdah lab up, or howdah lab down --name {chosen.name}, or give {otherwise}"
        raise UserError(f'lab "{chosen.name}"', "is not complete", hint)
    return state


def reach_lab(state: LabState) -> Reached:
    """Join a laboratory's network with the whole process, and ask it what it is.

    Called before any other thread starts: only there do its daemons answer, and threads that come
    later are there with the process.
    """
    if not state.rootless:
        join_network(state.name)
    conf = ClientConf.read(state.client_conf)
    names = dict(state.names)
    web = open_web(conf, names)
    telemetry = open_telemetry(conf, names)
    workers = [machine for machine in state.machines if machine.kind == "worker"]
    hosts = {machine.host for machine in workers}
    shared = beneath(state)
    free = format_bytes(NameNode(web, conf).capacity().free_bytes)
    return Reached(
        installation=find_installation(
            home=None if state.jars.fetched else state.jars.home,
            release=state.jars.version if state.jars.fetched else None,
        ),
        conf=conf,
        web=web,
        plan=state.plan,
        line=f"lab {state.name}: {format_counted(len(hosts), 'host')}, "
        f"{format_counted(len(workers), 'worker')} · Hadoop {state.jars.version} · {free} free",
        machine_of={
            called: machine.name for machine in state.machines for called in (machine.name, machine.address)
        },
        telemetry=telemetry,
        sources=(*lab_telemetry(state, conf, telemetry), *shared),
        state=state,
        follow=LabMembers(state, conf, telemetry, names),
        client_prefix=client_prefix(state),
        lab=laboratory_of(state, shared[0].machine),
    )
