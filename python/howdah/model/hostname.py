"""Host names, one by one and as the ranges that administrators write: ``w[001-032].example.com``.

A name is letters, digits and hyphens in dot-separated labels (RFC 1123), nothing else: what is not
a host name never comes as far as a file or a script. Other names in a plan must be names that it defines.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING

from howdah.errors import UserError
from howdah.model.base import WrongValue

if TYPE_CHECKING:
    from howdah.model.plan import Cluster, Worker

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_ADDRESS = re.compile(r"[0-9]+(?:\.[0-9]+)+")
_RANGE = re.compile(r"([^\[\]]*)\[([0-9]{1,9})-([0-9]{1,9})\]([^\[\]]*)")
_NUMBERED = re.compile(r"([^.]*?)([0-9]{1,9})([^.0-9]*(?:\..*)?)")
_LONGEST = 253

ANY_HOST = frozenset(("0.0.0.0", "::", ""))
"""Hosts of addresses that a daemon listens on at all interfaces."""
MOST_HOSTS = 100_000  # More hosts than any cluster has: a number above it is a typing error.

RANGE_PATTERN = r"^[A-Za-z0-9.-]*(\[[0-9]+-[0-9]+\][A-Za-z0-9.-]*)?$"
"""A host name or a range of them as a regular expression, for editors."""

_RIGHT = "letters a to z, digits and hyphens, in labels of at most 63 with dots between them"


def is_hostname(text: str) -> bool:
    """Whether the text is a host name as RFC 1123 allows it, at most 253 characters; an address is none."""
    return len(text) <= _LONGEST and _NAME.fullmatch(text) is not None and _ADDRESS.fullmatch(text) is None


def is_host(text: str) -> bool:
    """Whether the text is a host name or an address, which Hadoop takes as well."""
    return _is_ip(text.removeprefix("[").removesuffix("]")) or is_hostname(text)


def _is_ip(text: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(text))
    return False


def check_hostname(text: str) -> str:
    """The text, if it is a host name; raises WrongValue if not."""
    if is_hostname(text):
        return text
    if _ADDRESS.fullmatch(text):
        raise WrongValue(f"{text!r} is an address, not a host name", "give the name it resolves to")
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    if len(text) > _LONGEST:
        problem = f"{shown!r} is longer than a host name's {_LONGEST} characters"
        raise WrongValue(problem, "give a shorter one")
    raise WrongValue(f"{shown!r} is not a host name", _RIGHT)


def expand(pattern: str) -> tuple[str, ...]:
    """All names of ``w[001-032]``, or the plain name itself; raises WrongValue for anything else."""
    match = _RANGE.fullmatch(pattern)
    if match is None:
        return (check_hostname(pattern),)
    before, first, last, after = match.groups()
    low, high = int(first), int(last)
    if high < low:
        raise WrongValue(f"{pattern!r} runs backwards", f"write [{last}-{first}]")
    if high - low >= MOST_HOSTS:
        problem = f"{pattern!r} is more than {MOST_HOSTS:,} hosts"
        raise WrongValue(problem, "give the numbers of the first and the last host")
    # The names of one range differ only in their digits, so its ends speak for all.
    for digits in (first, last.zfill(len(first))):
        check_hostname(f"{before}{digits}{after}")
    return tuple(f"{before}{number:0{len(first)}d}{after}" for number in range(low, high + 1))


def expand_all(patterns: Iterable[str]) -> tuple[str, ...]:
    """All names of several patterns, in order; raises WrongValue at the pattern that is wrong."""
    names: list[str] = []
    for index, pattern in enumerate(patterns):
        try:
            names += expand(pattern)
        except WrongValue as wrong:
            raise WrongValue(wrong.what, wrong.hint, (index,)) from wrong
        if len(names) > MOST_HOSTS:
            raise WrongValue(f"names more than {MOST_HOSTS:,} hosts", "give fewer")
    return tuple(names)


def fold(names: Iterable[str]) -> tuple[str, ...]:
    """Few patterns that expand to exactly these names in order, by the last number of the first label."""
    runs: list[list[str]] = []
    for name in names:
        if runs and name == _next(runs[-1][-1]):
            runs[-1].append(name)
        else:
            runs.append([name])
    return tuple(map(_range, runs))


def _next(name: str) -> str | None:
    """The name that would continue a range: its number plus one, at least as wide; none without a number."""
    match = _NUMBERED.fullmatch(name)
    if match is None:
        return None
    before, digits, after = match.groups()
    return f"{before}{int(digits) + 1:0{len(digits)}d}{after}"


def _range(run: list[str]) -> str:
    first, last = _NUMBERED.fullmatch(run[0]), _NUMBERED.fullmatch(run[-1])
    if len(run) == 1 or first is None or last is None:
        return run[0]
    return f"{first.group(1)}[{first.group(2)}-{last.group(2)}]{first.group(3)}"


def host_and_port(text: str, flag: str, usual: int) -> tuple[str, int]:
    """The host and the port, the ``usual`` one where none is given; raises UserError for what is neither."""
    host, port = split_address(text)
    number = port_number(port) if port or (text.endswith(":") and not _is_ip(text)) else usual
    if not is_host(host) or number is None or re.search(r"\s|\]\d|^\[[^:]*\]", text):
        raise UserError(f"{flag} {text}", "is not a host and a port", f"write, for example, w02:{usual}")
    return host, number


def split_address(text: str) -> tuple[str, str]:
    """The host and the port of ``w1:9866``, ``[fe80::1]:9866`` or ``w1``, which has an empty port."""
    text = text.strip()
    if text.startswith("[") and "]" in text:
        host, _, remainder = text[1:].partition("]")
        return host, remainder.removeprefix(":")
    host, _, port = text.partition(":")
    if ":" in port:
        # Java writes an address of IPv6 and its port without brackets.
        for whole, after in ((text, ""), text.rpartition(":")[::2]):
            if _is_ip(whole):
                return whole, after
    return host, port


def authority(uri: str) -> str:
    """The host and port, or the name of a service, in an address with a scheme and a path or without."""
    _, scheme, after = uri.strip().rpartition("://")
    if not scheme and re.match(r"[A-Za-z][\w+.-]*:/", after):
        return ""
    return after.partition("/")[0]


def host_of(address: str) -> str:
    """The host of an address with or without its scheme and port, in lower case."""
    return split_address(authority(address))[0].lower()


def port_number(address: str) -> int | None:
    """The port of an address, or a port itself; None for zero and for what is none."""
    port = address.rpartition(":")[2].strip()
    return int(port) if re.fullmatch("[0-9]{1,5}", port) and 0 < int(port) < 1 << 16 else None


_At = tuple[str | int, ...]


def check_whole(workers: tuple[Worker, ...], cluster: Cluster) -> None:
    """Raise WrongValue for the first name that a plan uses and does not have."""
    groups = {group.name for group in cluster.inventory.groups}
    kinds = {worker.name for worker in workers}
    hosts = {host for group in cluster.inventory.groups for host in group.names}
    for index, worker in enumerate(workers):
        _check(worker.group or "", groups, "group of hosts", ("workers", index, "group"))
    for index, layout in enumerate(cluster.layouts):
        at: _At = ("cluster", "layouts", index)
        _check(layout.group, groups, "group of hosts", (*at, "group"))
        for place, kind in enumerate(layout.workers):
            _check(kind, kinds, "kind of worker", (*at, "workers", place))
    for index, master in enumerate(cluster.masters):
        at = ("cluster", "masters", index)
        _check(master.host, hosts, "host", (*at, "host"))
        if master.shadow_host is not None:
            _check(master.shadow_host, hosts, "host", (*at, "shadow_host"))
    _check_racks(cluster, hosts)


def _check_racks(cluster: Cluster, hosts: Collection[str]) -> None:
    """Every host stands in exactly one rack."""
    racked: set[str] = set()
    for index, rack in enumerate(cluster.topology.racks):
        at: _At = ("cluster", "topology", "racks", index, "hosts")
        for host in expand_all(rack.hosts):
            _check(host, hosts, "host", at)
            if host in racked:
                raise WrongValue(f"{host!r} is in two racks", "list each host once", at)
            racked.add(host)
    for host in hosts:
        if host not in racked:
            problem = f"{host!r} is in no rack"
            raise WrongValue(problem, "list every host of the inventory", ("cluster", "topology", "racks"))


def _check(name: str, names: Collection[str], kind: str, at: _At) -> None:
    if name not in names:
        examples = ", ".join(sorted(names)[:5])
        raise WrongValue(f"{name!r} is not a {kind} of this plan", f"one of {examples}", at)
