"""The engines howdah knows, its own and those of other packages, and what each may be asked for.

An engine is declared once: its options become flags of ``howdah run``, and what it prepares is imported when
it is asked for, since each brings libraries that the others do without.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Final, NamedTuple

from howdah.errors import UserError
from howdah.model.engine_options import (
    CALIBRATION,
    CONF,
    DATA_DIR,
    DEADLINE,
    FAULT,
    HADOOP,
    HBASE,
    HDFS_DIR,
    HOSTS,
    LAB,
    LOCAL,
    MAP_SLOTS,
    MEMORY,
    PLAN,
    PROBE,
    QUEUE,
    REACH,
    REDUCE_SLOTS,
    REPLICATIONS,
    SAMPLE_INTERVAL,
    SET,
    SIM,
)
from howdah.model.workloads.option import Option
from howdah.model.workloads.suite import options

GROUP = "howdah.engines"
"""The group of entry points by which another package brings engines: ``name = "module:ENGINE"``."""


class RegisteredEngine(NamedTuple):
    """One engine, as the command line and studies know it."""

    name: str
    """What ``--engine`` takes."""
    help: str
    """What it runs on, to follow its name."""
    title: str
    """The heading of its own flags."""
    options: tuple[Option[Any], ...]
    """What it may be asked for beside its programs' options."""
    prepare: str
    """The function that makes a run ready, as ``package.module:function``."""
    planned: bool = False
    """Whether a study gives each of its cells a plan of its own."""
    on_laboratories: bool = False
    """Whether a study may build laboratories for it."""


_OF_A_MACHINE = (MEMORY, DATA_DIR, MAP_SLOTS, REDUCE_SLOTS)

OWN: Final = (
    RegisteredEngine(
        LOCAL,
        "this machine without Hadoop",
        "On this machine",
        (SAMPLE_INTERVAL, *_OF_A_MACHINE),
        "howdah.engines.local.preparation:prepare_local",
    ),
    RegisteredEngine(
        HADOOP,
        "a cluster or the lab",
        "On a Hadoop cluster",
        (SAMPLE_INTERVAL, PLAN, CONF, LAB, HDFS_DIR, QUEUE, DEADLINE, SET, FAULT),
        "howdah.engines.hadoop.preparation:prepare_cluster",
        on_laboratories=True,
    ),
    RegisteredEngine(
        HBASE,
        "an HBase in the lab, your own, or one on this machine",
        "On HBase",
        (SAMPLE_INTERVAL, PLAN, CONF, LAB, MEMORY, DATA_DIR, FAULT),
        "howdah.engines.hbase.preparation:prepare_hbase",
        on_laboratories=True,
    ),
    RegisteredEngine(
        HOSTS,
        "the machines of the lab or your own hosts, without Hadoop",
        "On hosts without Hadoop",
        (SAMPLE_INTERVAL, PLAN, LAB, REACH),
        "howdah.engines.hosts.preparation:prepare_hosts",
    ),
    RegisteredEngine(
        SIM,
        "a planned cluster that need not exist",
        "In a simulation",
        # With --probe it is this machine that is simulated.
        (SAMPLE_INTERVAL, PLAN, PROBE, CALIBRATION, REPLICATIONS, *_OF_A_MACHINE),
        "howdah.engines.sim.preparation:prepare_simulation",
        planned=True,
    ),
)


@cache
def engines() -> Mapping[str, RegisteredEngine]:
    """Every engine by its name; raises UserError for one of another package that is none."""
    result = {engine.name: engine for engine in OWN}
    for point in entry_points(group=GROUP):
        try:
            engine = point.load()
        except Exception as error:
            # Whatever another package does while it is imported is not ours to know.
            raise UserError(point.value, f"cannot be loaded: {error!r}", "correct its entry point") from error
        if not isinstance(engine, RegisteredEngine) or engine.name in result:
            raise UserError(
                point.value, f"is not a new engine called {point.name!r}", "correct its entry point"
            )
        result[engine.name] = engine
    return result


@cache
def all_options() -> Mapping[str, Option[Any]]:
    """Every option by name: the programs', then the engines'."""
    return dict(options()) | {
        option.name: option for engine in engines().values() for option in engine.options
    }
