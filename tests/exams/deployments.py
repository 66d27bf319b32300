"""Deploys to hosts of this machine that have systemd and nothing of Hadoop, and breaks what it can meanwhile.

    sudo PYTHONPATH=tests .venv/bin/python -m exams.deployments --seed 7

Eight parts, each on hosts of its own: README's one line; what goes wrong on real hosts; two of each master,
used, changed, grown, shrunk, with a host lost meanwhile; 48 keys changed, several for every daemon;
deployments killed at random moments; HDFS with Kerberos, with one NameNode and with two, and HBase with it.
Each step says how long it took, and the first that is not as it should be ends it. --part holds one of them
alone.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from exams.deploying import adverse, kerberos, keys, killed, redundant, tables, whole
from exams.deploying.course import Course
from howdah.model.request import Protection
from support.systemd_hosts import lacking, systemd_hosts


class _Part(NamedTuple):
    """A part of the exam."""

    hosts: tuple[str, ...]
    protection: Protection
    examine: Callable[[Course, random.Random, int], None]


_PARTS = {
    "line": _Part(whole.HOSTS, Protection.NONE, lambda course, _, __: whole.examine(course)),
    "adverse": _Part(adverse.HOSTS, Protection.NONE, lambda course, _, __: adverse.examine(course)),
    "redundant": _Part(
        (*redundant.HOSTS, redundant.NEW),
        Protection.HA,
        lambda course, dice, _: redundant.examine(course, dice),
    ),
    "keys": _Part(keys.HOSTS, Protection.HA, lambda course, _, __: keys.examine(course)),
    "kerberos": _Part(
        (*kerberos.HOSTS, kerberos.NEW), Protection.NONE, lambda course, _, __: kerberos.examine(course)
    ),
    "kerberos-pair": _Part(
        kerberos.HOSTS, Protection.HA, lambda course, _, __: kerberos.examine_pair(course)
    ),
    "kerberos-tables": _Part(kerberos.HOSTS, Protection.HA, lambda course, _, __: tables.examine(course)),
    "killed": _Part(redundant.HOSTS, Protection.HA, killed.examine),
}


def main() -> None:
    """Hold the exam."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, required=True, help="of the moments of kills and losses")
    parser.add_argument(
        "--kills", type=int, default=6, help="how many are killed from nothing, and in a change"
    )
    parser.add_argument("--part", choices=_PARTS, action="append", help="hold this part alone; repeatable")
    given = parser.parse_args()
    # Where `make test` fetches jars to, unless another cache is named.
    os.environ.setdefault("HOWDAH_CACHE", str(Path(__file__).parents[2] / "build"))
    if missing := lacking():
        raise SystemExit(missing)
    for name in given.part or _PARTS:
        part = _PARTS[name]
        print(f"{name}, seed {given.seed}", flush=True)
        with (
            tempfile.TemporaryDirectory(prefix="howdah-exam-") as folder,
            systemd_hosts(Path(folder, "hosts"), part.hosts, disks=2) as hosts,
        ):
            part.examine(Course(hosts, Path(folder), part.protection), random.Random(given.seed), given.kills)


if __name__ == "__main__":
    main()
