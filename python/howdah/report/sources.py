"""The published studies that settings and advice are based on, named for readers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple


class PublishedPaper(NamedTuple):
    """A study by a name that fits into a line, and in full."""

    name: str
    title: str


PAPERS = {
    "D0": PublishedPaper(
        "vSphere 6 study", "VMware, Virtualized Hadoop Performance with VMware vSphere 6 (2015)"
    ),
    "D1": PublishedPaper(
        "Fault Tolerance study", "VMware, Protecting Hadoop with VMware vSphere 5 Fault Tolerance (2012)"
    ),
    "D2": PublishedPaper(
        "vSphere 5 study",
        "VMware, A Benchmarking Case Study of Virtualized Hadoop Performance on VMware vSphere 5 (2011)",
    ),
    "D3": PublishedPaper("HBase study", "VMware, the HBase on vSphere 6 study (2016)"),
    "D4": PublishedPaper("10GbE study", "AMAX, 1GbE against 10GbE (2012)"),
}
"""By the abbreviations that rules cite them by."""
_CITED = re.compile(r"\b(D[0-4]) ?(\d)?")
_OWN = re.compile(r"\bX(\d+)\b")


def source_text(source: str) -> str:
    """What a setting cites, in words: ``D0 50`` is ``vSphere 6 study, item 50``."""
    return _OWN.sub(r"howdah, note \1", _CITED.sub(_named, source))


def _named(cited: re.Match[str]) -> str:
    item = f"item {cited[2]}" if cited[2] else ""
    return f"{PAPERS[cited[1]].name}, {item}"


def cited(sources: Iterable[str]) -> str:
    """One line that names every paper the sources cite; empty where they cite none."""
    names = {found[1] for source in sources for found in _CITED.finditer(source)}
    papers = [f"{paper.name}: {paper.title}" for key, paper in PAPERS.items() if key in names]
    if not papers:
        return ""
    return f"{'; '.join(papers)}. Items are numbered as howdah lists them: `howdah rules`."
