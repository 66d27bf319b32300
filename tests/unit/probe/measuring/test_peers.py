"""The network measured between two hosts, here from one address of this machine to another."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest

from howdah.errors import UserError
from howdah.probe.measuring.disks import Pace
from howdah.probe.measuring.peers import SEND, Listener, measure_peer, receive_count


@pytest.fixture
def listener() -> Iterator[Listener]:
    listening = Listener("127.0.0.1", 0)
    stop = threading.Event()
    serving = threading.Thread(target=listening.serve, args=(60.0, stop))
    serving.start()
    yield listening
    stop.set()
    serving.join()


def pace() -> Pace:
    return Pace(60, lambda _: None)


def test_both_directions_are_measured(listener: Listener) -> None:
    rates = measure_peer(f"127.0.0.1:{listener.port}", pace(), turn_s=0.05)
    for figure in (rates.sent_bytes_per_s, rates.received_bytes_per_s):
        assert figure.repeats >= 1
        # Slower than 1 MB/s or faster than 1 TB/s is nobody's loopback.
        assert 1e6 < figure.value < 1e12


def test_what_arrived_is_counted_by_whom_it_arrived_at(listener: Listener) -> None:
    with socket.create_connection(("127.0.0.1", listener.port), 5) as stream:
        stream.sendall(SEND + bytes(12_345))
        stream.shutdown(socket.SHUT_WR)
        assert receive_count(stream) == 12_345


@pytest.mark.parametrize("word", [b"", b"GET / HTTP/1.1\r\n\r\n", SEND[:-1]])
def test_a_stranger_gets_nothing_and_the_next_is_served(listener: Listener, word: bytes) -> None:
    with socket.create_connection(("127.0.0.1", listener.port), 5) as stream:
        stream.sendall(word)
        # It may be closed with words of the stranger's unread, before these are said to be all.
        with contextlib.suppress(OSError):
            stream.shutdown(socket.SHUT_WR)
            assert stream.recv(1) == b""
    assert measure_peer(f"127.0.0.1:{listener.port}", pace(), turn_s=0.01).peer


def test_a_peer_that_does_not_listen_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
    with pytest.raises(
        UserError, match=f"--peer 127.0.0.1:{port}: cannot be reached for a measurement"
    ) as refused:
        measure_peer(f"127.0.0.1:{port}", pace())
    assert f"howdah probe --listen {port}" in refused.value.hint


def test_a_port_that_somebody_has_is_refused(listener: Listener) -> None:
    with pytest.raises(UserError, match="cannot be opened: Address already in use"):
        Listener("127.0.0.1", listener.port)
