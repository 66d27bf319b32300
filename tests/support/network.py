"""A small network on one machine: hosts with addresses and names of their own, apart from the machine's."""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from ctypes import CDLL
from pathlib import Path
from types import TracebackType
from typing import Self

_NUMBERS = itertools.count(1)
"""A process may have several at a time."""

_CLONE_NEWNET = 0x40000000
_ENTER = 'mount --bind "$1" /etc/hosts && hostname "$2" && shift 2 && exec "$@"'


class Network:
    """Network namespaces joined by a bridge in the first of them; needs root, leaves nothing behind."""

    def __init__(self, hosts: Sequence[str], folder: Path) -> None:
        self.addresses = {host: f"10.77.0.{number}" for number, host in enumerate(hosts, start=1)}
        self._prefix = f"howdah-{os.getpid()}-{next(_NUMBERS)}"
        self._made: list[str] = []
        self._names = folder / "hosts"
        lines = (f"{address} {host}\n" for host, address in self.addresses.items())
        self._names.write_text("127.0.0.1 localhost\n" + "".join(lines))

    def inside(self, host: str) -> list[str]:
        """The beginning of a command line that runs on a host."""
        space = ["ip", "netns", "exec", self._space(host), "unshare", "--uts"]
        return [*space, "sh", "-c", _ENTER, "sh", str(self._names), host]

    def thread(self, host: str) -> ThreadPoolExecutor:
        """A thread of this process that is in a host's network."""
        space = Path("/var/run/netns") / self._space(host)
        return ThreadPoolExecutor(1, initializer=_enter, initargs=(space,))

    def processes(self) -> Iterator[Path]:
        """The directories in /proc of processes on these hosts, not on those of other tests."""
        spaces = {(Path("/var/run/netns") / self._space(host)).stat().st_ino for host in self.addresses}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if (process / "ns/net").stat().st_ino in spaces:
                    yield process
            except OSError:
                continue  # It has ended.

    def _space(self, host: str) -> str:
        return f"{self._prefix}-{host}"

    def __enter__(self) -> Self:
        try:
            self._build()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()

    def _build(self) -> None:
        first, *others = self.addresses
        for host in self.addresses:
            _ip("netns", "add", self._space(host))
            self._made.append(host)
            _ip("-n", self._space(host), "link", "set", "lo", "up")
        home = self._space(first)
        _ip("-n", home, "link", "add", "bridge", "type", "bridge")
        _ip("-n", home, "address", "add", f"{self.addresses[first]}/24", "dev", "bridge")
        _ip("-n", home, "link", "set", "bridge", "up")
        for number, host in enumerate(others):
            space = self._space(host)
            _ip(
                "-n",
                home,
                "link",
                "add",
                f"port{number}",
                "type",
                "veth",
                "peer",
                "name",
                "eth0",
                "netns",
                space,
            )
            _ip("-n", home, "link", "set", f"port{number}", "master", "bridge", "up")
            _ip("-n", space, "address", "add", f"{self.addresses[host]}/24", "dev", "eth0")
            _ip("-n", space, "link", "set", "eth0", "up")

    def _remove(self) -> None:
        for host in self._made:
            _ip("netns", "delete", self._space(host))
        self._made.clear()


def _enter(space: Path) -> None:
    """Move the calling thread alone into a network namespace."""
    with space.open() as file:
        assert CDLL(None, use_errno=True).setns(file.fileno(), _CLONE_NEWNET) == 0


def can_build() -> bool:
    """Whether this user on this machine can make network namespaces."""
    if os.geteuid() != 0:
        return False
    name = f"howdah-{os.getpid()}-trial"
    try:
        _ip("netns", "add", name)
        _ip("netns", "delete", name)
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)
