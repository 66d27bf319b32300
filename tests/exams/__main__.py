"""Run the exam: the long trials, part by part, with their outcomes written to docs/exams.md.

make exam                    every part, which takes hours
make exam PART=upgrades      one part
make exam PART=turn          the part whose turn it is, by the number of commits
make exam PART=list          what the parts are
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from exams.outcomes import Outcome, write_outcome
from exams.parts import PARTS, Part, named, turn

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Run the parts; 1 if one of them failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", nargs="*", help="names of parts, `turn` or `list`; every part by default")
    parser.add_argument("--seed", type=int, help="seed of every part; the number of commits by default")
    given = parser.parse_args()
    if given.part == ["list"]:
        for part in PARTS:
            print(f"{part.name:18} about {part.minutes:2} min  {part.about}")
        return 0
    commits = _commits()
    parts = [turn(commits)] if given.part == ["turn"] else named(given.part)
    seed = commits if given.seed is None else given.seed
    return max(_run(part, seed) for part in parts)


def _run(part: Part, seed: int) -> int:
    print(f"exam {part.name}: {part.about}; seed {seed}, about {part.minutes} min", flush=True)
    began = time.monotonic()
    cache = {"HOWDAH_CACHE": str(ROOT / "build"), "PYTHONPATH": f"{ROOT / 'tests'}"}
    last = ""
    with subprocess.Popen(
        part.command(seed), cwd=ROOT, env={**os.environ, **cache}, text=True, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            last = line.strip(" =\n") or last
    passed = process.returncode == 0
    outcome = Outcome(
        part=part.name,
        date=datetime.now(UTC).date(),
        seed=seed,
        elapsed_s=time.monotonic() - began,
        passed=passed,
        result=last,
    )
    write_outcome(ROOT / "docs/exams.md", outcome)
    print(f"exam {part.name}: {outcome.in_words}", flush=True)
    return 0 if passed else 1


def _commits() -> int:
    done = subprocess.run(
        ["git", "rev-list", "--count", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return int(done.stdout) if done.returncode == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
