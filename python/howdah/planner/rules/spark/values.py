"""What Spark's own code makes of its keys: their names, kinds, words and units."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.found import FoundProperty
from howdah.planner.executor import CONFIGURATION
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading, entry_verdict
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.releases.similar import similar_text
from howdah.releases.spark import SparkKey, intended_spark_key, spark_keys
from howdah.units import MIB

_FILE = "spark-defaults.conf"
_SOURCE = "Spark 4.3.0: ConfigEntry"
_FACTORS = (60.0, 3600.0, 86400.0, 1e3, 1024.0, 1024.0**2, 1024.0**3)
_CLOSE = 0.03
_MILD = ("spark.locality.wait", "spark.sql.autoBroadcastJoinThreshold")
"""Where as little as one asks for by mistake costs time only."""
_LEAST_HEAP = 450 * MIB
"""What UnifiedMemoryManager asks of a heap: one and a half times the 300 MiB that it reserves."""
_HEAPS = ("spark.executor.memory", "spark.driver.memory")
_LEAST_OVERHEAD = 64 * MIB
_FORMER_MASTERS = ("yarn-client", "yarn-cluster")
"""Masters of Spark 1, with which no application of a later one starts."""
_OVERHEADS = ("spark.executor.memoryOverhead", "spark.driver.memoryOverhead", "spark.yarn.am.memoryOverhead")
rules = Rules()


def _entries(reading: Reading) -> Iterator[FoundProperty]:
    for entry in reading.config.effective if reading.config else ():
        if entry.base_name == _FILE and "${" not in entry.text:
            yield entry


@rules.inspection("spark.misspelt", MUST, sources=_SOURCE, when="for names that are close to a known one")
def _names(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """A key's name is one that Spark knows; a misspelt one is without effect."""
    for entry in _entries(reading):
        near = intended_spark_key(entry.name) if entry.name.isascii() else None
        if near is not None:
            yield entry_verdict(
                entry,
                False,
                found="a name that no code of Spark reads",
                expected=near,
                fix=f"rename {entry.name} to {near} in {entry.place}",
            )


@rules.inspection("spark.kinds", MUST, sources=_SOURCE)
def _kinds(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """A value is one that Spark's own code can read."""
    for entry in _entries(reading):
        known = spark_keys().get(entry.name)
        misfit = known.misfit(entry.text) if known and entry.text else None
        if entry.name == "spark.master" and entry.text in _FORMER_MASTERS:
            yield entry_verdict(
                entry,
                False,
                found=f"{entry.text}, a master of Spark 1",
                expected="yarn: applications of later releases do not start otherwise",
                fix=f"set spark.master to yarn in {entry.place}, and spark.submit.deployMode to "
                f"{entry.text.removeprefix('yarn-')}",
            )
        if known is not None and misfit is not None:
            near = similar_text(entry.text, known.words) or known.default
            yield entry_verdict(
                entry,
                False,
                found=f"{entry.text!r} {misfit}",
                expected="a value that Spark can read: applications end in their first second otherwise",
                fix=f"set {entry.name} to {near} in {entry.place}"
                if near
                else f"write {entry.name} as {known.kind} in {entry.place}",
            )


def _off(known: SparkKey, text: str) -> tuple[float, float] | None:
    """How many times a bare number is off its default, if by a unit's factor, and the default."""
    value, usual = known.quantity(text), known.quantity(known.default)
    if not text.strip().isdigit() or not value or not usual or value < 0:
        return None
    ratio = max(value / usual, usual / value)
    near = any(abs(ratio / factor - 1) <= _CLOSE for factor in _FACTORS)
    return (value / usual, usual) if near else None


def _units(reading: Reading) -> Iterator[tuple[bool, Observation]]:
    """Every number whose unit is another one than its writer meant, with whether work is lost by it."""
    for entry in _entries(reading):
        known = spark_keys().get(entry.name)
        off = _off(known, entry.text) if known is not None else None
        if known is None or off is None:
            continue
        ratio, _ = off
        times = f"{1 / ratio:,.0f} times less" if ratio < 1 else f"{ratio:,.0f} times more"
        yield (
            ratio < 1 and entry.name not in _MILD,
            entry_verdict(
                entry,
                False,
                found=f"{entry.text}, {known.kind} where no unit is given: {times} than the default "
                f"{known.default}",
                expected=f"a number with its unit, such as {known.default}",
                fix=f"set {entry.name} to {known.default} in {entry.place}, or write the unit that is meant",
            ),
        )


@rules.inspection("spark.units-too-small", MUST, sources=_SOURCE)
def _lost(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Numbers without a unit are in the unit that their keys count in."""
    return (observation for fatal, observation in _units(reading) if fatal)


@rules.inspection("spark.units", sources=_SOURCE)
def _doubtful(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Numbers without a unit are not off by a factor that lies between two units."""
    return (observation for fatal, observation in _units(reading) if not fatal)


@rules.inspection("spark.heap-units", MUST, sources=f"{CONFIGURATION}, Spark 4.3.0: UnifiedMemoryManager")
def _heaps(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Executors and drivers have memory enough to start."""
    for entry in _entries(reading):
        least = _LEAST_HEAP if entry.name in _HEAPS else _LEAST_OVERHEAD if entry.name in _OVERHEADS else None
        given = spark_keys()[entry.name].quantity(entry.text) if least is not None else None
        if least is None or given is None:
            continue
        yield entry_verdict(
            entry,
            given >= least,
            found=f"{entry.text}, which is {given / MIB:,.0f} MiB",
            expected=f"{least // MIB} MiB at least: "
            + (
                "Spark ends with less"
                if entry.name in _HEAPS
                else "YARN kills executors that outgrow their containers"
            ),
            fix=f"write the unit in {entry.place}, {entry.text.strip()}g for instance: a number without one "
            "counts MiB",
        )
