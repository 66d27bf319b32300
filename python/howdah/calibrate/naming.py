"""The names of published runs: ``vsphere6 4 VMs 30 TB r3``, written and read.

A calibration keeps nothing of a run but its name, from which it is told again what was run.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from howdah.calibrate.tables import Setting
from howdah.units import MIB

_TB = 10**12
_PROTECTED = {True: "FT", False: "no FT"}
_NAME = re.compile(
    r"(?P<study>\S+) (?P<platform>.+) (?P<dataset>[0-9.]+) TB r(?P<read>\d+)(?:/(?P<sorted>\d+))?"
    r"(?: (?P<block>\d+) MiB)?(?: (?P<protected>FT|no FT))?"
)


class NamedRun(NamedTuple):
    """A published run as its name tells it."""

    study: str
    """The study's short name."""
    setting: Setting
    """What tells the run from the study's others."""


def run_name(run: NamedRun) -> str:
    """The run's name; what all runs of its study share is left out."""
    setting = run.setting
    parts = [run.study, setting.platform, f"{setting.dataset_bytes / _TB:.12g} TB"]
    replicas = (setting.replication, setting.output_replication)
    parts.append("r" + "/".join(str(one) for one in dict.fromkeys(replicas)))
    if setting.block_bytes is not None:
        parts.append(f"{setting.block_bytes // MIB} MiB")
    if setting.protected is not None:
        parts.append(_PROTECTED[setting.protected])
    return " ".join(parts)


def named_run(name: str) -> NamedRun | None:
    """The published run of this name; None for the name of anything else, such as a run of one's own."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    block, protected = found["block"], found["protected"]
    setting = Setting(
        platform=found["platform"],
        dataset_bytes=round(float(found["dataset"]) * _TB),
        replication=int(found["read"]),
        output_replication=int(found["sorted"] or found["read"]),
        block_bytes=int(block) * MIB if block else None,
        protected=protected == _PROTECTED[True] if protected else None,
    )
    return NamedRun(found["study"], setting)
