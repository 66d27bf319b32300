"""Rules about room: how full disks should be, what the NameNode can know, and erasure coding."""

from __future__ import annotations

from howdah.planner.facts import Facts
from howdah.planner.rule import MAY, MUST
from howdah.planner.rules.declare import Rules
from howdah.planner.storage import FILL_LIMIT
from howdah.units import format_bytes, format_percent

_INTERMEDIATE = 0.5
"""Compressed map output on disk for each byte that is sorted: with three replicas 6.5 in all (D0 35)."""
_HOSTS_IN_PRACTICE = 200
_HOSTS_MOST = 276
rules = Rules()

ERASURE_CODING = rules.principle(
    "capacity.erasure-coding",
    "Cold data in large files may be erasure-coded: 1.4 to 1.67 bytes on disk for each instead of 3.",
    MAY,
    sources="D0 60, Hadoop 3.5.0",
    when="there is a host for every unit of the code, and one more for rebuilding",
    today="Erasure coding came with Hadoop 3.0; the papers knew replication alone.",
)
ERASURE_DOMAINS = rules.principle(
    "capacity.erasure-domains",
    "No host and no rack holds more units of a block group than the code can lose.",
    MAY,
    sources="D0 60, Hadoop 3.5.0",
    when="files are erasure-coded",
)
CODED_SAFE = rules.principle(
    "capacity.coded-losses",
    "A coded directory survives the loss of a host and of a rack.",
    MUST,
    sources="Hadoop 3.5.0: BlockPlacementPolicyRackFaultTolerant",
    when="--erasure-coding is given",
)
CODED_FITS = rules.principle(
    "capacity.coded-files",
    "A coded directory has large files that jobs rarely read, and a host to rebuild a lost one on.",
    sources="Hadoop 3.5.0: StripedBlockUtil, howdah",
    when="--erasure-coding is given",
)
RACK_BALANCE = rules.principle(
    "capacity.rack-balance",
    "No rack has more disks than the others together can hold a replica of.",
    sources="D0 61, Hadoop 3.5.0",
    when="there are two racks or more, and replicas",
)
rules.principle(
    "capacity.fill-limit",
    "HDFS holds at most 80 % of the room it is given.",
    sources="D0 36, howdah",
    when="always: balancing, delayed deletion and lost disks need the rest",
)
rules.principle(
    "capacity.growth",
    "Hosts are as many as the last year's data need, by disks and by blocks of a DataNode.",
    sources="D0 6, D1 81, howdah",
    when="--need was given",
)


@rules.advice("capacity.sort-space", MUST, sources="D0 35", when="a dataset's size is given and does not fit")
def _sorted_dataset(facts: Facts) -> str | None:
    """A sort needs about 6.5 times its dataset of raw disk at three replicas, 4.5 times at two."""
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


@rules.advice("capacity.many-hosts", sources="D1 81, D1 84, D1 87", when="there are more than 200 hosts")
def _many_hosts(facts: Facts) -> str | None:
    """Beyond 200 hosts the masters' CPU is watched."""
    hosts = facts.cluster.hosts
    if hosts <= _HOSTS_IN_PRACTICE:
        return None
    return (
        f"{hosts:,} hosts are more than the papers measured masters for: at 256 MiB blocks they estimated "
        f"that one CPU serves about {_HOSTS_MOST} hosts, and {_HOSTS_IN_PRACTICE} with caution. Masters have "
        "several today; watch their CPU and queues, and keep blocks large."
    )
