"""The engines howdah knows, its own and those of other packages, and the options of each.

An engine is declared once: its options become flags of ``howdah run``, and what it prepares is imported when
it is asked for, since each brings libraries that the others do without.
"""

from __future__ import annotations

import dataclasses
import math
import shlex
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

from pydantic import Field

from howdah.errors import UserError
from howdah.model.base import Size
from howdah.model.plan import value_text
from howdah.model.workloads.option import MOST_TASKS, Option, Refusal, StudiedAs, count, unless
from howdah.model.workloads.suite import options
from howdah.units import parse_bytes, parse_count

LOCAL: Final = "local"
HADOOP: Final = "hadoop"
SIM: Final = "sim"
HOSTS: Final = "hosts"
HBASE: Final = "hbase"


_MOST_SLOTS = 256
_MOST_INTERVAL_S = 3600.0


def _slots(name: str, help: str) -> Option[int]:  # noqa: A002 - the word that every command line has for it
    studied = StudiedAs(name, Annotated[int, Field(ge=1, le=MOST_TASKS)])
    return dataclasses.replace(count(name, help, most=_MOST_SLOTS, engines=(LOCAL,)), studied=studied)


def _path(text: str, flag: str) -> Path:
    return Path(text)


def _at_least(least_s: float, hint: str, problem: str) -> Callable[[str, str], float]:
    """The parser of a number of seconds; ``problem`` is what is wrong with fewer."""

    def parse(text: str, flag: str) -> float:
        try:
            value = float(text)
        except ValueError as error:
            raise UserError(flag, f"{text!r} is not a number of seconds", hint) from error
        if math.isnan(value):
            raise UserError(flag, f"{text!r} is not a number of seconds", hint)
        if value < least_s:
            raise UserError(flag, problem.format(text), hint)
        return value

    return parse


def _property(text: str, flag: str) -> tuple[tuple[str, str], ...]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        hint = "write, for example, mapreduce.task.io.sort.mb=400"
        raise UserError(f"{flag} {text}", "is not of the form KEY=VALUE", hint)
    return ((key.strip(), value.strip()),)


def _command(text: str, flag: str) -> tuple[str, ...]:
    hint = f"write, for example, {flag} 'ssh -o BatchMode=yes {{host}}'"
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UserError(f"{flag} {text}", f"cannot be read: {error}", hint) from error
    if not any("{host}" in word for word in words):
        raise UserError(f"{flag} {text}", "does not contain {host}", hint)
    return words


def _refuse_properties(properties: tuple[tuple[str, str], ...], engine: str) -> Refusal | None:
    keys = [key for key, _ in properties]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    return None if twice is None else Refusal(f"{twice} is set twice", "leave one of them out")


def _text(
    name: str,
    help: str,  # noqa: A002 - as in workloads.option
    metavar: str,
    engines: tuple[str, ...],
    completion: str | None = None,
) -> Option[str]:
    """An option that is a text, which no study varies."""
    return Option(name, name, help, metavar, lambda text, flag: text, None, engines, completion=completion)


def _file(name: str, help: str, engines: tuple[str, ...]) -> Option[Path]:  # noqa: A002
    """An option that is a file, which no study varies."""
    return Option(name, name, help, "FILE", _path, None, engines)


SAMPLE_INTERVAL: Final = Option[float](
    "sample_interval", "sample_interval_s", "Seconds between samples: 1, or 0.1 on short runs.", "S",
    _at_least(0.1, f"give seconds from 0.1 to {_MOST_INTERVAL_S:g}", "{} s is too short an interval"), None,
    refuse=unless(lambda s: s <= _MOST_INTERVAL_S, "{} s is too long", f"give at most {_MOST_INTERVAL_S:g}"),
)  # fmt: skip
MEMORY: Final = Option[int](
    "memory", "memory_bytes",
    "Memory limit of the whole process, such as 2GiB; heap of an HBase on this machine.", "BYTES",
    parse_bytes, StudiedAs("memory", Size), (LOCAL, HBASE),
)  # fmt: skip
DATA_DIR: Final = Option[tuple[Path, ...]](
    "data_dir", "data_dirs", "Directory for data, repeatable, one for each disk. Default: howdah-data.",
    "DIR", lambda text, flag: (Path(text),),
    StudiedAs("data_dirs", tuple[str, ...], lambda names: tuple(map(Path, names))), (LOCAL, HBASE),
    several=True,
)  # fmt: skip
MAP_SLOTS: Final = _slots("map_slots", "Number of concurrent map tasks.")
REDUCE_SLOTS: Final = _slots("reduce_slots", "Number of concurrent reduce tasks.")
CONF: Final = Option[Path](
    "conf", "conf",
    "Configuration of the cluster. Default: $HADOOP_CONF_DIR or $HBASE_CONF_DIR, or the lab.", "DIR", _path,
    StudiedAs("conf", str, Path), (HADOOP, HBASE),
)  # fmt: skip
LAB: Final = _text("lab", "Name of the lab to run on. Default: lab, if it is up.", "NAME",
                   (HADOOP, HBASE, HOSTS), "howdah.session.laboratories:names")  # fmt: skip
PLAN: Final = _file("plan", "Plan of the cluster to simulate, or of the one that --conf or --reach names.",
                    (HADOOP, HBASE, SIM, HOSTS))  # fmt: skip
HDFS_DIR: Final = _text(
    "hdfs_dir", "Directory in HDFS for all data. Default: howdah, in your home directory.", "PATH", (HADOOP,)
)
QUEUE: Final = _text("queue", "Queue of the scheduler.", "NAME", (HADOOP,))
DEADLINE: Final = Option[float](
    "deadline", "deadline_s", "Seconds to wait for a first container. Default: 120.", "S",
    _at_least(1.0, "give seconds, 1 or more", "no queue gives a container within {} s"), None, (HADOOP,),
)  # fmt: skip
SET: Final = Option[tuple[tuple[str, str], ...]](
    "set", "job_settings", "Property of all jobs, KEY=VALUE; repeatable.", "KEY=VALUE", _property,
    StudiedAs("job_settings", dict[str, str | int | float | bool],
              lambda values: tuple((key, value_text(value)) for key, value in values.items())),
    (HADOOP,), _refuse_properties, several=True,
)  # fmt: skip
FAULT: Final = Option[tuple[str, ...]](
    "fault", "faults",
    "Fault to inject into the lab, such as 'kill regionserver@h1-1 at ycsb-a 40%', or a file of faults; "
    "repeatable.", "FAULT", lambda text, flag: (text,),
    # A study's cell has one fault, or several.
    StudiedAs("fault", str | tuple[str, ...], lambda text: (text,) if isinstance(text, str) else text),
    (HADOOP, HBASE), several=True,
)  # fmt: skip
PROBE: Final = _file(
    "probe", "File that `howdah probe --measure` wrote, to simulate the local engine on that machine.", (SIM,)
)
CALIBRATION: Final = _text(
    "calibration",
    "Calibration: a file that `howdah calibrate` wrote, or `published`. Default: uncalibrated.", "FILE",
    (SIM,),
)  # fmt: skip
REPLICATIONS: Final = Option[int](
    "replications", "replications",
    "Number of simulations with different seeds, for medians and, with a calibration, 90 % intervals.", "N",
    parse_count, None, (SIM,),
)  # fmt: skip
REACH: Final = Option[tuple[str, ...]](
    "reach", "reach",
    "Command that runs commands on a host of --plan, such as 'ssh -o BatchMode=yes {host}'.", "COMMAND",
    _command, None, (HOSTS,),
)  # fmt: skip

GROUP = "howdah.engines"  # Entry points by which packages bring engines: ``name = "module:ENGINE"``.


class RegisteredEngine(NamedTuple):
    """One engine, as the command line and studies know it."""

    name: str  # What ``--engine`` takes.
    help: str  # What it runs on, to follow its name.
    title: str
    options: tuple[Option[Any], ...]  # Its options in addition to those of its programs.
    prepare: str  # The function that makes a run ready, as ``package.module:function``.
    planned: bool = False  # Whether a study gives each of its cells a plan of its own.
    on_laboratories: bool = False  # Whether a study may build laboratories for it.


_OF_A_MACHINE = (MEMORY, DATA_DIR, MAP_SLOTS, REDUCE_SLOTS)

OWN: Final = (
    RegisteredEngine(
        LOCAL, "this machine without Hadoop", "On this machine", (SAMPLE_INTERVAL, *_OF_A_MACHINE),
        "howdah.engines.local.preparation:prepare_local",
    ),
    RegisteredEngine(
        HADOOP, "a cluster or the lab", "On a Hadoop cluster",
        (SAMPLE_INTERVAL, PLAN, CONF, LAB, HDFS_DIR, QUEUE, DEADLINE, SET, FAULT),
        "howdah.engines.hadoop.preparation:prepare_cluster", on_laboratories=True,
    ),
    RegisteredEngine(
        HBASE, "an HBase in the lab, your own, or one on this machine", "On HBase",
        (SAMPLE_INTERVAL, PLAN, CONF, LAB, MEMORY, DATA_DIR, FAULT),
        "howdah.engines.hbase.preparation:prepare_hbase", on_laboratories=True,
    ),
    RegisteredEngine(
        HOSTS, "the machines of the lab or your own hosts, without Hadoop", "On hosts without Hadoop",
        (SAMPLE_INTERVAL, PLAN, LAB, REACH), "howdah.engines.hosts.preparation:prepare_hosts",
    ),
    RegisteredEngine(
        # With --probe it is this machine that is simulated.
        SIM, "a planned cluster that need not exist", "In a simulation",
        (SAMPLE_INTERVAL, PLAN, PROBE, CALIBRATION, REPLICATIONS, *_OF_A_MACHINE),
        "howdah.engines.sim.preparation:prepare_simulation", planned=True,
    ),
)  # fmt: skip


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
            problem = f"is not a new engine called {point.name!r}"
            raise UserError(point.value, problem, "correct its entry point")
        result[engine.name] = engine
    return result


@cache
def all_options() -> Mapping[str, Option[Any]]:
    """Every option by name: the programs', then the engines'."""
    return dict(options()) | {
        option.name: option for engine in engines().values() for option in engine.options
    }
