"""A fast against a slow uplink for TestDFSIO, as AMAX compared 10GbE with 1GbE."""

from __future__ import annotations

from collections.abc import Iterator

from intervals import compare
from laboratory import TWO_PER_HOST, Record, conduct, findings, laboratory, plan, run

FAST, SLOW = "1Gb/s", "100Mb/s"
ORDER = ((FAST, 1), (SLOW, 2), (FAST, 1))
"""The fast ones on both sides of the slow ones: what else this machine does changes with time."""


def runs() -> Iterator[Record]:
    """TestDFSIO's write and read in a laboratory of each speed."""
    path = plan("uplink", *TWO_PER_HOST)
    for link, repeats in ORDER:
        with laboratory(path, "--link", link):
            for _ in range(repeats):
                one = run("dfsio", "--files", "4", "--file-size", "256MiB", "--replication", "2")
                rates = {work["workload"]["kind"]: rate(work) for work in one["record"]["workloads"]}
                yield {"arm": link, "rate_bytes_per_s": rates, **one}


def concluded(made: list[Record]) -> Record:
    """How much longer the slow link takes, and how much slower each file is."""
    result: Record = {}
    for kind in ("dfsio-write", "dfsio-read"):
        slow, fast = ([one for one in made if one["arm"] == link] for link in (SLOW, FAST))
        result[kind] = {
            "slow_over_fast_elapsed": compare(
                *([one["seconds"][kind] for one in arm] for arm in (slow, fast))
            ),
            "fast_over_slow_rate": compare(
                *([one["rate_bytes_per_s"][kind] for one in arm] for arm in (fast, slow))
            ),
        }
    return {**result, "reported": {one["id"]: findings(one, "answer", "use", "dfsio") for one in made}}


def rate(work: Record) -> float:
    """TestDFSIO's throughput: bytes over the seconds that its tasks spent on I/O."""
    seconds = sum(file["io_s"] for file in work["files"])
    return float(sum(file["bytes"] for file in work["files"]) / seconds)


if __name__ == "__main__":
    conduct("uplink", runs(), concluded)
