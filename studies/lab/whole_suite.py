"""The whole suite of 1 GB: two workers per host and native, against the local engine's checksum."""

from __future__ import annotations

from collections.abc import Iterator

from laboratory import (
    NATIVE,
    TWO_PER_HOST,
    WORK,
    Record,
    conduct,
    findings,
    howdah,
    laboratory,
    plan,
    run,
    told,
)

LOCAL = "local engine"
ROWS = "10M"
REPLICAS = ("--replication", "2", "--output-replication", "2")


def runs() -> Iterator[Record]:
    """The local engine's suite, and Hadoop's on either platform."""
    words = ("run", "terasuite", "--rows", ROWS, "--json", "--runs-dir", str(WORK / "runs"))
    yield {"arm": LOCAL, **told(words, howdah(*words))}
    for arm, options in (("two per host", TWO_PER_HOST), ("native", NATIVE)):
        with laboratory(plan(arm.replace(" ", "-"), *options)):
            yield {"arm": arm, **run("terasuite", "--rows", ROWS, *REPLICAS)}


def concluded(made: list[Record]) -> Record:
    """Whether checksums are the local engine's, where replicas lie, and what the reports say first."""
    local = next(one["checksum"] for one in made if one["arm"] == LOCAL)
    on_hadoop = [one for one in made if one["arm"] != LOCAL]
    return {
        "checksum_is_local": {one["arm"]: one["checksum"] == local for one in on_hadoop},
        "spread": {
            one["arm"]: [work["replicas"] for work in one["record"]["workloads"] if work["replicas"]]
            for one in on_hadoop
        },
        "reported": {
            one["arm"]: findings(one, "answer", "floor", "job-overhead", "replica-spread") for one in made
        },
    }


if __name__ == "__main__":
    conduct("whole_suite", runs(), concluded)
