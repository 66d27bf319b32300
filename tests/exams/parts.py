"""The parts of ``make exam``: what each tries, and how it is started."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

SEED = "{seed}"
"""Stands for the seed in a part's command."""
TURN_MINUTES = 15
"""The longest part that takes its turn in CI."""

_FOLDERS = ("tests/browser", "tests/contract", "tests/integration")
"""Where tests of the exam may be: unit tests have none."""


class Part(NamedTuple):
    """One part of the exam."""

    name: str
    about: str
    minutes: int
    """About how long it takes on two idle cores."""
    words: tuple[str, ...]
    """What Python runs, after ``python -m``."""

    def command(self, seed: int) -> list[str]:
        """The command line of this part with a seed."""
        return [sys.executable, "-m", *(word.format(seed=seed) for word in self.words)]


def _script(name: str, minutes: int, about: str, *words: str) -> Part:
    return Part(name, about, minutes, words)


def _tests(name: str, minutes: int, about: str) -> Part:
    """A part that consists of the tests marked ``exam("NAME")``."""
    return Part(name, about, minutes, ("pytest", *_FOLDERS, "--exam", name))


PARTS = (
    _script("laws", 4, "new examples for every property test",
            "pytest", "tests/unit", "--quiet", "--numprocesses=2", "-m", "hypothesis",
            "--hypothesis-profile=new", "--hypothesis-seed", SEED),
    _script("quick", 12, "the quick simulation compared with the full one",
            "exams.quick", "--seed", SEED, "--count", "2", "--seeds", "3", "--no-study"),
    _script("tuning", 10, "a space searched and simulated completely",
            "exams.tuning", "--seed", SEED, "--part", "complete"),
    _script("tuning-rules", 6, "the rules' plans of 20 inventories compared with the best of searches",
            "exams.tuning", "--seed", SEED, "--part", "inventories"),
    _script("predictions", 25, "labs predicted from this machine's own task costs, run and scored",
            "exams.predictions"),
    _script("mixes", 25, "mixes of YCSB predicted from other mixes, run and scored", "exams.mixes"),
    _script("schedules", 12, "random faults of a highly available lab",
            "exams.broken", "--schedules", "4", "--seed", SEED, "--beside", "teragen"),
    _script("upgrades", 12, "a rolling upgrade, killed, resumed, rolled back and finalized",
            "exams.upgrades", "--seed", SEED),
    _script("upgrades-single", 5, "an upgrade with one of each master",
            "exams.upgrades", "--seed", SEED, "--single"),
    *(
        _script(f"deploy-{name}", minutes, about, "exams.deployments", "--seed", SEED, "--part", name)
        for name, minutes, about in (
            ("line", 5, "probe, plan, deploy, check and run on three hosts"),
            ("adverse", 9, "jump hosts, full disks, cut-off hosts, wrong passwords"),
            ("redundant", 15, "two masters of each kind, changed, grown, shrunk, a host lost"),
            ("keys", 15, "48 keys changed, restarts and running daemons' settings compared"),
            ("killed", 15, "deployments killed at random moments"),
            ("kerberos", 15, "HDFS with Kerberos"),
            ("kerberos-pair", 15, "two NameNodes with Kerberos"),
            ("kerberos-tables", 15, "HBase with Kerberos"),
        )
    ),
    _tests("labs", 14, "labs killed at any moment, without root, with hosts exchanged; a busy machine"),
    _tests("failover", 12, "a highly available lab under random faults"),
    _tests("regions", 9, "HBase on a plan's own files, YCSB as printed, and a RegionServer lost under load"),
    _tests("shared-hosts", 4, "two labs on shared hosts"),
    _tests("coding", 10, "coded files sorted, a lost worker rebuilt, a worker drained while a job runs"),
    _tests("studies", 10, "studies killed, alone and with their labs"),
    _tests("deploying", 10, "deployments killed, hosts added, removed and lost"),
    _tests("redeploying", 8, "changed values and changes that cannot roll on deployed hosts"),
    _tests("jobs", 9, "jobs on a plan's own files; interrupted, killed, compared, replayed; a catalogue"),
    _tests("spark", 13, "programs on Spark: checksums, TPC-H's answers, losses, a replay and its second run"),
    _tests("foreign", 12, "a cluster that howdah did not start, with Spark; hosts imported from another"),
    _tests("placement", 6, "replicas, addresses, pairs of masters and failover on separate hosts"),
    _tests("pages", 12, "every page in both schemes, with axe; exports, sliders, many tabs, servers killed"),
    _script("release", 10, "a wheel and a source distribution, installed into empty environments",
            "exams.release"),
    _tests("tutorial", 8, "the tutorial with its lab, as printed"),
    _tests("benches", 8, "every bench in small"),
)  # fmt: skip


def turn(number: int) -> Part:
    """The part whose turn it is, for example after so many commits."""
    short = [part for part in PARTS if part.minutes <= TURN_MINUTES]
    return short[number % len(short)]


def named(names: Sequence[str]) -> list[Part]:
    """The parts of these names, all without any; raises SystemExit for an unknown name."""
    parts = {part.name: part for part in PARTS}
    if unknown := [name for name in names if name not in parts]:
        raise SystemExit(f"error: PART={unknown[0]}: unknown part; the parts are {', '.join(parts)}")
    return [parts[name] for name in names] if names else list(PARTS)
