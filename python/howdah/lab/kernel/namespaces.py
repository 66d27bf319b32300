"""Processes in a lab's control groups and namespaces: entering these, those inside, and their end.

Processes on a machine are in both, and have the lab's name in their environment. howdah itself in the
client's network is in one of them, and so is a program that was building the lab when howdah was killed.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from howdah.errors import RunFailed, UserError
from howdah.lab import registry
from howdah.lab.hadoop.files import name_options
from howdah.lab.kernel import network, processes
from howdah.lab.kernel.cgroups import ControlGroup, machine_group
from howdah.lab.kernel.processes import read_mounts
from howdah.lab.registry import Leftover
from howdah.lab.state import LabSpec, LabState
from howdah.model.cluster import LAB_CLIENT
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
    own = spec.machine(machine)
    return _entry(spec.name, network.space(spec, own), machine_group(spec, own), machine, hosts)


def client_entry(spec: LabSpec, hosts: Path) -> tuple[str, ...]:
    """Return the prefix of a command line that runs on the client, which no link or limit slows."""
    group = ControlGroup.of(spec.name, registry.CLIENT_GROUP)
    return _entry(spec.name, network.client_space(spec.name), group, LAB_CLIENT, hosts)


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
    """Return the prefix of a command line on the client; without root it only names Java's file of hosts."""
    if state.spec is not None:
        return client_entry(state.spec, state.hosts_file)
    options = " ".join(f'"{option}"' for option in name_options(state))
    return ("env", f"JDK_JAVA_OPTIONS={options}")


@contextmanager
def network_of(state: LabState) -> Iterator[None]:
    """Move the calling thread to the client's network, and back at the end; without root it stays."""
    if state.rootless:
        yield
        return
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        join_network(state.name)
        try:
            yield
        finally:
            try:
                enter_network(home)
            except OSError as error:
                raise RunFailed(state.name, f"cannot leave its network: {error.strerror}") from error
    finally:
        os.close(home)


_PATIENCE_S = 10.0


def find(lab: str) -> tuple[int, ...]:
    """Return the ids of a lab's processes."""
    spaces = set()
    for space in network.leftover_spaces(lab):
        with suppress(FileNotFoundError):
            status = (network.SPACES / space.name).stat()
            spaces.add((status.st_dev, status.st_ino))
    grouped = set(ControlGroup.of(lab).processes())
    return tuple(pid for pid in processes.pids() if pid in grouped or _belongs(pid, lab, spaces))


def is_at_work(lab: str) -> bool:
    """Whether a lab has processes other than daemons: tasks, clients, shells, howdah itself."""
    for pid in find(lab):
        # It may have ended.
        with suppress(OSError):
            if processes.DAEMON.encode() not in processes.environment(pid):
                return True
    return False


def leftover_processes(lab: str) -> tuple[Leftover, ...]:
    return tuple(Leftover("process", f"{pid} ({processes.command(pid)})") for pid in find(lab))


def kill(lab: str) -> tuple[Leftover, ...]:
    """Kill a lab's processes; return those that remain after 10 s; raise UserError if this process is one."""
    end = time.monotonic() + _PATIENCE_S
    while pids := find(lab):
        if os.getpid() in pids:
            raise UserError(lab, "this command runs inside the lab", "leave the lab's shell first (exit)")
        if time.monotonic() > end:
            return tuple(process._replace(why="does not exit") for process in leftover_processes(lab))
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
    return ()


def _belongs(pid: int, lab: str, spaces: set[tuple[int, int]]) -> bool:
    with suppress(OSError):  # It may have ended, or be another user's.
        mark = registry.VARIABLE.encode()
        return _space(pid, "net") in spaces or processes.environment(pid).get(mark) == lab.encode()
    return False


def _space(pid: int, kind: str) -> tuple[int, int]:
    """Return the identity of a process's namespace; raises OSError if it has ended."""
    status = (processes.PROC / str(pid) / "ns" / kind).stat()
    return status.st_dev, status.st_ino


def users_of(directory: Path) -> tuple[str, ...]:
    """Return the processes that work in a directory or have a file open below it: ``4711 (bash)``."""
    return tuple(f"{pid} ({processes.command(pid)})" for pid in processes.pids() if _uses(pid, directory))


def _uses(pid: int, directory: Path) -> bool:
    process = processes.PROC / str(pid)
    with suppress(OSError):
        for link in [process / "cwd", process / "root", *(process / "fd").iterdir()]:
            # A file may have been closed.
            with suppress(OSError):
                if link.readlink().is_relative_to(directory):
                    return True
    return False


def keepers_of(device: str) -> tuple[str, ...]:
    """Return a process of each other mount namespace that has a device (``7:3``) mounted."""
    result: dict[tuple[int, int], str] = {}
    own = _space(os.getpid(), "mnt")
    for pid in processes.pids():
        # It may have ended.
        with suppress(OSError):
            space = _space(pid, "mnt")
            if space != own and space not in result:
                mounts = read_mounts(processes.PROC / str(pid) / "mountinfo")
                if any(mount.device == device for mount in mounts):
                    result[space] = f"{pid} ({processes.command(pid)})"
    return tuple(result.values())
