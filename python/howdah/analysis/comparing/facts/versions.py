"""Which software made the numbers."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.comparison import Aspect, Fact
from howdah.model.run import RunRecord


def version_facts(record: RunRecord) -> Iterator[Fact]:
    """Engine, howdah, Hadoop and the operating system; of a simulation, what it rests on."""
    software, cluster = record.host.software, record.cluster
    named = (
        ("origin of the numbers", record.origin.value),
        ("engine", f"{record.engine} {record.engine_version}"),
        ("howdah", record.howdah_version),
        ("Hadoop", cluster.hadoop_version if cluster else None),
        ("Hadoop's client", cluster.client_version if cluster else None),
        ("kernel", software.kernel),
        ("distribution", software.distribution),
        ("Java", software.java),
    )
    for name, value in named:
        if value is not None:
            yield _fact(name, value)
    if record.simulated is not None:
        yield _fact("calibration", record.simulated.calibration or "none: parameters are defaults")
        for name, parameter in sorted(record.simulated.parameters.items()):
            yield _fact(f"parameter {name}", f"{parameter:.6g}")


def _fact(name: str, value: str) -> Fact:
    return Fact(aspect=Aspect.VERSIONS, name=name, value=value)
