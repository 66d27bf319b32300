"""The queue of an interface, asked of the kernel through rtnetlink (man 7 rtnetlink)."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator

_GET, _NEW = 38, 36  # RTM_GETQDISC, RTM_NEWQDISC
_ERROR, _DONE = 2, 3
_REQUEST, _DUMP = 0x1, 0x300
_ROOT = 0xFFFFFFFF  # the parent of an interface's outermost queue
_STATS2, _STATS_QUEUE = 7, 3  # TCA_STATS2, TCA_STATS_QUEUE within it

_PATIENCE_S = 1.0  # the kernel answers at once; a lost answer must not hold up the sampler

_MESSAGE = struct.Struct("=IHHII")  # struct nlmsghdr
_QDISC = struct.Struct("=BxxxiIII")  # struct tcmsg: family, interface, handle, parent, info
_ATTRIBUTE = struct.Struct("=HH")  # struct rtattr
_NUMBER = struct.Struct("=i")  # struct nlmsgerr begins with an error's negative number
_QUEUE = struct.Struct("=II")  # the begin of struct gnet_stats_queue: packets and bytes that wait


class Qdisc:
    """The outermost queue of an interface in the network namespace of the calling thread."""

    def __init__(self, interface: str) -> None:
        self._index = socket.if_nametoindex(interface)
        self._socket = socket.socket(
            socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.NETLINK_ROUTE
        )
        length = _MESSAGE.size + _QDISC.size
        self._socket.settimeout(_PATIENCE_S)
        self._question = _MESSAGE.pack(length, _GET, _REQUEST | _DUMP, 1, 0) + _QDISC.pack(
            0, self._index, 0, 0, 0
        )

    def backlog_bytes(self) -> int:
        """Bytes that wait to be sent, 0 where there is no queue; raises OSError as the kernel does."""
        self._socket.send(self._question)
        waiting = 0
        for index, parent, attributes in self._answers():
            if index == self._index and parent == _ROOT:
                waiting = _backlog(attributes)
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
        """Close the socket."""
        self._socket.close()


def _backlog(attributes: bytes) -> int:
    for kind, value in _attributes(attributes):
        if kind == _STATS2:
            for inner, numbers in _attributes(value):
                if inner == _STATS_QUEUE:
                    return int(_QUEUE.unpack_from(numbers)[1])
    return 0


def _attributes(content: bytes) -> Iterator[tuple[int, bytes]]:
    offset = 0
    while offset + _ATTRIBUTE.size <= len(content):
        length, kind = _ATTRIBUTE.unpack_from(content, offset)
        yield kind & 0x3FFF, content[offset + _ATTRIBUTE.size : offset + length]
        offset += max(_aligned(length), _ATTRIBUTE.size)


def _aligned(length: int) -> int:
    return (length + 3) & ~3
