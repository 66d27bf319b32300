"""What ``howdah study`` and ``howdah study local`` have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from howdah.cli.output import print_json, show
from howdah.cli.study_display import StudyDisplay
from howdah.cli.study_table import matrix_json, matrix_table
from howdah.errors import RunFailed
from howdah.extras import check_extras
from howdah.session.study import studies as session

DIRECTORY = Annotated[
    Path | None,
    typer.Option("--dir", help="Directory for its runs and page. Default: study/NAME.", metavar="DIR"),
]
JSON = Annotated[bool, typer.Option("--json", help="Print JSON.")]
QUIET = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the page's path.")]


def carry_out(
    given: session.GivenStudy, directory: Path | None, *, dry_run: bool, json: bool, quiet: bool
) -> None:
    """Show the matrix, or make its runs and tell what follows; raises RunFailed where none succeeded."""
    place = directory or given.default_dir
    if dry_run:
        matrix = session.dry_run(given, place)
        if json:
            print_json(matrix_json(matrix))
        else:
            show(matrix_table(matrix))
        return
    check_extras("howdah study run", "charts", "statistics")
    with StudyDisplay(given.study, silent=json or quiet) as display:
        finished = session.run(given, place, display)
    page, conclusions = finished.paper
    if json:
        said = {"runs": len(finished.done), "failed": finished.failed, "conclusions": conclusions}
        print_json(said | {"page": str(page)})
    elif quiet:
        print(page)
    else:
        for place_in, text in enumerate(conclusions):
            print(f"{'found' if place_in == 0 else '':<8}{text}")
        print(f"page    {page}")
    if finished.failed == len(finished.done) > 0:
        raise RunFailed(finished.study.study, "no run succeeded", f"their records are in {place / 'runs'}")
