"""A worker killed during TeraSort with two replicas: does the job end well, and what does it cost?"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from subprocess import PIPE, Popen

from laboratory import (
    NAME,
    TWO_PER_HOST,
    Record,
    conduct,
    findings,
    howdah,
    laboratory,
    plan,
    run,
    run_command,
    told,
)

LOST = "h2-2"
SORT = ("terasort", "--output-replication", "2")
APPS = "http://m1:8088/ws/v1/cluster/apps?states=RUNNING"
BEGUN = 25
"""Per cent of the job after which the worker is killed."""


def runs() -> Iterator[Record]:
    """TeraSort with nothing lost, with a DataNode lost, with all of a worker lost, and with nothing lost."""
    with laboratory(plan("lost-worker", *TWO_PER_HOST)):
        run("teragen", "--rows", "1M", "--block-size", "8MiB", "--replication", "2", "--keep-data")
        yield {"arm": "nothing lost", **run(*SORT)}
        for arm, daemon in (("DataNode lost", "datanode"), ("worker lost", None)):
            yield {"arm": arm, **sorted_with_loss(daemon)}
            howdah("lab", "start", LOST, "--name", NAME)
        yield {"arm": "nothing lost", **run(*SORT)}


def concluded(made: list[Record]) -> Record:
    """What was noticed, and what the report says that it cost."""
    return {
        "lost": LOST,
        "noticed": {one["arm"]: one["record"]["events"] for one in made if one["record"]["events"]},
        "reported": {one["arm"]: findings(one, "worker-lost", "failed-attempts") for one in made},
        "blocks_missing": {one["id"]: one["record"]["workloads"][0]["replicas"]["missing"] for one in made},
    }


def sorted_with_loss(daemon: str | None) -> Record:
    """TeraSort, with a worker's daemon or all of the worker killed once it is well under way."""
    command = run_command(*SORT)
    with Popen(["howdah", *command], stdout=PIPE, text=True) as sorting:
        while progress() < BEGUN and sorting.poll() is None:
            time.sleep(0.5)
        howdah("lab", "kill", LOST, *([daemon] if daemon else []), "--name", NAME)
        printed, _ = sorting.communicate()
    if sorting.returncode:
        raise SystemExit(f"TeraSort did not survive the loss: see {printed}")
    return told(command, printed)


def progress() -> float:
    """How far the running job is, in per cent, as the ResourceManager tells a client in the laboratory."""
    asked = ["howdah", "lab", "ssh", "client", "--name", NAME, "--", "curl", "-s", APPS]
    answer = subprocess.run(asked, stdout=PIPE, text=True, check=True).stdout
    apps = (json.loads(answer)["apps"] or {}).get("app", [])
    return max((float(one["progress"]) for one in apps), default=0.0)


if __name__ == "__main__":
    conduct("lost_worker", runs(), concluded)
