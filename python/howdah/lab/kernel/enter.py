"""Entering a lab: command lines that run on a machine, and this process in the lab's network."""

from __future__ import annotations

import os
from collections.abc import Iterator
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

# Arguments: the file of names, the machine's name, the program. The last exec replaces the shell.
_INSIDE = 'mount --bind "$1" /etc/hosts && hostname "$2" && shift 2 && exec "$@"'

# Arguments: the network namespace, the name for the environment, the number of control groups, each group's
# file, then the arguments of _INSIDE. Every step replaces the one before, so the process keeps its id.
_OUTSIDE = f"""\
space=$1 lab=$2 groups=$3; shift 3
while [ "$groups" -gt 0 ]; do echo $$ > "$1" || exit 1; shift; groups=$((groups - 1)); done
export {registry.VARIABLE}="$lab"
exec nsenter --net="$space" unshare --uts --mount --propagation slave sh -c '{_INSIDE}' sh "$@"
"""


def entry(spec: LabSpec, machine: str, hosts: Path) -> tuple[str, ...]:
    """Return the prefix of a command line that runs on a machine: in its control group, network and name.

    ``hosts`` is its /etc/hosts. The program has the id of the started process. Raises KeyError for an unknown
    machine.
    """
    machine_spec = spec.machine(machine)
    group = machine_group(spec, machine_spec)
    return _entry(spec.name, network.space(spec, machine_spec), group, machine, hosts)


def client_entry(spec: LabSpec, hosts: Path) -> tuple[str, ...]:
    """Return the prefix of a command line that runs on the client, which no link or limit slows."""
    group = ControlGroup.of(spec.name, registry.CLIENT_GROUP)
    return _entry(spec.name, network.client_space(spec.name), group, registry.CLIENT, hosts)


def join_network(lab: str) -> None:
    """Move this process to the lab's client network, before any thread starts.

    Raises UserError if there is no such lab, or if this user is not allowed to.
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
    entrances = [str(path) for path in group.entrances]
    return (
        *("sh", "-c", _OUTSIDE, "sh", str(network.SPACES / space), lab, str(len(entrances)), *entrances),
        *(str(hosts), name),
    )


def client_prefix(state: LabState) -> tuple[str, ...]:
    """Return the prefix of a command line that runs on the client.

    Without root it only sets the file of the machines' names for Java.
    """
    if state.spec is not None:
        return client_entry(state.spec, state.hosts_file)
    options = " ".join(f'"{option}"' for option in name_options(state))
    return ("env", f"JDK_JAVA_OPTIONS={options}")


@contextmanager
def network_of(state: LabState) -> Iterator[None]:
    """Move the calling thread to the client's network, and back at the end.

    Without root a lab is in this machine's own network.
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
