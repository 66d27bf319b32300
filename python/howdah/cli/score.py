"""``howdah score``: a run beside what was predicted of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from howdah.cli.help import App
from howdah.cli.output import print_json, show
from howdah.extras import check_extras
from howdah.model.prediction import Score
from howdah.report.prediction import scored as score_page
from howdah.report.terminal import terminal
from howdah.session.files import DEFAULT_PREDICTIONS_DIR, DEFAULT_RUNS_DIR
from howdah.session.predict import pages
from howdah.session.predict import scoring as session

EXAMPLES = """
howdah score last  # compares the newest run with its newest prediction
howdah score  # lists all scored runs, and how accurate predictions were
howdah score 20261121-0930-terasuite --prediction 20261120-1714-terasuite
"""

app = App()


@app.command("score", epilog=EXAMPLES)
def score(
    run: Annotated[
        str | None,
        typer.Argument(
            help="Run: an id, its beginning, `last` or a directory. Default: list all scored runs.",
            metavar="RUN",
        ),
    ] = None,
    prediction: Annotated[
        str | None,
        typer.Option(
            help="Prediction to compare with. Default: the newest of the same plan and suite.", metavar="NAME"
        ),
    ] = None,
    runs_dir: Annotated[
        Path, typer.Option(help="Directory of run records.", envvar="HOWDAH_RUNS_DIR", metavar="DIR")
    ] = DEFAULT_RUNS_DIR,
    predictions_dir: Annotated[
        Path, typer.Option(help="Directory of predictions.", envvar="HOWDAH_PREDICTIONS_DIR", metavar="DIR")
    ] = DEFAULT_PREDICTIONS_DIR,
    json: Annotated[bool, typer.Option("--json", help="Print the scores as JSON.")] = False,
) -> None:
    """Compare a prediction with the run that followed, phase by phase, and show the accuracy so far.

    The run must be real and successful, with the same work, and start after the prediction. The page next to
    the prediction shows every hit and miss so far; scores.jsonl keeps the history.
    """
    if run is None:
        history = session.past_scores(predictions_dir)
        if json:
            print_json({"scores": [_content(kept_score) for kept_score in history]})
        else:
            show(terminal(score_page.scored_history(history)))
        return
    check_extras("the page of `howdah score`", "charts")
    scored = session.score_run(run, prediction, runs_dir=runs_dir, predictions_dir=predictions_dir)
    document = pages.scored_page(scored)
    page = pages.write_page(document, predictions_dir / scored.prediction.id / f"score-{scored.run}")
    if json:
        print_json(
            {
                "prediction": scored.prediction.id,
                "run": scored.run,
                "scores": [_content(new_score) for new_score in scored.scores],
                "so_far": scored.so_far._asdict() if scored.so_far else None,
                "page": str(page),
            }
        )
    else:
        show(terminal(document))
        print(f"\npage  {page}")


def _content(score: Score) -> dict[str, Any]:
    return score.model_dump(mode="json") | {"error": score.error, "inside": score.inside}
