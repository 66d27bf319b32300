"""``howdah run``: a suite of benchmarks on an engine."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from contextlib import closing
from typing import Annotated, Any

import typer
from rich.console import Console

from howdah.cli import live
from howdah.cli.arguments import AsJson, RunsDir, parse_seed
from howdah.cli.help import App
from howdah.cli.options import with_options
from howdah.cli.output import print_json
from howdah.errors import Aborted, RunFailed, UserError
from howdah.files import DEFAULT_RUNS_DIR
from howdah.model.engines import all_options, engines
from howdah.model.run import Outcome
from howdah.model.run_request import RunRequest
from howdah.model.workloads.hadoop_programs import COMMAND, COMMAND_LINE
from howdah.model.workloads.suite import suites
from howdah.session import runs as session

app = App()
_ENGINES = "; ".join(f"`{engine.name}`, {engine.help}" for engine in engines().values())
_ENGINE = f"Engine that runs it: {_ENGINES}. Default: the first that runs the suite with the options given."


@app.command("run")
@with_options(all_options().values())
def run(
    suite: Annotated[
        str,
        typer.Argument(help=f"Suite to run: {', '.join(suites())}.", autocompletion=lambda: list(suites())),
    ],
    command: Annotated[
        list[str] | None, typer.Argument(help="Command of the suite `command`, after `--`.", hidden=True)
    ] = None,
    *,
    engine: Annotated[str | None, typer.Option(help=_ENGINE, autocompletion=lambda: list(engines()))] = None,
    typed: Mapping[str, Any],
    seed: str | None = None,
    keep_data: bool = False,
    runs_dir: RunsDir = DEFAULT_RUNS_DIR,
    json: AsJson = False,
    quiet: bool = False,
) -> None:
    """Run a suite, keep its record, and report what limited it.

    Sizes you do not give are chosen to fit this machine; the report explains them. Data is removed
    at the end unless you give --keep-data.

    Options:
      --seed N  Seed of all random data; recorded.
      --keep-data  Leave the data on disk for a later run.
      --quiet, -q  Print only the report's path.
    Examples:
      howdah run terasuite  # measures this machine with sizes that fit it
      howdah run terasuite --rows 100M --memory 1GiB --codec lz4  # sorts 10 GB with 1 GiB of memory
      howdah run terasuite --data-dir /data1 --data-dir /data2  # spreads the data over two disks
      howdah run command -- spark-submit --master yarn app.py  # runs and explains your own job
      howdah run teragen --rows 10M --keep-data  # keeps the rows for a later terasort
      howdah run dfsio --files 16 --file-size 1GiB  # runs TestDFSIO, write and read
      howdah run storage --files 28 --file-size 20GB  # shows a disk's outer and inner zones
      howdah run terasuite --engine hadoop  # runs it on the lab that is up, or on $HADOOP_CONF_DIR
      howdah run terasuite --engine hadoop --conf /etc/hadoop/conf --rows 1B  # sorts 100 GB on a cluster
      howdah run terasuite --engine sim --plan plan.yaml  # simulates it on a planned cluster
      howdah run network  # measures the links of the lab that is up, pair by pair and all at once
      howdah run network --plan plan.yaml --reach 'ssh -o BatchMode=yes {host}'
          # measures the links of your hosts
      howdah run command --conf /etc/hadoop/conf -- ./nightly.sh  # runs a script and all jobs that it starts
      howdah run pi --maps 16 --samples 1000000 --json  # prints the record for programs
    """
    if command:
        if suite != COMMAND:
            hint = f"howdah run command -- {shlex.join(command)}"
            raise UserError("SUITE", f"{suite} takes no command", hint)
        typed = {**typed, COMMAND_LINE.name: tuple(command)}
    prepared = session.prepare(
        engine,
        RunRequest(suite=suite, given=typed),
        runs_dir=runs_dir,
        command=("howdah", *sys.argv[1:]),
        seed=parse_seed(seed),
        keep_data=keep_data,
    )
    with closing(prepared):
        # With JSON on standard output, a line a minute goes to the standard error.
        minutes = Console(stderr=True, highlight=False) if json and not quiet else None
        with live.Display(prepared, silent=quiet or json, minutes=minutes) as display:
            finished = session.run(prepared.job, engine=prepared.engine, runs_dir=runs_dir, observer=display)
        if json:
            print_json(live.for_programs(finished))
        elif quiet:
            print(finished.report or finished.path)
        else:
            display.conclude(finished)
    record = finished.data.record
    if record.outcome is Outcome.ABORTED:
        raise Aborted(f"run {record.id}", "stopped by the user", f"its record is in {finished.path}")
    if record.outcome is not Outcome.SUCCEEDED:
        raise RunFailed(f"run {record.id}", record.error or "failed", f"its record is in {finished.path}")
