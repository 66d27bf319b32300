"""Which software made the numbers."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.comparison import Aspect, Fact
from howdah.model.run import RunRecord


def version_facts(record: RunRecord) -> Iterator[Fact]:
    """Engine, howdah, Hadoop and the operating system; whether anything ran at all is the first."""
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
            yield Fact(aspect=Aspect.VERSIONS, name=name, value=value)
