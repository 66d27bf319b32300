"""The exam of protection: a laboratory with two masters of each kind is broken at random while it works.

``PYTHONPATH=tests .venv/bin/python -m exams.broken --schedules 4 --seed 1`` prints a line for each schedule:
what was done, how long HDFS had no answer, whether the jobs ended well, and whether anything that was
acknowledged is lost. It needs root, and two to five minutes for each; about one with ``--beside teragen``,
which has one job to run in place of three. The plan's own settings hold, but for what makes short-lived
daemons start sooner, and jobs ask for containers more often.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from howdah.documents.files import read_plan
from howdah.model.run import Outcome, RunRecord
from howdah.units import format_seconds
from support.command import HOWDAH, environment
from support.daemons import ROOT
from support.lab_command import CACHE, Lab
from support.labs import save_plan, soon

INVENTORY = ROOT / "examples/hosts-lab-ha.yaml"
MASTERS = ("--hypervisor", "none", "--protect-masters", "ha", "--replication", "2")
ROWS = 500_000
FAULTS = 3
WITHIN_S = {"terasuite": 60, "teragen": 20}
"""How soon after the first job's start the last fault begins, so that most begin while jobs run."""
SETTLED_S = 300


def longest_s(record: RunRecord) -> float:
    """The longest time that a probe of HDFS had no answer."""
    return max((outage.elapsed_s for probe in record.probes for outage in probe.outages), default=0.0)


def settle(lab: Lab) -> None:
    """Wait until everything is back that the schedule before took away, so that each begins alike."""
    until = time.monotonic() + SETTLED_S
    # A NameNode that was started again reads of the last blocks once their segment of the edits is closed.
    lab.try_to("ssh", "client", "--", "hdfs", "dfsadmin", "-rollEdits")
    while (status := lab.try_to("status")).returncode != 0:
        if time.monotonic() > until:
            sys.exit(
                f"the laboratory is not complete {SETTLED_S} s after its faults were undone:\n{status.stdout}"
            )
        time.sleep(2)


def broken(lab: Lab, suite: str, seed: int) -> RunRecord:
    """One schedule, drawn from a seed, beside a suite."""
    schedule = f"random {FAULTS} seed {seed} within {WITHIN_S[suite]}s"
    settle(lab)
    done = lab.try_to_run(suite, "--rows", str(ROWS), "--fault", schedule)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return lab.last_run().record


def line(seed: int, record: RunRecord) -> str:
    """What became of one schedule."""
    done = "; ".join(f"{fault.fault} ({fault.state})" for fault in record.faults)
    kept = "not read back" if record.ledger is None else "kept" if record.ledger.sound else "LOST"
    ended = record.outcome.value + (f": {record.error}" if record.error else "")
    return f"{seed:4}  {format_seconds(longest_s(record)):>10}  {kept:13}  {ended:10}  {done}"


def main() -> None:
    """Bring the laboratory up, break it, and take it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schedules", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--name", default="exam-broken", help="the laboratory's, where two exams are held")
    parser.add_argument("--beside", choices=tuple(WITHIN_S), default="terasuite")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="howdah-exam-") as name:
        folder = Path(name)
        plan = folder / "plan.yaml"
        subprocess.run(
            [HOWDAH, "plan", INVENTORY, *MASTERS, "--workload", "terasuite:1GB", "-o", plan],
            env={**environment(), "HOWDAH_CACHE": str(CACHE)},
            check=True,
            capture_output=True,
        )
        plan = save_plan(soon(read_plan(plan)), folder)
        lab = Lab(folder, asked.name)
        try:
            lab.up(plan)
            records = []
            for seed in range(asked.seed, asked.seed + asked.schedules):
                records.append(broken(lab, asked.beside, seed))
                print(line(seed, records[-1]), flush=True)
        finally:
            lab.try_to("down")
    well = sum(record.outcome is Outcome.SUCCEEDED for record in records)
    sound = sum(record.ledger is not None and record.ledger.sound for record in records)
    outages = [longest_s(record) for record in records]
    print(
        f"{len(records)} schedules: jobs ended well in {well}, {sound} ledgers sound; no answer for "
        f"{format_seconds(statistics.median(outages))} at the median, {format_seconds(max(outages))} at most"
    )
    if sound < len(records):
        sys.exit("a ledger is not sound: HDFS lost what it had acknowledged")


if __name__ == "__main__":
    main()
