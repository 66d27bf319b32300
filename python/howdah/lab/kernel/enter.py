"""How a program, and this process too, come to run on a machine or in the network of a laboratory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from howdah.errors import RunFailed, UserError
from howdah.lab import registry
from howdah.lab.hadoop.files import name_options
from howdah.lab.kernel import network
from howdah.lab.kernel.cgroups import ControlGroup, machine_group
from howdah.lab.spec import LabSpec
from howdah.lab.state import LabState
from howdah.namespaces import enter_network

# Arguments: the file of names, the machine's name, the program. The last exec leaves nothing in between.
_INSIDE = 'mount --bind "$1" /etc/hosts && hostname "$2" && shift 2 && exec "$@"'

# Arguments: the network namespace, the name for the environment, how many control groups, each group's
# file, then what _INSIDE takes. Every step replaces the one before, so the process keeps its id.
_OUTSIDE = f"""\
space=$1 lab=$2 groups=$3; shift 3
while [ "$groups" -gt 0 ]; do echo $$ > "$1" || exit 1; shift; groups=$((groups - 1)); done
export {registry.VARIABLE}="$lab"
exec nsenter --net="$space" unshare --uts --mount --propagation slave sh -c '{_INSIDE}' sh "$@"
"""


def entry(spec: LabSpec, machine: str, hosts: Path) -> tuple[str, ...]:
    """The beginning of a command line that runs on a machine: in its control group, network and name.

    ``hosts`` is what /etc/hosts is there. The process keeps its id through to the program itself.
    Raises KeyError if there is no such machine.
    """
    machine_spec = spec.machine(machine)
    group = machine_group(spec, machine_spec)
    return _entry(spec.name, network.space(spec, machine_spec), group, machine, hosts)


def client_entry(spec: LabSpec, hosts: Path) -> tuple[str, ...]:
    """The beginning of a command line that runs where jobs are submitted, which no link or limit slows."""
    group = ControlGroup.of(spec.name, registry.CLIENT_GROUP)
    return _entry(spec.name, network.client_space(spec.name), group, registry.CLIENT, hosts)


def join_network(lab: str) -> None:
    """Move this process to the laboratory's client network, before any thread of it starts.

    Raises UserError if there is no such laboratory or this user may not.
    """
    path = network.SPACES / network.client_space(lab)
    try:
        space = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise UserError(lab, "no such lab is up", "howdah lab up") from error
    try:
        enter_network(space)
    except OSError as error:
        raise UserError(lab, f"its network cannot be entered: {error.strerror}", "run as root") from error
    finally:
        os.close(space)


def _entry(lab: str, space: str, group: ControlGroup, name: str, hosts: Path) -> tuple[str, ...]:
    entrances = _texts(group.entrances)
    return (
        *("sh", "-c", _OUTSIDE, "sh", str(network.SPACES / space), lab, str(len(entrances)), *entrances),
        *(str(hosts), name),
    )


def _texts(paths: Sequence[Path]) -> list[str]:
    return [str(path) for path in paths]


def client_prefix(state: LabState) -> tuple[str, ...]:
    """The beginning of a command line that runs where jobs are submitted.

    Without root that is here; Java is told of the file that has the machines' names.
    """
    if state.spec is not None:
        return client_entry(state.spec, state.hosts_file)
    options = " ".join(f'"{option}"' for option in name_options(state))
    return ("env", f"JDK_JAVA_OPTIONS={options}")


@contextmanager
def network_of(state: LabState) -> Iterator[None]:
    """Be in the network where jobs are submitted, and come back; only for the thread that calls it.

    Without root the laboratory is in this machine's own.
    """
    if state.rootless:
        yield
        return
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        join_network(state.name)
        try:
            yield
        finally:
            _leave(state.name, home)
    finally:
        os.close(home)


def _leave(lab: str, home: int) -> None:
    try:
        enter_network(home)
    except OSError as error:
        raise RunFailed(lab, f"cannot leave its network: {error.strerror}") from error
