"""Where a vCenter is: its host and port, from what somebody typed."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import ip_address

from howdah.errors import UserError
from howdah.model.hostname import is_hostname

_PORT = 443
_LARGEST_PORT = 65_535


def vcenter_address(endpoint: str) -> tuple[str, int]:
    """The host and the port of ``HOST[:PORT]``; raises UserError where it is none."""
    if is_host(endpoint.strip("[]")):
        return endpoint.strip("[]"), _PORT
    host, _, port = endpoint.rpartition(":")
    numbered = port.isascii() and port.isdecimal() and 0 < int(port) <= _LARGEST_PORT
    if not numbered or not is_host(host.strip("[]")):
        raise UserError(
            f"--vcenter {endpoint!r}",
            "is no host",
            f"give vcenter.example.com, or a host and a port of 1 to {_LARGEST_PORT}: vc.example.com:8443",
        )
    return host.strip("[]"), int(port)


def is_host(text: str) -> bool:
    """Whether it is a host's name or address."""
    with suppress(ValueError):
        return bool(ip_address(text))
    return is_hostname(text)
