"""``howdah run``: a suite of benchmarks on an engine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from howdah.cli import live
from howdah.cli.values import parse_codec, parse_interval, parse_seed
from howdah.errors import Aborted, RunFailed
from howdah.model.run import Outcome
from howdah.model.workload import Codec
from howdah.session import runs as session
from howdah.session.runs import SUITES, RunRequest
from howdah.units import parse_bytes, parse_count

EXAMPLES = """
**Examples**

* `howdah run terasuite` measures this machine with sizes that fit it
* `howdah run terasuite --rows 100M --memory 1GiB --codec lz4` sorts 10 GB out of memory
* `howdah run terasuite --data-dir /data1 --data-dir /data2` spreads the data over two disks
* `howdah run teragen --rows 10M --keep-data`, then `howdah run terasort`
* `howdah run dfsio --files 16 --file-size 1GiB` is TestDFSIO, write and read
* `howdah run storage --files 28 --file-size 20GB` shows a disk's outer and inner zones
* `howdah run pi --maps 16 --samples 1000000 --json` for other programs
"""


def _suites(incomplete: str) -> list[str]:
    return [suite for suite in SUITES if suite.startswith(incomplete)]


def _engines(incomplete: str) -> list[str]:
    return [engine for engine in session.ENGINES if engine.startswith(incomplete)]


def _codecs(incomplete: str) -> list[str]:
    return [codec.value for codec in Codec if codec.value.startswith(incomplete)]


app = typer.Typer(add_completion=False, rich_markup_mode="markdown")


@app.command("run", epilog=EXAMPLES)
def run(
    suite: Annotated[str, typer.Argument(help=f"What to run: {', '.join(SUITES)}.", autocompletion=_suites)],
    *,
    engine: Annotated[
        str,
        typer.Option(help="What runs it; `local` is this machine without Hadoop.", autocompletion=_engines),
    ] = "local",
    rows: Annotated[
        str | None, typer.Option(help="100-byte rows to generate and sort: 10M, 1B.", metavar="COUNT")
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="Memory the whole process stays within: 2GiB.", metavar="BYTES")
    ] = None,
    data_dir: Annotated[
        list[Path] | None,
        typer.Option(help="Where data goes; give one for each disk. Default: build/data.", metavar="DIR"),
    ] = None,
    input_: Annotated[
        list[Path] | None,
        typer.Option("--input", help="Rows to sort or validate: files, or directories of part files."),
    ] = None,
    maps: Annotated[str | None, typer.Option(help="Map tasks.", metavar="N")] = None,
    reduces: Annotated[str | None, typer.Option(help="Reduce tasks.", metavar="N")] = None,
    map_slots: Annotated[str | None, typer.Option(help="Map tasks at once.", metavar="N")] = None,
    reduce_slots: Annotated[str | None, typer.Option(help="Reduce tasks at once.", metavar="N")] = None,
    codec: Annotated[
        str | None,
        typer.Option(
            help="Compression of intermediate data.", metavar="|".join(Codec), autocompletion=_codecs
        ),
    ] = None,
    files: Annotated[str | None, typer.Option(help="Files of dfsio and storage.", metavar="N")] = None,
    file_size: Annotated[
        str | None, typer.Option(help="Size of each of these files: 1GiB.", metavar="BYTES")
    ] = None,
    samples: Annotated[
        str | None, typer.Option(help="Points for each map of pi: 100M.", metavar="COUNT")
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
    chosen = session.find_engine(engine)
    request = RunRequest(
        suite=suite,
        rows=_count(rows, "--rows"),
        maps=_count(maps, "--maps"),
        reduces=_count(reduces, "--reduces"),
        map_slots=_count(map_slots, "--map-slots"),
        reduce_slots=_count(reduce_slots, "--reduce-slots"),
        memory_bytes=parse_bytes(memory, "--memory") if memory is not None else None,
        data_dirs=tuple(data_dir or ()),
        codec=parse_codec(codec) if codec is not None else None,
        files=_count(files, "--files"),
        file_bytes=parse_bytes(file_size, "--file-size") if file_size is not None else None,
        samples=_count(samples, "--samples"),
        sample_interval_s=parse_interval(sample_interval) if sample_interval is not None else None,
        inputs=tuple(input_ or ()),
    )
    job = session.prepare(
        request,
        runs_dir=runs_dir,
        command=("howdah", *sys.argv[1:]),
        seed=parse_seed(seed) if seed is not None else None,
        keep_data=keep_data,
    )
    with live.display(job, silent=json or quiet) as display:
        finished = session.run(job, engine=chosen, runs_dir=runs_dir, observer=display)
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
