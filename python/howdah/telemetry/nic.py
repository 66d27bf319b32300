"""Network interfaces: /proc/net/dev, and in a namespace TCP's retransmissions and the queue."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from howdah.namespaces import enter_network
from howdah.telemetry.device import Counter, Device, MetricReading

_Opened = TypeVar("_Opened")

_ROOT = 0xFFFFFFFF  # the parent of an interface's outermost queue
_PATIENCE_S = 1.0  # the kernel answers at once; a lost answer must not hold up the sampler
_MESSAGE = struct.Struct("=IHHII")  # struct nlmsghdr
_QDISC = struct.Struct("=BxxxiIII")  # struct tcmsg: family, interface, handle, parent, info
_ATTRIBUTE = struct.Struct("=HH")  # struct rtattr
_NUMBER = struct.Struct("=i")  # struct nlmsgerr begins with an error's negative number
_QUEUE = struct.Struct("=II")  # the begin of struct gnet_stats_queue: packets and bytes that wait


def open_in_namespace(namespace: Path, open_files: Callable[[], _Opened]) -> _Opened:
    """``open_files()`` in a network namespace, to which sockets and /proc/thread-self/net belong."""

    def enter_and_open() -> _Opened:
        descriptor = os.open(namespace, os.O_RDONLY | os.O_CLOEXEC)
        try:
            enter_network(descriptor)
        finally:
            os.close(descriptor)
        return open_files()

    # A temporary thread enters the namespace: howdah's other threads stay in their own.
    with ThreadPoolExecutor(1, "howdah-namespace") as pool:
        return pool.submit(enter_and_open).result()


_GET, _NEW = 38, 36  # RTM_GETQDISC, RTM_NEWQDISC
_ERROR, _DONE = 2, 3
_REQUEST, _DUMP = 0x1, 0x300
_STATS2, _STATS_QUEUE = 7, 3  # TCA_STATS2, TCA_STATS_QUEUE within it


class Qdisc:
    """The outermost queue of an interface in the network namespace of the calling thread."""

    def __init__(self, interface: str) -> None:
        self._index = socket.if_nametoindex(interface)
        kind = socket.SOCK_RAW | socket.SOCK_CLOEXEC
        self._socket = socket.socket(socket.AF_NETLINK, kind, socket.NETLINK_ROUTE)
        self._socket.settimeout(_PATIENCE_S)
        self._question = _MESSAGE.pack(_MESSAGE.size + _QDISC.size, _GET, _REQUEST | _DUMP, 1, 0)
        self._question += _QDISC.pack(0, self._index, 0, 0, 0)

    def backlog_bytes(self) -> int:
        """Bytes that wait to be sent, 0 where there is no queue; raises OSError as the kernel does."""
        self._socket.send(self._question)
        waiting = 0
        for index, parent, attributes in self._answers():
            if index == self._index and parent == _ROOT:
                statistics = dict(_attributes(dict(_attributes(attributes)).get(_STATS2, b"")))
                queue = statistics.get(_STATS_QUEUE)
                waiting = 0 if queue is None else int(_QUEUE.unpack_from(queue)[1])
        return waiting

    def _answers(self) -> Iterator[tuple[int, int, bytes]]:
        """Interface, parent and attributes of every queue in the namespace."""
        while True:
            answer = self._socket.recv(1 << 16)
            offset = 0
            while offset < len(answer):
                length, kind, *_ = _MESSAGE.unpack_from(answer, offset)
                body = answer[offset + _MESSAGE.size : offset + length]
                if kind == _DONE:
                    return
                if kind == _ERROR:
                    number = -_NUMBER.unpack_from(body)[0]
                    raise OSError(number, os.strerror(number), "rtnetlink")
                if kind == _NEW:
                    _, index, _, parent, _ = _QDISC.unpack_from(body)
                    yield index, parent, body[_QDISC.size :]
                offset += _aligned(length)

    def close(self) -> None:
        self._socket.close()


def _attributes(content: bytes) -> Iterator[tuple[int, bytes]]:
    offset = 0
    while offset + _ATTRIBUTE.size <= len(content):
        length, kind = _ATTRIBUTE.unpack_from(content, offset)
        yield kind & 0x3FFF, content[offset + _ATTRIBUTE.size : offset + length]
        offset += max(_aligned(length), _ATTRIBUTE.size)


def _aligned(length: int) -> int:
    return (length + 3) & ~3


class LinkDevice(Device):
    """Traffic and queue of an interface and its namespace's retransmits, all opened once."""

    name = "nic"
    paths = ("proc/thread-self/net/dev", "proc/thread-self/net/snmp")

    def __init__(self, namespace: Path, interface: str) -> None:
        super().__init__()
        self._namespace = namespace
        self._interface = interface
        self._line = f"{interface}:".encode()
        self._counters = interface_counters(interface)
        self._retransmits = Counter("reset")
        self._qdisc: Qdisc | None = None

    def start(self) -> None:
        open_in_namespace(self._namespace, self._open)

    def _open(self) -> None:
        super().start()
        try:
            self._qdisc = Qdisc(self._interface)
        except OSError:
            self.stop()
            raise

    def readings(self) -> Iterator[MetricReading]:
        for line in self._files[0].read().split(b"\n"):
            name, _, numbers = line.partition(b":")
            if name.strip() + b":" == self._line:
                yield from nic_counters(numbers, self._counters)
        # Two lines of /proc/net/snmp begin with Tcp: names are on the first, numbers on the second.
        names, numbers = (line for line in self._files[1].read().split(b"\n") if line.startswith(b"Tcp:"))
        resent = self._retransmits.advance(int(numbers.split()[names.split().index(b"RetransSegs")]))
        yield MetricReading(f"nic/{self._interface}/retransmits", resent)
        if self._qdisc is not None:
            yield MetricReading(f"nic/{self._interface}/queue_bytes", self._qdisc.backlog_bytes())

    def stop(self) -> None:
        super().stop()
        if self._qdisc is not None:
            self._qdisc.close()
            self._qdisc = None


# Quantity and the columns of /proc/net/dev that add up to it.
COLUMNS = (
    ("rx_bytes", (0,)),
    ("tx_bytes", (8,)),
    ("rx_packets", (1,)),
    ("tx_packets", (9,)),
    ("drops", (3, 11)),
)
_Counters = list[tuple[str, tuple[int, ...], Counter]]


def interface_counters(nic: str) -> _Counters:
    return [(f"nic/{nic}/{quantity}", columns, Counter("reset")) for quantity, columns in COLUMNS]


def nic_counters(
    numbers: bytes, counters: Sequence[tuple[str, tuple[int, ...], Counter]]
) -> Iterator[MetricReading]:
    """The growth of one interface's counters, from the numbers of its line in /proc/net/dev."""
    fields = numbers.split()
    for metric, columns, counter in counters:
        yield MetricReading(metric, counter.advance(sum(int(fields[column]) for column in columns)))


class NicDevice(Device):
    """Bytes, packets and drops of each interface that is up.

    Where there are network cards, only these are read: a bond or a bridge above them would count
    the same bytes once more. In a container there are none, and everything but ``lo`` is read.
    An interface that is down is left out until it comes up.
    """

    name = "nic"
    paths = ("proc/net/dev",)

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._net = root / "sys/class/net"
        self._nics: dict[bytes, _Counters] = {}
        self._cards_only = False

    def start(self) -> None:
        super().start()
        self._cards_only = any(self._net.glob("*/device"))

    def readings(self) -> Iterator[MetricReading]:
        for line in self._files[0].read().split(b"\n"):
            name, colon, numbers = line.partition(b":")
            if not colon:
                continue
            if name not in self._nics and not self._is_down(name.strip().decode()):
                self._nics[name] = self._counters(name.strip().decode())
            yield from nic_counters(numbers, self._nics.get(name, ()))

    def _is_down(self, nic: str) -> bool:
        # It may have left between the two readings, or /sys is not there: what counts is read.
        with suppress(OSError):
            return (self._net / nic / "operstate").read_text().strip() in {"down", "lowerlayerdown"}
        return False

    def _counters(self, nic: str) -> _Counters:
        if nic == "lo" or (self._cards_only and not (self._net / nic / "device").exists()):
            return []
        return interface_counters(nic)
