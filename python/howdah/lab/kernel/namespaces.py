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
            try:
                enter_network(home)
            except OSError as error:
                raise RunFailed(state.name, f"cannot leave its network: {error.strerror}") from error
    finally:
        os.close(home)


_PATIENCE_S = 10.0


def find(lab: str) -> tuple[int, ...]:
    """Return the ids of a lab's processes."""
    spaces = set(_spaces(lab))
    grouped = set(ControlGroup.of(lab).processes())
    return tuple(pid for pid in processes.pids() if pid in grouped or _belongs(pid, lab, spaces))


def is_at_work(lab: str) -> bool:
    """Whether a lab has processes other than daemons: tasks, clients, shells, howdah itself."""
    return any(_is_no_daemon(pid) for pid in find(lab))


def leftover_processes(lab: str) -> tuple[Leftover, ...]:
    return tuple(Leftover("process", f"{pid} ({processes.command(pid)})") for pid in find(lab))


def kill(lab: str) -> tuple[Leftover, ...]:
    """Kill every process of a lab; return those that do not end within 10 s.

    Raises UserError if this process is one of them.
    """
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


def _spaces(lab: str) -> Iterator[tuple[int, int]]:
    for space in network.leftover_spaces(lab):
        with suppress(FileNotFoundError):
            status = (network.SPACES / space.name).stat()
            yield status.st_dev, status.st_ino


def _belongs(pid: int, lab: str, spaces: set[tuple[int, int]]) -> bool:
    try:
        status = (processes.PROC / str(pid) / "ns/net").stat()
        if (status.st_dev, status.st_ino) in spaces:
            return True
        return processes.environment(pid).get(registry.VARIABLE.encode()) == lab.encode()
    except OSError:
        return False  # It has ended, or is another user's.


def _is_no_daemon(pid: int) -> bool:
    try:
        return processes.DAEMON.encode() not in processes.environment(pid)
    except OSError:
        return False  # It has ended.


def users_of(directory: Path) -> tuple[str, ...]:
    """Return the processes that work in a directory or have a file open below it: ``4711 (bash)``."""
    return tuple(f"{pid} ({processes.command(pid)})" for pid in processes.pids() if _uses(pid, directory))


def _uses(pid: int, directory: Path) -> bool:
    process = processes.PROC / str(pid)
    try:
        links = [process / "cwd", process / "root", *(process / "fd").iterdir()]
        return any(_leads_into(link, directory) for link in links)
    except OSError:
        return False


def _leads_into(link: Path, directory: Path) -> bool:
    with suppress(OSError):
        return link.readlink().is_relative_to(directory)
    return False


def keepers_of(device: str) -> tuple[str, ...]:
    """Return a process of each other mount namespace that has a device (``7:3``) mounted."""
    result: dict[tuple[int, int], str] = {}
    own = _mounts_of(os.getpid())
    for pid in processes.pids():
        space = _mounts_of(pid)
        if space is not None and space != own and space not in result and _has_mounted(pid, device):
            result[space] = f"{pid} ({processes.command(pid)})"
    return tuple(result.values())


def _mounts_of(pid: int) -> tuple[int, int] | None:
    try:
        status = (processes.PROC / str(pid) / "ns/mnt").stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _has_mounted(pid: int, device: str) -> bool:
    try:
        return any(mount.device == device for mount in read_mounts(processes.PROC / str(pid) / "mountinfo"))
    except OSError:
        return False
