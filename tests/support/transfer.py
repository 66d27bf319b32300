"""What TCP gets between machines of a laboratory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from howdah.lab.kernel import enter
from howdah.lab.spec import LabSpec
from support.lab_hosts import names_file

_SECONDS = 3
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
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    receiver.sendall(block)
"""


@dataclass(frozen=True)
class Stream:
    """What a stream got: bits of frames, to which links are held, from its first bytes to its last."""

    bits: float
    began: float
    ended: float

    @property
    def bits_per_s(self) -> float:
        return self.bits / (self.ended - self.began)


def bits_per_s(spec: LabSpec, ways: Sequence[tuple[str, str]]) -> list[float]:
    """The speed of a stream each way (from, to), all at once."""
    return [stream.bits_per_s for stream in streams(spec, ways)]


def together(made: Sequence[Stream]) -> float:
    """What streams that shared a link got of it from the first bytes to the last.

    It is not the sum of their speeds: on a busy machine one begins late, and who is alone has the whole link.
    """
    seconds = max(stream.ended for stream in made) - min(stream.began for stream in made)
    return sum(stream.bits for stream in made) / seconds


def streams(spec: LabSpec, ways: Sequence[tuple[str, str]]) -> list[Stream]:
    """A stream each way (from, to), all at once."""
    hosts = names_file(spec)
    receivers = []
    for _, to in ways:
        line = [*enter.entry(spec, to, hosts), sys.executable, "-c", _RECEIVE, spec.machine(to).address]
        receiver = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == "ready\n"
        receivers.append(receiver)
    senders = [
        subprocess.Popen(
            [
                *enter.entry(spec, of, hosts),
                sys.executable,
                "-c",
                _SEND,
                spec.machine(to).address,
                str(_SECONDS),
            ]
        )
        for of, to in ways
    ]
    assert [sender.wait() for sender in senders] == [0] * len(ways)
    told = [[float(word) for word in receiver.communicate()[0].split()] for receiver in receivers]
    return [Stream(total * 8 * _FRAME, began, ended) for total, began, ended in told]
