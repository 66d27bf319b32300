"""Predictions, and how right they were so far."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import Response

from howdah.calibrate.scoring import tally
from howdah.errors import UserError
from howdah.model.base import Model
from howdah.model.calibration import Calibration
from howdah.model.prediction import Prediction, Score
from howdah.report.document import ShownPage, drawn, figure_data
from howdah.report.figure import Figure
from howdah.report.prediction.page import shown_prediction
from howdah.report.prediction.predicted import predicted
from howdah.report.prediction.scored import hits, scored
from howdah.serve.places import NotServed, place_of
from howdah.serve.routes.answers import Here, html, svg
from howdah.serve.site import Site
from howdah.serve.studies import signature_of_file
from howdah.simulation.calibrations import load_calibration
from howdah.store.predictions import PREDICTION, SCORES, list_predictions, load_prediction, read_scores

router = APIRouter()


class PredictionTally(Model):
    """How right predictions were so far."""

    times: int
    """Times that were predicted and measured."""
    runs: int
    inside: float | None
    """Share of the times that lie in their 90 % intervals; null where none has one."""
    median_error: float
    """Half of the errors are smaller."""


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
async def predictions_page(request: Request, site: Here) -> Response:
    """All predictions, and how right they were."""

    def make() -> str:
        history, error = _history(site)
        figures = _figures(history)
        return site.page(
            "predictions.html.j2",
            request.url.path,
            "Predictions",
            listed=_listed(site, history),
            so_far=tally(history),
            error=error,
            figures=[drawn(figure, None) for figure in figures],
            data=figure_data("predictions", figures),
        )

    return html(await site.working(make))


@router.get("/predictions/figures/{figure}.svg", include_in_schema=False)
async def predictions_picture(figure: str, site: Here) -> Response:
    """A still picture of how right they were."""
    key = ("scores", signature_of_file(site.settings.predictions_dir / SCORES))
    picture = await site.working(
        lambda: site.shown.picture(key, figure, lambda: ShownPage("", _figures(_history(site)[0])))
    )
    if picture is None:
        raise NotServed(figure)
    return svg(picture)


@router.get("/api/v1/predictions")
def predictions(site: Here) -> list[Prediction]:
    """All predictions that can be read, the newest first."""
    return [one.prediction for one in _listed(site, ()) if one.prediction is not None]


@router.get("/api/v1/predictions/{name}")
def prediction(name: str, site: Here) -> Prediction:
    """A prediction."""
    return load_prediction(_place(site, name))


@router.get("/api/v1/scores")
def scores(site: Here) -> Scores:
    """Every score so far, and what they come to."""
    history = tuple(read_scores(site.settings.predictions_dir))
    counted = tally(history)
    return Scores(tally=PredictionTally(**counted._asdict()) if counted else None, scores=history)


@router.get("/predictions/{name}/", include_in_schema=False)
async def prediction_page(name: str, site: Here) -> Response:
    """A prediction."""
    return html((await site.working(lambda: _page(site, name, None))).html)


@router.get("/predictions/{name}/figures/{figure}.svg", include_in_schema=False)
async def prediction_picture(name: str, figure: str, site: Here) -> Response:
    """A still picture of a prediction."""
    return svg(await site.working(lambda: _picture(site, name, None, figure)))


@router.get("/predictions/{name}/{run}/", include_in_schema=False)
async def score_page(name: str, run: str, site: Here) -> Response:
    """A prediction beside the run that followed it."""
    return html((await site.working(lambda: _page(site, name, run))).html)


@router.get("/predictions/{name}/{run}/figures/{figure}.svg", include_in_schema=False)
async def score_picture(name: str, run: str, figure: str, site: Here) -> Response:
    """A still picture of a score."""
    return svg(await site.working(lambda: _picture(site, name, run, figure)))


def _place(site: Site, name: str) -> Path:
    path = place_of(site.settings.predictions_dir, name)
    if (path / PREDICTION).is_symlink():
        raise NotServed(name)
    return path


def _history(site: Site) -> tuple[tuple[Score, ...], str]:
    folder = site.settings.predictions_dir
    try:
        return tuple(read_scores(folder)), ""
    except UserError as error:
        return (), str(error).replace(f"{folder}/", "")


def _listed(site: Site, history: tuple[Score, ...]) -> list[_Listed]:
    folder = site.settings.predictions_dir
    runs: dict[str, dict[str, None]] = {}
    for score in history:
        runs.setdefault(score.prediction, {})[score.run] = None
    listed = []
    for path in list_predictions(folder):
        name, against = path.name, tuple(runs.get(path.name, ()))
        try:
            listed.append(_Listed(name, load_prediction(_place(site, name)), "", against))
        except UserError as error:
            listed.append(_Listed(name, None, str(error).replace(f"{folder}/", ""), against))
        except NotServed:
            listed.append(_Listed(name, None, "its file is a link, which is not followed", against))
    return sorted(listed, key=lambda one: one.prediction.created if one.prediction else "", reverse=True)


def _figures(history: tuple[Score, ...]) -> tuple[Figure, ...]:
    return (hits(history),) if history else ()


def _key(site: Site, name: str, run: str | None) -> tuple[str, ...]:
    place = _place(site, name)
    marks = [signature_of_file(place / PREDICTION)]
    if run is not None:
        marks += [run, signature_of_file(site.settings.predictions_dir / SCORES)]
    return ("prediction", name, *marks)


def _page(site: Site, name: str, run: str | None) -> ShownPage:
    def make() -> ShownPage:
        found = load_prediction(_place(site, name))
        trail: tuple[tuple[str, str | None], ...] = (("Predictions", "predictions/"), (name, None))
        if run is None:
            shell = site.shell(f"/predictions/{name}/", "Predictions", {"trail": trail})
            return shown_prediction(predicted(found, _calibration(site, found)), shell)
        history = tuple(read_scores(site.settings.predictions_dir))
        own = tuple(score for score in history if (score.prediction, score.run) == (name, run))
        if not own:
            raise NotServed(run)
        trail = (("Predictions", "predictions/"), (name, f"predictions/{name}/"), (run, None))
        shell = site.shell(f"/predictions/{name}/{run}/", "Predictions", {"trail": trail})
        return shown_prediction(scored(found, own, history), shell)

    return site.shown.page(_key(site, name, run), make)


def _calibration(site: Site, found: Prediction) -> Calibration | None:
    """The calibration that a prediction rests on, where it is the one at hand."""
    if site.settings.calibration is not None:
        with suppress(UserError):
            known = load_calibration(site.settings.calibration)
            if known.name == found.calibration:
                return known
    return None


def _picture(site: Site, name: str, run: str | None, figure: str) -> str:
    picture = site.shown.picture(_key(site, name, run), figure, lambda: _page(site, name, run))
    if picture is None:
        raise NotServed(figure)
    return picture
