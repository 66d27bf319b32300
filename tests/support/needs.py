"""What the tests need of a machine, and what is skipped without it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from typing import NamedTuple

from support.daemons import HBASE_LIB, LIB
from support.lab_hosts import can_build
from support.systemd_hosts import lacking
from support.vcenter import PROGRAM

MINUTES = 14
"""About how long ``make test`` takes on two idle cores."""

COMMANDS = {
    "chromium": "pages in a browser",
    "java": "options of Java",
    "javac": "catalogues of releases",
    "mvn": "jars fetched by Maven",
    "fio": "measured disks",
    "mkfs.xfs": "disks with XFS",
    "iperf3": "measured networks",
    "prometheus": "samples of Prometheus",
    "prometheus-node-exporter": "samples of a node exporter",
    "sadf": "samples of sysstat",
    "openssl": "certificates",
    "ktutil": "keytabs",
    "systemd-analyze": "units of systemd",
    "virt-xml-validate": "definitions for libvirt",
    "xmllint": "definitions for libvirt, validated",
}
"""Commands of this machine that tests need, and what those tests are about."""


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
    yield Need(find_spec("libvirt") is not None, "hosts of libvirt", "make build/stamps/kvm")
    for command, tests in COMMANDS.items():
        yield Need(shutil.which(command) is not None, tests, f"{command} is missing")


def needs_text() -> list[str]:
    """What is tested, what is skipped and why, and how long it takes, line by line."""
    known = list(needs())
    lines = [f"tests     about {MINUTES} min on two idle cores, here {len(os.sched_getaffinity(0))}"]
    lines.append("tested    " + ", ".join(need.tests for need in known if need.present))
    lines += [f"skipped   {need.tests}: {need.remedy}" for need in known if not need.present]
    return lines
