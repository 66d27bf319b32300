"""One machine under several names: as registered, by address, as a configuration calls it."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import ip_address

_LOOPBACK = "127.0.0.1"


class Identities:
    """Which machine a name means. DNS does not tell capitals from small letters, nor do we.

    DataNodes tell the addresses of their names. The names that others have besides, masters' above all, are
    few, and are asked for where this command runs, whose configuration gives them.
    """

    def __init__(self, registered: Iterable[tuple[str, str]]) -> None:
        """``registered`` are names and the addresses that they registered from."""
        self._named: dict[str, str] = {}
        for name, address in registered:
            self._named[name.lower()] = name.lower()
            self._named.setdefault(_address(address), name.lower())

    def of(self, name: str) -> str:
        """The same key for every name of one machine; the name itself where nothing else is known."""
        low = name.lower()
        if low not in self._named:
            addresses = _addresses(low)
            known = next((self._named[one] for one in addresses if one in self._named), low)
            # Whoever is asked for next by one of these addresses is this machine.
            self._named |= {one: known for one in (low, *addresses) if one not in self._named}
        return self._named[low]


def _addresses(name: str) -> list[str]:
    """The addresses of a name, none where nobody knows it."""
    with suppress(OSError, UnicodeError):
        return list(dict.fromkeys(_address(str(one[4][0])) for one in socket.getaddrinfo(name, None)))
    return []


def _address(text: str) -> str:
    """An address in one spelling; all of a machine's loopback addresses are one."""
    try:
        address = ip_address(text.strip("[]"))
    except ValueError:
        return text.lower()
    return _LOOPBACK if address.is_loopback else str(address)
