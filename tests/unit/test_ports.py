"""Ports that tests give to daemons."""

from __future__ import annotations

import socket

from support.ports import free_ports, free_range


def test_no_port_is_given_twice_nor_one_in_use() -> None:
    first = free_ports(1)[0]
    with socket.create_server(("127.0.0.1", first + 1)):
        given = free_ports(20)
    assert first not in given
    assert first + 1 not in given
    assert len({first, *given}) == 21


def test_a_range_has_no_gap_and_is_given_once() -> None:
    first = free_range(31)
    assert not set(range(first, first + 31)) & set(free_ports(40))
