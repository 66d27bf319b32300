"""Whether the state of jobs goes from one ResourceManager to the other, and only one writes it."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.planner.rules.ha.managers import are_paired

_STORE = "yarn.resourcemanager.store.class"
_STORES = "org.apache.hadoop.yarn.server.resourcemanager.recovery."
_OF_ONE_HOST = ("MemoryRMStateStore", "NullRMStateStore", "LeveldbRMStateStore")
_CONDITION = "ResourceManagers are highly available"
rules = Rules()


def _store(reading: Reading) -> str:
    """The kind of the store of jobs, without its package."""
    return (reading.text(_STORE) or "FileSystemRMStateStore").removeprefix(_STORES)


@rules.inspection("ha.shared-state", MUST, sources="Hadoop 3.5.0: ResourceManagerRestart", when=_CONDITION)
def _shared_state(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """What one ResourceManager knows of jobs, the other one reads."""
    if are_paired(reading):
        yield _kept(
            reading,
            ok=_store(reading) not in _OF_ONE_HOST,
            expected="a store that the other ResourceManager reads as well: it starts with no jobs otherwise",
        )


def _kept(reading: Reading, *, ok: bool, expected: str) -> Observation:
    return Observation(
        ok=ok,
        about=_STORE,
        found=reading.text(_STORE) or "FileSystemRMStateStore (default)",
        expected=expected,
        fix=f"set {_STORE} to {_STORES}ZKRMStateStore in yarn-site.xml",
        where=reading.where(_STORE) or "yarn-site.xml",
    )


@rules.inspection("ha.fenced-state", sources="Hadoop 3.5.0: ResourceManagerRestart", when=_CONDITION)
def _fenced_state(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Only the active ResourceManager can write what is known of jobs."""
    if are_paired(reading) and _store(reading) not in _OF_ONE_HOST:
        yield _kept(
            reading,
            ok=_store(reading) != "FileSystemRMStateStore",
            expected="a store that lets one ResourceManager write at a time: files let both, where the first "
            "one only paused",
        )
