"""Whether the services that NodeManagers are to load are ones that they can load."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules

_SERVICES = "yarn.nodemanager.aux-services"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CLASSES = {
    "mapreduce_shuffle": "org.apache.hadoop.mapred.ShuffleHandler",
    "spark_shuffle": "org.apache.spark.network.yarn.YarnShuffleService",
    "timeline_collector": (
        "org.apache.hadoop.yarn.server.timelineservice.collector.PerNodeTimelineCollectorsAuxService"
    ),
}
"""Services that are widely used, each with the class that its own documentation names."""
rules = Rules()


def _meant(reading: Reading, service: str) -> str | None:
    """The key of a class whose service is written in another way than in the list: spark.shuffle."""
    plain = re.sub(r"[._-]", "", service).lower()
    for entry in reading.config.properties if reading.config else ():
        name = entry.name.removeprefix(f"{_SERVICES}.").removesuffix(".class")
        written = entry.name == f"{_SERVICES}.{name}.class" and name != service
        if written and re.sub(r"[._-]", "", name).lower() == plain:
            return entry.name
    return None


@rules.inspection(
    "consistency.service-classes",
    MUST,
    sources="Hadoop 3.5.0: yarn-default.xml, howdah",
    when="where auxiliary services are listed",
)
def _classes(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Every auxiliary service of a NodeManager has a class."""
    if reading.truth(f"{_SERVICES}.manifest.enabled"):
        # Classes are then named by a manifest, which is no configuration.
        return
    where = reading.where(_SERVICES)
    for name in filter(None, map(str.strip, (reading.text(_SERVICES) or "").split(","))):
        if _NAME.fullmatch(name) is None:
            yield Observation(
                ok=False,
                about=_SERVICES,
                found=name,
                expected="names of letters, digits and underscores: the NodeManager does not start otherwise",
                fix=f"write {name.replace('.', '_')} for {name} in {where}",
                where=where,
            )
            continue
        if name not in _CLASSES and name.lower() in _CLASSES:
            # Names are compared with case.
            yield Observation(
                ok=False,
                about=_SERVICES,
                found=name,
                expected=f"{name.lower()}: what uses the service asks for it by this name",
                fix=f"write {name.lower()} for {name} in {where}",
                where=where,
            )
            continue
        key = f"{_SERVICES}.{name}.class"
        # The release has a class for its own service by default.
        given = reading.text(key) or facts.decided.get(key)
        other = None if given else _meant(reading, name)
        wanted = _CLASSES.get(name, "the service's class, which its documentation names")
        yield Observation(
            ok=bool(given),
            about=key,
            found=str(given or "not set"),
            expected=f"a class for {name}, which {_SERVICES} lists: the NodeManager does not start otherwise",
            fix=f"rename {other} to {key} in {reading.where(other)}"
            if other
            else f"add {key} = {wanted} to yarn-site.xml, and its jar to the class path of NodeManagers; "
            f"or remove {name} from {_SERVICES}",
            where=where,
        )
