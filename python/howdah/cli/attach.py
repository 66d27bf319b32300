"""``howdah runs attach``: what others measured, added to a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from howdah.cli.help import App
from howdah.cli.runs import RunId, RunsDir
from howdah.session.files import DEFAULT_RUNS_DIR
from howdah.session.run import attaching as session
from howdah.session.run import runs

EXAMPLES = """
LC_ALL=C sadf -j -- -A > w1.json  # on each host: exports the day that sysstat recorded
howdah runs attach last w1.json w2.json  # adds the files of two hosts to the newest run
howdah runs attach last esx1.csv  # adds a vSphere host's esxtop -b -a, with its virtual machines
howdah runs attach last day.json --host w1  # names the host of a file
howdah runs attach last --prometheus http://monitor:9090  # adds what node_exporter reported
"""

app = App()


@app.command("runs attach", epilog=EXAMPLES)
def attach(  # noqa: PLR0917 - typer makes options of parameters
    run: RunId,
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Output of `sadf -j` or `esxtop -b`.", metavar="FILE"),
    ] = None,
    host: Annotated[
        str | None, typer.Option(help="Machine of the run that the files describe.", metavar="NAME")
    ] = None,
    prometheus: Annotated[
        str | None,
        typer.Option(help="Address of a Prometheus server that scraped the machines.", metavar="URL"),
    ] = None,
    query: Annotated[
        list[str] | None,
        typer.Option(help="Additional metric and its series, METRIC=SELECTOR; repeatable.", metavar="QUERY"),
    ] = None,
    runs_dir: RunsDir = DEFAULT_RUNS_DIR,
) -> None:
    """Add what sysstat, esxtop or Prometheus measured during a run, and update its report."""
    done = session.attach(
        runs.find_run(runs_dir, run), files=files or (), prometheus=prometheus, queries=query or (), host=host
    )
    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    if done.new:
        console.print(f"attached {_counted(done.new)}")
    if done.kept:
        console.print(f"already in the run: {_counted(done.kept)}")
    if done.left_out:
        console.print(f"not imported, howdah has no metric for: {', '.join(done.left_out)}")
    print(done.report)


def _counted(metrics: Mapping[str, int]) -> str:
    return ", ".join(f"{count} metrics of {machine}" for machine, count in metrics.items())
