"""One against two workers per host for TeraSort, as the papers divided their hosts."""

from __future__ import annotations

from collections.abc import Iterator

from intervals import compare
from laboratory import Record, conduct, laboratory, plan, run

ORDER = ((2, 2), (1, 3), (2, 1))
"""Two workers on both sides of one: what else this machine does changes with time."""


def runs() -> Iterator[Record]:
    """TeraSort of the same rows in a laboratory of each division."""
    for count, repeats in ORDER:
        path = plan(f"workers-{count}", "--hypervisor", "kvm", "--workers-per-host", str(count))
        with laboratory(path):
            run("teragen", "--rows", "2M", "--block-size", "32MiB", "--keep-data")
            for _ in range(repeats):
                yield {"arm": count, **run("terasort")}


def concluded(made: list[Record]) -> Record:
    """How many times as long two workers take as one."""
    one, two = ([each["seconds"]["terasort"] for each in made if each["arm"] == count] for count in (1, 2))
    lab = made[0]["record"]["cluster"]["lab"]
    return {
        "two_over_one": compare(two, one),
        "not_kept": [each["how"] for each in lab["isolation"] if not each["kept"]],
    }


if __name__ == "__main__":
    conduct("workers_per_host", runs(), concluded)
