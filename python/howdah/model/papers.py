"""The papers that rules, studies and reports cite."""

from __future__ import annotations

from typing import NamedTuple


class CitedPaper(NamedTuple):
    """A paper by a name that fits into a line, and its title with the year."""

    name: str
    title: str


PAPERS = {
    "D0": CitedPaper(
        "vSphere 6 study",
        "Virtualized Hadoop Performance with VMware vSphere 6 on High-Performance Servers (2015)",
    ),
    "D1": CitedPaper(
        "Fault Tolerance study", "Protecting Hadoop with VMware vSphere 5 Fault Tolerance (2012)"
    ),
    "D2": CitedPaper(
        "vSphere 5 study",
        "A Benchmarking Case Study of Virtualized Hadoop Performance on VMware vSphere 5 (2011)",
    ),
    "D3": CitedPaper("HBase study", "HBase on vSphere 6 with Big Data Extensions (2016)"),
    "D4": CitedPaper(
        "10GbE study", "AMAX, Performance measurement of a Hadoop cluster: 1GbE against 10GbE (2012)"
    ),
}  # By the abbreviations that rules cite them by.
