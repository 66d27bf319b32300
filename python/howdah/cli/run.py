"""``howdah run``: a suite of benchmarks on an engine."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from howdah.cli import live
from howdah.cli.options import HADOOP, with_options
from howdah.cli.request import parse_overrides
from howdah.cli.values import parse_deadline, parse_interval, parse_seed
from howdah.errors import Aborted, RunFailed
from howdah.model.run import Outcome
from howdah.model.workloads.registered import options
from howdah.model.workloads.suite import suites
from howdah.session.run import runs as session
from howdah.session.run.engines import ENGINES, ClusterChoice, RunRequest, prepare
from howdah.units import parse_bytes, parse_count

EXAMPLES = """
**Examples**

* `howdah run terasuite` measures this machine with sizes that fit it
* `howdah run terasuite --rows 100M --memory 1GiB --codec lz4` sorts 10 GB out of memory
* `howdah run terasuite --data-dir /data1 --data-dir /data2` spreads the data over two disks
* `howdah run teragen --rows 10M --keep-data`, then `howdah run terasort`
* `howdah run dfsio --files 16 --file-size 1GiB` is TestDFSIO, write and read
* `howdah run storage --files 28 --file-size 20GB` shows a disk's outer and inner zones
* `howdah run terasuite --engine hadoop` runs it on the laboratory that is up, or on $HADOOP_CONF_DIR
* `howdah run terasuite --engine hadoop --conf /etc/hadoop/conf --rows 1B` sorts 100 GB on a cluster
* `howdah run terasuite --engine sim --plan plan.yaml` says what a planned cluster would do
* `howdah run pi --maps 16 --samples 1000000 --json` for other programs
"""


def _suites(incomplete: str) -> list[str]:
    return [suite for suite in suites() if suite.startswith(incomplete)]


def _engines(incomplete: str) -> list[str]:
    return [engine for engine in ENGINES if engine.startswith(incomplete)]


def _labs(incomplete: str) -> list[str]:
    # Only a shell that completes a word needs what builds laboratories.
    from howdah.session.lab.laboratories import names  # noqa: PLC0415

    return [name for name in names() if name.startswith(incomplete)]


SIMULATION = "In a simulation"
THIS_MACHINE = "On this machine"

app = typer.Typer(add_completion=False, rich_markup_mode="markdown")


@app.command("run", epilog=EXAMPLES)
@with_options(options().values())
def run(
    suite: Annotated[
        str, typer.Argument(help=f"What to run: {', '.join(suites())}.", autocompletion=_suites)
    ],
    *,
    engine: Annotated[
        str,
        typer.Option(
            help="What runs it: `local` is this machine without Hadoop, `hadoop` a cluster or the lab, "
            "`sim` a planned cluster that need not exist.",
            autocompletion=_engines,
        ),
    ] = "local",
    given: Mapping[str, Any],
    memory: Annotated[
        str | None,
        typer.Option(
            help="Memory the whole process stays within: 2GiB.", metavar="BYTES", rich_help_panel=THIS_MACHINE
        ),
    ] = None,
    data_dir: Annotated[
        list[Path] | None,
        typer.Option(
            help="Where data goes; give one for each disk. Default: build/data.",
            metavar="DIR",
            rich_help_panel=THIS_MACHINE,
        ),
    ] = None,
    map_slots: Annotated[
        str | None, typer.Option(help="Map tasks at once.", metavar="N", rich_help_panel=THIS_MACHINE)
    ] = None,
    reduce_slots: Annotated[
        str | None, typer.Option(help="Reduce tasks at once.", metavar="N", rich_help_panel=THIS_MACHINE)
    ] = None,
    conf: Annotated[
        Path | None,
        typer.Option(
            help="Configuration of the cluster to run on; else $HADOOP_CONF_DIR, or the lab.",
            metavar="DIR",
            rich_help_panel=HADOOP,
        ),
    ] = None,
    lab: Annotated[
        str | None,
        typer.Option(
            help="The laboratory to run on, by name.",
            metavar="NAME",
            rich_help_panel=HADOOP,
            autocompletion=_labs,
        ),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            help="The plan of the cluster to simulate; of the cluster of --conf: which worker is where.",
            metavar="FILE",
        ),
    ] = None,
    probe: Annotated[
        Path | None,
        typer.Option(
            help="Simulate the local engine on the machine that `howdah probe --measure` measured.",
            metavar="FILE",
            rich_help_panel=SIMULATION,
        ),
    ] = None,
    calibration: Annotated[
        str | None,
        typer.Option(
            help="What `howdah calibrate` found, or `published`. Without one, parameters are defaults.",
            metavar="FILE",
            rich_help_panel=SIMULATION,
        ),
    ] = None,
    replications: Annotated[
        str | None,
        typer.Option(
            help="Simulate so often, with other seeds, for medians and 90 % intervals.",
            metavar="N",
            rich_help_panel=SIMULATION,
        ),
    ] = None,
    hdfs_dir: Annotated[
        str | None,
        typer.Option(
            help="Where in HDFS everything is written. Default: howdah, in your home directory.",
            metavar="PATH",
            rich_help_panel=HADOOP,
        ),
    ] = None,
    queue: Annotated[
        str | None, typer.Option(help="The scheduler's queue.", metavar="NAME", rich_help_panel=HADOOP)
    ] = None,
    deadline: Annotated[
        str | None,
        typer.Option(
            help="Seconds to wait for the queue to give a first container. Default: 120.",
            metavar="S",
            rich_help_panel=HADOOP,
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="A property of the jobs, repeatable.", metavar="KEY=VALUE", rich_help_panel=HADOOP
        ),
    ] = None,
    seed: Annotated[
        str | None, typer.Option(help="Seed of all random content; recorded.", metavar="N")
    ] = None,
    sample_interval: Annotated[
        str | None, typer.Option(help="Seconds between samples: 1, or 0.1 on short runs.", metavar="S")
    ] = None,
    keep_data: Annotated[
        bool, typer.Option("--keep-data", help="Leave the data on disk for a later run.")
    ] = False,
    runs_dir: Annotated[
        Path, typer.Option(help="Where run records are kept.", envvar="HOWDAH_RUNS_DIR", metavar="DIR")
    ] = session.DEFAULT_RUNS_DIR,
    json: Annotated[bool, typer.Option("--json", help="Print the record and its findings as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the report's path.")] = False,
) -> None:
    """Run a suite, keep its record, say what limited it, and write a report.

    Sizes that are not given are chosen to fit this machine; the report says why. Data is removed
    at the end unless --keep-data is given.
    """
    request = RunRequest(
        suite=suite,
        given=given,
        map_slots=_count(map_slots, "--map-slots"),
        reduce_slots=_count(reduce_slots, "--reduce-slots"),
        memory_bytes=_bytes(memory, "--memory"),
        data_dirs=tuple(data_dir or ()),
        sample_interval_s=parse_interval(sample_interval) if sample_interval is not None else None,
    )
    where = ClusterChoice(
        conf=conf,
        lab=lab,
        plan=plan,
        hdfs_dir=hdfs_dir,
        queue=queue,
        deadline_s=parse_deadline(deadline) if deadline is not None else None,
        probe=probe,
        calibration=calibration,
        replications=_count(replications, "--replications"),
        job_settings={one.key: one.value for one in parse_overrides(set_ or [])},
    )
    prepared = prepare(
        engine,
        request,
        where,
        runs_dir=runs_dir,
        command=("howdah", *sys.argv[1:]),
        seed=parse_seed(seed) if seed is not None else None,
        keep_data=keep_data,
    )
    with closing(prepared):
        with live.display(prepared, silent=quiet, aside=json and not quiet) as display:
            finished = session.run(prepared.job, engine=prepared.engine, runs_dir=runs_dir, observer=display)
        if json:
            sys.stdout.write(live.as_json(finished.data, finished.analysis, finished.path, finished.report))
        elif quiet:
            print(finished.report)
        else:
            display.conclude(finished)
    record = finished.data.record
    if record.outcome is Outcome.ABORTED:
        raise Aborted(f"run {record.id}", "stopped by the user", f"its record is in {finished.path}")
    if record.outcome is not Outcome.SUCCEEDED:
        raise RunFailed(f"run {record.id}", record.error or "failed", f"its record is in {finished.path}")


def _count(text: str | None, flag: str) -> int | None:
    return None if text is None else parse_count(text, flag)


def _bytes(text: str | None, flag: str) -> int | None:
    return None if text is None else parse_bytes(text, flag)
