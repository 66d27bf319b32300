"""What a Java daemon's /jmx tells of the machine it runs on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from howdah.model.survey import Volume
from howdah.services.errors import Unexpected
from howdah.services.jmx import JmxReader

_SYSTEM = "java.lang:type=OperatingSystem"
_DATANODE = "Hadoop:service=DataNode,name=DataNodeInfo"
_UNLIKE = 0.2
"""Volumes whose sizes seem to differ by more are not disks of one kind."""


class System(NamedTuple):
    """CPUs and memory, as Java sees them."""

    threads: int
    memory_bytes: int


def system(jmx: JmxReader) -> System:
    """CPUs and memory of a daemon's machine; raises ServiceError."""
    bean = jmx.bean(_SYSTEM) or {}
    # Java 14 gave memory another name; a container's limit is taken for it from then on.
    memory = bean.get("TotalMemorySize") or bean.get("TotalPhysicalMemorySize")
    threads = bean.get("AvailableProcessors")
    if not isinstance(memory, int) or not isinstance(threads, int):
        raise Unexpected(_SYSTEM, "does not tell CPUs and memory", "is this Java from OpenJDK?")
    return System(threads, memory)


def volumes(jmx: JmxReader, capacity_bytes: int) -> tuple[Volume, ...]:
    """A DataNode's volumes, whose sizes without reserves make up its capacity; raises ServiceError."""
    bean = jmx.bean(_DATANODE) or {}
    try:
        told = list(json.loads(bean.get("VolumeInfo") or "{}").values())
        return tuple(_sized(told, capacity_bytes))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Unexpected(_DATANODE, f"VolumeInfo is not understood: {error}") from error


def _sized(told: list[dict[str, object]], capacity_bytes: int) -> Iterator[Volume]:
    """Volumes with their sizes: what each has used, free and reserved, and its share of what others used.

    What is used by others than HDFS is told of all volumes together only.
    """
    if not told:
        return
    reserved = [_number(one, "reservedSpace") for one in told]
    own = [_number(one, "usedSpace") + _number(one, "freeSpace") for one in told]
    others = max(0, capacity_bytes - sum(own)) // len(told)
    sizes = [mine + held + others for mine, held in zip(own, reserved, strict=True)]
    if max(sizes) - min(sizes) <= _UNLIKE * max(sizes):
        sizes = [(capacity_bytes + sum(reserved)) // len(told)] * len(told)
    for one, size in zip(told, sizes, strict=True):
        yield Volume(storage=str(one["storageType"]), size_bytes=size)


def _number(one: dict[str, object], key: str) -> int:
    value = one[key]
    if not isinstance(value, int):
        raise ValueError(f"{key} is {value!r}")
    return value
