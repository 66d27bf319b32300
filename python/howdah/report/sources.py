"""The papers that a plan's sources name by a letter and a digit."""

from __future__ import annotations

import re
from collections.abc import Iterable

PAPERS = {
    "D0": "VMware, Virtualized Hadoop Performance with VMware vSphere 6 (2015)",
    "D1": "VMware, Protecting Hadoop with VMware vSphere 5 Fault Tolerance (2012)",
    "D2": "VMware, A Benchmarking Case Study of Virtualized Hadoop Performance on VMware vSphere 5 (2011)",
    "D3": "VMware, the HBase on vSphere 6 study (2016)",
    "D4": "AMAX, 1GbE against 10GbE (2012)",
}

_CITED = re.compile(r"\b(D\d)\b")


def cited(sources: Iterable[str]) -> str:
    """One line that names every paper the sources cite; empty where they cite none."""
    names = {name for source in sources for name in _CITED.findall(source)}
    papers = [f"{name}: {title}" for name, title in PAPERS.items() if name in names]
    if not papers:
        return ""
    return f"{'; '.join(papers)}. The number beside it is the recommendation's in howdah's own list."
