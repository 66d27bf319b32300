"""The exam of stragglers: ``PYTHONPATH=tests .venv/bin/python -m exams.stragglers --seed 7``.

Needs a laboratory that is up (docs/exams.md). Every turn makes one worker slow, or none, has TeraSort
run, and holds the first straggler that analysis calls against the truth. What was answered is kept after
every turn; the same command goes on after it was interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

from exams.cases import Case, draw
from exams.commands import Commands
from exams.data import prepare, skewed
from exams.injections import Injections, forget, workers_of
from exams.verdicts import Verdict, judge
from howdah.lab.state import find

_FOLDER = Path("build/exams")
# Everything is copied, replicated and written uncompressed, so that disks and links have work to do.
_SORT = ("--output-replication", "2", "--codec", "none")


def main() -> None:
    """Hold the exam, or go on with it."""
    wanted = _arguments()
    state = find(wanted.lab)
    if state is None:
        raise SystemExit(f"there is no laboratory {wanted.lab}: howdah lab up --name {wanted.lab} plan.yaml")
    commands = Commands(wanted.lab, _FOLDER / "runs")
    injections = Injections(state, commands)
    cases = draw(wanted.seed, wanted.count, workers_of(state))
    answers = _FOLDER / f"stragglers-{wanted.seed}.json"
    done = json.loads(answers.read_text()) if answers.exists() else []
    end = time.monotonic() + wanted.minutes * 60
    injections.take_back()
    prepare(commands)
    for case in cases[len(done) :]:
        if time.monotonic() > end:
            print(f"{len(done)} of {len(cases)} turns; the same command goes on")
            return
        forget(state)
        verdict = turn(case, commands, injections)
        _show(verdict)
        done.append(_kept(verdict))
        answers.parent.mkdir(parents=True, exist_ok=True)
        answers.write_text(json.dumps(done, indent=1) + "\n")
    right, alone = (sum(one[which] for one in done) for which in ("right", "alone"))
    print(f"seed {wanted.seed}: {right} of {len(done)} called rightly, {alone} of them with nobody else")


def turn(case: Case, commands: Commands, injections: Injections) -> Verdict:
    """One job with one thing wrong, which is taken back whatever happens."""
    source = ("--input", skewed(case.magnitude)) if case.cause == "skewed partition" else ()
    try:
        injections.put_in(case)
        told = commands.hadoop("terasort", *_SORT, *source)
        load = os.getloadavg()[0]
    finally:
        injections.take_back()
    return judge(case, Path(told["path"]), load)


def _kept(verdict: Verdict) -> dict[str, object]:
    case = verdict.case
    return {
        "turn": case.number,
        "cause": case.cause,
        "worker": verdict.worker,
        "magnitude": case.text,
        "called": verdict.called,
        "right": verdict.right,
        "alone": verdict.alone,
        "elapsed_s": round(verdict.elapsed_s, 1),
        "load": round(verdict.load, 1),
        "run": verdict.run,
    }


def _show(verdict: Verdict) -> None:
    case = verdict.case
    who = f"{case.cause} {verdict.worker or ''} {case.text}"
    said = ", ".join(verdict.called) or "none"
    mark = "right" if verdict.alone else "first" if verdict.right else "WRONG"
    print(
        f"{case.number:2} {who:62} {mark}  {said}  {verdict.elapsed_s:.0f} s, load {verdict.load:.0f}",
        flush=True,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, required=True, help="of causes, workers and magnitudes")
    parser.add_argument("--count", type=int, default=20, help="turns")
    parser.add_argument("--lab", default="exam", help="the laboratory's name")
    parser.add_argument("--minutes", type=float, default=600, help="begin no turn after so long")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
