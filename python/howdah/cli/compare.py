"""``howdah compare`` and ``howdah score``: runs compared with each other, and with their predictions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from howdah.cli.arguments import AsJson, PredictionsDir, RunsDir, run_ids
from howdah.cli.help import App
from howdah.cli.output import answer
from howdah.extras import check_extras
from howdah.files import DEFAULT_PREDICTIONS_DIR, DEFAULT_RUNS_DIR
from howdah.report.comparing import content as comparison_page
from howdah.report.prediction import scored as score_page
from howdah.report.terminal import terminal
from howdah.session import comparing as session
from howdah.session import predicting, reporting

if TYPE_CHECKING:
    from howdah.model.prediction import Score

app = App()


@app.command("compare", complete={"runs": run_ids, "baseline": run_ids})
def compare(
    runs: list[str],
    baseline: str | None = None,
    output: Path | None = None,
    runs_dir: RunsDir = DEFAULT_RUNS_DIR,
    json: AsJson = False,
) -> None:
    """Compare runs: how much faster or slower, whether that exceeds the noise, and what changed.

    Runs that differ only in seed and time are repeats of each other. Without repeats, no difference can be
    distinguished from noise; if a difference is unclear, howdah prints how many repeats would settle it.

    Arguments:
      RUN  Runs: an id, its beginning, `last` or a directory; or folders of runs.
    Options:
      --baseline RUN  Run to compare the others with. Default: the first.
      --output, -o DIR  Directory for compare.html, compare.md and figures.
    Examples:
      howdah compare 20261120-1714 20261120-1731  # compares the second run with the first
      howdah compare runs  # finds the repeats among all runs of a folder, and compares the rest
      howdah compare runs --baseline 20261120-1714-terasuite --output comparison  # writes a page, too
      howdah compare last before/20261119-0930-terasuite --json  # prints it for programs
    """
    check_extras("howdah compare", "statistics")
    if output is not None:
        check_extras("howdah compare --output", "charts")
    compared = session.compare_runs(runs, baseline, runs_dir)
    page = session.write_comparison(compared, output) if output is not None else None
    content = compared.comparison.model_dump(mode="json") | ({"page": str(page)} if page else {})
    answer(content, terminal(comparison_page.document(compared.comparison)), json=json)
    if page and not json:
        print(f"\npage  {page}")


@app.command("score")
def score(
    run: str | None = None,
    prediction: str | None = None,
    runs_dir: RunsDir = DEFAULT_RUNS_DIR,
    predictions_dir: PredictionsDir = DEFAULT_PREDICTIONS_DIR,
    json: AsJson = False,
) -> None:
    """Compare a prediction with the run that followed, phase by phase, and show the accuracy so far.

    The run must be real and successful, with the same work, and start after the prediction. The page next to
    the prediction shows every hit and miss so far; scores.jsonl keeps the history.

    Arguments:
      RUN  Run: an id, its beginning, `last` or a directory. Default: list all scored runs.
    Options:
      --prediction NAME  Prediction to compare with. Default: the newest of the same plan and suite.
    Examples:
      howdah score last  # compares the newest run with its newest prediction
      howdah score  # lists all scored runs, and how accurate predictions were
      howdah score 20261121-0930-terasuite --prediction 20261120-1714-terasuite
    """
    if run is None:
        history = predicting.past_scores(predictions_dir)
        scores = [_score_json(kept_score) for kept_score in history]
        answer({"scores": scores}, terminal(score_page.scored_history(history)), json=json)
        return
    check_extras("the page of `howdah score`", "charts")
    scored = predicting.score_run(run, prediction, runs_dir=runs_dir, predictions_dir=predictions_dir)
    document = score_page.scored(scored.prediction, scored.scores, scored.history)
    page = reporting.write_page(document, predictions_dir / scored.prediction.id / f"score-{scored.run}")
    content: dict[str, Any] = {"prediction": scored.prediction.id, "run": scored.run}
    content["scores"] = [_score_json(new_score) for new_score in scored.scores]
    content |= {"so_far": scored.so_far.model_dump() if scored.so_far else None, "page": str(page)}
    answer(content, terminal(document), json=json)
    if not json:
        print(f"\npage  {page}")


def _score_json(score: Score) -> dict[str, Any]:
    return score.model_dump(mode="json") | {"error": score.error, "inside": score.inside}
