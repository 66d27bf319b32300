"""What a host takes for its own address."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules

rules = Rules()


@rules.inspection(
    "network.own-name",
    MUST,
    sources="HBase 2.6.4: reference guide, Hadoop 3.5.0: ClusterSetup",
    when="where there are several workers",
)
def _own_name(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """A host's own name is not the loopback's."""
    address = reading.host.network.own_address if reading.host is not None else None
    if address is None or reading.config is None or len(reading.config.workers) < 2:
        # A cluster of one host finds itself on the loopback as well as anywhere.
        return
    yield Observation(
        ok=not _is_loopback(address),
        about="/etc/hosts",
        found=f"{address} for the host's own name",
        expected="its address on the network: daemons listen where nobody else reaches them, and tell "
        "masters that they are there",
        fix="remove the host's name from the lines of 127.0.0.1 and 127.0.1.1 in /etc/hosts",
    )


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
