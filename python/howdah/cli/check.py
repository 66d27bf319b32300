"""``howdah check``: the planner's rules held against what exists."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from howdah.cli.check_table import check_table
from howdah.cli.output import show
from howdah.model.check import CheckReport, Verdict
from howdah.session.plan import checks as session

EXAMPLES = """
**Examples**

* `howdah check` looks at this machine
* `howdah check --conf /etc/hadoop/conf --host` looks at a worker: its configuration and the machine itself
* `howdah check --conf /etc/hadoop/conf --plan plan.yaml` says what has drifted from a plan
* `howdah check --probe worker-7.yaml --all` looks at another machine, and lists what passes, too
* `howdah check --conf conf --sarif check.sarif --severity warn` is for a CI system
"""

app = typer.Typer(add_completion=False, rich_markup_mode="markdown")


class Least(StrEnum):
    """The verdict from which on the exit code is 1."""

    FAIL = "fail"
    WARN = "warn"


@app.command("check", epilog=EXAMPLES)
def check(
    *,
    conf: Annotated[
        list[Path] | None,
        typer.Option(
            "--conf", "-c", metavar="DIR", help="A configuration directory of Hadoop or HBase; repeat it."
        ),
    ] = None,
    host: Annotated[
        bool, typer.Option("--host", help="Check this machine; the default if nothing else is given.")
    ] = False,
    probe: Annotated[
        list[Path] | None,
        typer.Option("--probe", metavar="FILE", help="A machine as `howdah probe` wrote it; repeat it."),
    ] = None,
    plan: Annotated[
        Path | None, typer.Option("--plan", metavar="FILE", help="A plan, to find what has drifted from it.")
    ] = None,
    hadoop: Annotated[
        str | None,
        typer.Option(
            "--hadoop", metavar="VERSION", help="The Hadoop release, else the plan's or HADOOP_HOME's."
        ),
    ] = None,
    severity: Annotated[
        Least, typer.Option("--severity", help="The exit code is 1 from this verdict on.")
    ] = Least.FAIL,
    everything: Annotated[bool, typer.Option("--all", help="List what passes, too.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    sarif: Annotated[
        Path | None, typer.Option("--sarif", metavar="FILE", help="Also write SARIF 2.1.0 to this file.")
    ] = None,
) -> None:
    """Hold a configuration, this machine and saved probes against the rules.

    Every finding names the rule, the evidence and the fix. The exit code is 0 if nothing is found, 1 if
    something is, and 2 if the input cannot be read.
    """
    folders = conf or []
    report = session.check(
        folders=folders,
        this_host=host or not (folders or probe),
        probes=probe or [],
        plan_path=plan,
        hadoop=hadoop,
    )
    if sarif is not None:
        session.write_sarif(report, folders, sarif)
    if json:
        sys.stdout.write(report.model_dump_json(indent=2) + "\n")
    else:
        show(check_table(report, everything=everything))
    if _is_found(report, severity):
        raise typer.Exit(1)


def _is_found(report: CheckReport, least: Least) -> bool:
    worst = {Verdict.FAIL} if least is Least.FAIL else {Verdict.FAIL, Verdict.WARN}
    return any(check.verdict in worst for check in report.checks)
