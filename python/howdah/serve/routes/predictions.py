"""Predictions, and how right they were so far."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from howdah.errors import UserError
from howdah.model.base import Model
from howdah.model.prediction import Prediction, PredictionTally, Score, tally
from howdah.model.reported import format_value
from howdah.report.document import Figure, Table, TableCell
from howdah.report.html import ShownPage, drawn, shown_page
from howdah.report.prediction.predicted import predicted
from howdah.report.prediction.scored import hits, scored, so_far
from howdah.report.renderer import figure_data
from howdah.serve.pages import Pages, moment
from howdah.serve.places import NotServed, place_of
from howdah.serve.routes.answers import Here, JsonRoute, Working, show, show_pictures
from howdah.serve.routes.studies import signature_of_file
from howdah.serve.site import Shown, Site
from howdah.session.predicting import calibration_of
from howdah.store.predictions import PREDICTION, SCORES, list_predictions, load_prediction, read_scores

router = APIRouter(route_class=JsonRoute)


class Scores(Model):
    """Every score so far."""

    tally: PredictionTally | None
    scores: tuple[Score, ...]


class _Listed(NamedTuple):
    """A prediction in a list: what it says of the longest workload, and the runs that it was held against."""

    name: str
    prediction: Prediction | None
    error: str
    runs: tuple[str, ...]


@router.get("/predictions/", include_in_schema=False)
async def predictions_page(request: Request, site: Here, work: Working) -> Response:
    """All predictions, and how right they were."""
    return HTMLResponse(await work(_all, site.pages, request.url.path))


def _all(pages: Pages, address: str) -> str:
    folder = pages.settings.predictions_dir
    history, error = _history(folder)
    figures = _figures(history)
    return pages.page(
        "predictions.html.j2",
        address,
        "Predictions",
        listed=_table(_listed(folder, history)),
        so_far=so_far(history),
        error=error,
        figures=[drawn(figure, None) for figure in figures],
        data=figure_data("predictions", figures),
    )


def _table(listed: Iterable[_Listed]) -> Table:
    columns = ("Prediction", "Suite", "Cluster", "Whole suite", "Calibration", "Compared with", "Made")
    rows: list[tuple[str, ...]] = []
    for entry in listed:
        made, address = entry.prediction, f"{entry.name}/"
        if made is None:
            rows.append((TableCell.of(entry.name, fault=entry.error), *("" for _ in columns[1:])))
            continue
        cluster = made.plan.cluster
        rows.append(
            (
                TableCell.to(entry.name, address),
                made.suite.name,
                TableCell.of(cluster.inventory.cluster if cluster else "", aside=made.plan.platform),
                format_value(
                    sum(forecast.median for forecast in made.forecasts if forecast.part is None), "s"
                ),
                made.calibration or "none",
                TableCell.of(", ".join(entry.runs), *((run, f"{address}{run}/") for run in entry.runs)),
                moment(made.created),
            )
        )
    return Table(columns, tuple(rows))


def _shown_history(site: Site) -> Shown:
    return Shown(("scores", signature_of_file(site.settings.predictions_dir / SCORES)), _history_page)


def _history_page(pages: Pages) -> ShownPage:
    return ShownPage("", _figures(_history(pages.settings.predictions_dir)[0]))


show_pictures(router, "/predictions/", _shown_history)


@router.get("/api/v1/predictions")
async def predictions(site: Here, work: Working) -> list[Prediction]:
    """All predictions that can be read, the newest first."""
    listed = await work(_listed, site.settings.predictions_dir, ())
    return [entry.prediction for entry in listed if entry.prediction is not None]


@router.get("/api/v1/predictions/{name}")
def prediction(name: str, site: Here) -> Prediction:
    """A prediction."""
    return load_prediction(_place(site.settings.predictions_dir, name))


@router.get("/api/v1/scores")
def scores(site: Here) -> Scores:
    """Every score so far, and what they come to."""
    history = tuple(read_scores(site.settings.predictions_dir))
    return Scores(tally=tally(history), scores=history)


def _place(folder: Path, name: str) -> Path:
    path = place_of(folder, name)
    if (path / PREDICTION).is_symlink():
        raise NotServed(name)
    return path


def _history(folder: Path) -> tuple[tuple[Score, ...], str]:
    try:
        return tuple(read_scores(folder)), ""
    except UserError as error:
        return (), str(error).replace(f"{folder}/", "")


def _listed(folder: Path, history: tuple[Score, ...]) -> list[_Listed]:
    runs: dict[str, dict[str, None]] = {}
    for score in history:
        runs.setdefault(score.prediction, {})[score.run] = None
    listed = []
    for path in list_predictions(folder):
        name, against = path.name, tuple(runs.get(path.name, ()))
        try:
            listed.append(_Listed(name, load_prediction(_place(folder, name)), "", against))
        except UserError as error:
            listed.append(_Listed(name, None, str(error).replace(f"{folder}/", ""), against))
        except NotServed:
            listed.append(_Listed(name, None, "its file is a link, which is not followed", against))
    return sorted(
        listed, key=lambda entry: entry.prediction.created if entry.prediction else "", reverse=True
    )


def _figures(history: tuple[Score, ...]) -> tuple[Figure, ...]:
    return (hits(history),) if history else ()


def _shown(site: Site, name: str, run: str | None = None) -> Shown:
    place = _place(site.settings.predictions_dir, name)
    marks = [signature_of_file(place / PREDICTION)]
    if run is not None:
        marks += [run, signature_of_file(site.settings.predictions_dir / SCORES)]
    return Shown(("prediction", name, *marks), _page, (name, run))


show(router, "/predictions/{name}/", _shown)
show(router, "/predictions/{name}/{run}/", _shown)


def _page(pages: Pages, name: str, run: str | None) -> ShownPage:
    folder = pages.settings.predictions_dir
    prediction = load_prediction(_place(folder, name))
    if run is None:
        shell = pages.shell(f"/predictions/{name}/", "Predictions", name)
        calibration = calibration_of(prediction, pages.settings.calibration)
        return shown_page(predicted(prediction, calibration), shell)
    history = tuple(read_scores(folder))
    own = tuple(score for score in history if (score.prediction, score.run) == (name, run))
    if not own:
        raise NotServed(run)
    shell = pages.shell(f"/predictions/{name}/{run}/", "Predictions", name, run)
    return shown_page(scored(prediction, own, history), shell)
