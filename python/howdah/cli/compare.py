"""``howdah compare``: runs against a baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from howdah.cli.help import App
from howdah.cli.output import print_json, show
from howdah.extras import check_extras
from howdah.report.comparing import content as comparison_page
from howdah.report.terminal import terminal
from howdah.session.files import DEFAULT_RUNS_DIR
from howdah.session.run import comparing as session
from howdah.session.run import runs as runs_session

EXAMPLES = """
howdah compare 20261120-1714 20261120-1731  # compares the second run with the first
howdah compare runs  # finds the repeats among all runs of a folder, and compares the rest
howdah compare runs --baseline 20261120-1714-terasuite --output comparison  # writes a page, too
howdah compare last before/20261119-0930-terasuite --json  # prints it for programs
"""

app = App()


def _ids(context: typer.Context, incomplete: str) -> list[str]:
    runs = runs_session.list_runs(Path(context.params.get("runs_dir") or DEFAULT_RUNS_DIR))
    return [name for name in ("last", *(run.id for run in runs)) if name.startswith(incomplete)]


@app.command("compare", epilog=EXAMPLES)
def compare(
    runs: Annotated[
        list[str],
        typer.Argument(
            help="Runs: an id, its beginning, `last` or a directory; or folders of runs.",
            metavar="RUN",
            autocompletion=_ids,
        ),
    ],
    baseline: Annotated[
        str | None,
        typer.Option(
            help="Run to compare the others with. Default: the first.",
            metavar="RUN",
            autocompletion=_ids,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Directory for compare.html, compare.md and figures.", metavar="DIR"
        ),
    ] = None,
    runs_dir: Annotated[
        Path, typer.Option(help="Directory of run records.", envvar="HOWDAH_RUNS_DIR", metavar="DIR")
    ] = DEFAULT_RUNS_DIR,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare runs: how much faster or slower, whether that exceeds the noise, and what changed.

    Runs that differ only in seed and time are repeats of each other. Without repeats, no difference can be
    distinguished from noise; if a difference is unclear, howdah prints how many repeats would settle it.
    """
    check_extras("howdah compare", "statistics")
    if output is not None:
        check_extras("howdah compare --output", "charts")
    compared = session.compare_runs(runs, baseline, runs_dir)
    page = session.write_comparison(compared, output) if output is not None else None
    if json:
        content = compared.comparison.model_dump(mode="json")
        print_json(content | {"page": str(page)} if page else content)
    else:
        show(terminal(comparison_page.document(compared.comparison)))
        if page:
            print(f"\npage  {page}")
