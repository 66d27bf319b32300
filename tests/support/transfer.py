"""What TCP gets between machines of a laboratory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

from howdah.lab.kernel import namespaces
from howdah.lab.state import LabSpec
from support.lab_hosts import names_file

_FRAME = 1514 / 1448
"""What a link carries for each byte of payload: Ethernet's, IP's and TCP's headers, time stamps included."""

# From the first bytes to the last: what it took to connect is not the link's.
_RECEIVE = """
import socket, sys, time
server = socket.create_server((sys.argv[1], 5001))
print("ready", flush=True)
sender, _ = server.accept()
buffer, total, began, ended = bytearray(1 << 20), 0, 0.0, 0.0
while count := sender.recv_into(buffer):
    ended = time.monotonic()
    if began:
        total += count
    else:
        began = ended
print(total, began, ended)
"""

_SEND = """
import socket, sys, time
receiver, block = socket.create_connection((sys.argv[1], 5001)), bytes(1 << 18)
print("ready", flush=True)
sys.stdin.readline()
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    receiver.sendall(block)
"""


class Way(NamedTuple):
    """From which machine of a laboratory to which other one."""

    spec: LabSpec
    of: str
    to: str


class Stream(NamedTuple):
    """What a stream got: bits of frames, to which links are held, from its first bytes to its last."""

    bits: float
    began: float
    ended: float

    @property
    def bits_per_s(self) -> float:
        return self.bits / (self.ended - self.began)


def bits_per_s(spec: LabSpec, ways: Sequence[tuple[str, str]]) -> list[float]:
    """The speed of a stream each way (from, to), all at once, of a second.

    Who looks for the moment at which a busy machine lets a link be filled asks often rather than long.
    """
    return [stream.bits_per_s for stream in streams([Way(spec, *way) for way in ways], seconds=1)]


def together(made: Sequence[Stream]) -> float:
    """What streams that shared a link got of it from the first bytes to the last.

    It is not the sum of their speeds: one may end later, and who is alone has the whole link.
    """
    seconds = max(stream.ended for stream in made) - min(stream.began for stream in made)
    return sum(stream.bits for stream in made) / seconds


def streams(ways: Sequence[Way], seconds: float = 3) -> list[Stream]:
    """A stream each way, all at once: none begins before all are connected."""
    receivers = [_begun(way.spec, way.to, _RECEIVE, way.spec.machine(way.to).address) for way in ways]
    senders = [
        _begun(way.spec, way.of, _SEND, way.spec.machine(way.to).address, str(seconds)) for way in ways
    ]
    for sender in senders:
        assert sender.stdin is not None
        sender.stdin.close()
    assert [sender.wait() for sender in senders] == [0] * len(ways)
    told = [[float(word) for word in receiver.communicate()[0].split()] for receiver in receivers]
    return [Stream(total * 8 * _FRAME, began, ended) for total, began, ended in told]


def _begun(spec: LabSpec, machine: str, *words: str) -> subprocess.Popen[str]:
    """A program on a machine, which has said that it is ready."""
    line = [*namespaces.entry(spec, machine, names_file(spec)), sys.executable, "-c", *words]
    process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process
