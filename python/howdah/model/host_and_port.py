"""A host and a port as somebody writes them: ``host``, ``host:port``, ``[address]:port``."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import ip_address

from howdah.errors import UserError
from howdah.model.hostname import is_hostname


def host_and_port(text: str, flag: str, usual: int) -> tuple[str, int]:
    """The host and the port, the ``usual`` one where none is given; raises UserError for what is neither."""
    host, colon, port = text.rpartition(":")
    if not colon or _is_host(text):
        host, port = text, str(usual)
    if not _is_host(host) or not (port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16):
        raise UserError(f"{flag} {text}", "is not a host and a port", f"write, for example, w02:{usual}")
    return _bare(host), int(port)


def _bare(host: str) -> str:
    """The host without the brackets that keep an address of IPv6 apart from its port."""
    return host.removeprefix("[").removesuffix("]")


def _is_host(text: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(_bare(text)))
    return is_hostname(text)
