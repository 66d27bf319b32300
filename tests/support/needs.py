"""What the tests need of a machine, and what is skipped without it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import NamedTuple

from support.daemons import HBASE_LIB, LIB
from support.lab_hosts import can_build
from support.systemd_hosts import lacking
from support.vcenter import PROGRAM

MINUTES = 20
"""About how long ``make test`` takes on two idle cores."""


class Need(NamedTuple):
    """One thing that some tests need."""

    present: bool
    tests: str
    """What the tests that need it are about."""
    remedy: str


def needs() -> Iterator[Need]:
    """Everything that some tests need and a machine may lack."""
    yield Need(LIB.exists() and HBASE_LIB.exists(), "Hadoop and HBase daemons", "make build/stamps/hadoop")
    yield Need(can_build(), "labs and hosts with their own addresses", "root, iproute2 and xfsprogs")
    yield Need(not lacking(), "hosts to deploy to", lacking() or "")
    yield Need(PROGRAM.exists(), "a vCenter", "make build/stamps/vcsim")
    for command, tests in (
        ("chromium", "pages in a browser"),
        ("fio", "measured disks"),
        ("iperf3", "measured networks"),
        ("prometheus", "samples of Prometheus"),
        ("sadf", "samples of sysstat"),
        ("openssl", "certificates"),
        ("virt-xml-validate", "definitions for libvirt"),
    ):
        yield Need(shutil.which(command) is not None, tests, f"{command} is missing")


def needs_text() -> list[str]:
    """What is tested, what is skipped and why, and how long it takes, line by line."""
    known = list(needs())
    lines = [f"tests     about {MINUTES} min on two idle cores, here {len(os.sched_getaffinity(0))}"]
    lines.append("tested    " + ", ".join(need.tests for need in known if need.present))
    lines += [f"skipped   {need.tests}: {need.remedy}" for need in known if not need.present]
    return lines
