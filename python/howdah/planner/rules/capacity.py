"""Rules about room: how full disks should be, what the NameNode can know, and erasure coding."""

from __future__ import annotations

from howdah.planner.facts import Facts
from howdah.planner.rules.declare import read_rules
from howdah.planner.storage import FILL_LIMIT
from howdah.units import format_bytes, format_percent

rules = read_rules("capacity.toml")

_INTERMEDIATE = 0.5
"""Compressed map output on disk for each byte that is sorted: with three replicas 6.5 in all (D0 35)."""
_HOSTS_IN_PRACTICE = 200
_HOSTS_MOST = 276

ERASURE_CODING = rules["capacity.erasure-coding"]
ERASURE_DOMAINS = rules["capacity.erasure-domains"]
CODED_SAFE = rules["capacity.coded-losses"]
CODED_FITS = rules["capacity.coded-files"]
RACK_BALANCE = rules["capacity.rack-balance"]


@rules.advises("capacity.sort-space")
def _sorted_dataset(facts: Facts) -> str | None:
    dataset = facts.request.dataset_bytes
    if dataset is None:
        return None
    replicas = int(facts.number("dfs.replication"))
    need = (2 * replicas + _INTERMEDIATE) * dataset
    raw = facts.cluster.raw_bytes
    if need <= FILL_LIMIT * raw:
        return None
    several = "one replica" if replicas == 1 else f"{replicas} replicas"
    return (
        f"Sorting {format_bytes(dataset)} takes about {format_bytes(need)} of disk: {several} of the input, "
        f"as many of the output and compressed map output. The workers have {format_bytes(raw)}, of which "
        f"{format_percent(FILL_LIMIT)} should be used: sort less, add hosts or keep fewer replicas."
    )


@rules.advises("capacity.many-hosts")
def _many_hosts(facts: Facts) -> str | None:
    hosts = facts.cluster.hosts
    if hosts <= _HOSTS_IN_PRACTICE:
        return None
    return (
        f"{hosts:,} hosts are more than the papers measured masters for: at 256 MiB blocks they estimated "
        f"that one CPU serves about {_HOSTS_MOST} hosts, and {_HOSTS_IN_PRACTICE} with caution. Masters have "
        "several today; watch their CPU and queues, and keep blocks large."
    )
