"""Block sizes for the TeraSort suite, as the fault-tolerance study swept them."""

from __future__ import annotations

from collections.abc import Iterator

from intervals import compare
from laboratory import TWO_PER_HOST, Record, conduct, laboratory, plan, run

SIZES = ("8MiB", "32MiB", "128MiB")
KINDS = ("teragen", "terasort", "teravalidate")


def runs() -> Iterator[Record]:
    """The suite with every size, forwards and backwards: what else this machine does changes with time."""
    with laboratory(plan("block-size", *TWO_PER_HOST)):
        for size in (*SIZES, *reversed(SIZES)):
            one = run("terasuite", "--rows", "2M", "--block-size", size)
            yield {"arm": size, "maps": maps(one), **one}


def concluded(made: list[Record]) -> Record:
    """How much longer each size takes than the largest."""
    seconds = {
        size: {kind: [one["seconds"][kind] for one in made if one["arm"] == size] for kind in KINDS}
        for size in SIZES
    }
    largest = seconds[SIZES[-1]]
    return {
        "over_128MiB": {
            size: {kind: compare(seconds[size][kind], largest[kind]) for kind in KINDS} for size in SIZES[:-1]
        }
    }


def maps(one: Record) -> int:
    """Map tasks that TeraSort had."""
    job = one["record"]["workloads"][1]["job"]
    return int(job["counters"]["JobCounter.TOTAL_LAUNCHED_MAPS"]["total"])


if __name__ == "__main__":
    conduct("block_size", runs(), concluded)
