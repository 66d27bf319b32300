"""One of everything that a server shows: runs of every kind, a study, predictions with scores, a plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from howdah.documents.files import write_plan
from howdah.model.run import Annotation
from howdah.model.tables import RunData
from howdah.session.predicting import score_run
from howdah.session.studies import read, run
from howdah.store.archive import write_annotation
from howdah.store.predictions import save_prediction
from support import cluster_reports, records
from support.comparing import stored_runs
from support.predicted import measured_after, small_prediction
from support.sim_plans import small_plan
from support.sim_runs import small_run
from support.stored import write_killed_run, write_run
from support.studies import SIMULATED, Nobody

CONF = Path(__file__).parents[1] / "data" / "conf" / "sound"
NEWER = "20261121-0901-of-the-future"
HALF = "20261121-0902-half-written"


class WholeSite(NamedTuple):
    """The folder of everything, and the names of what is in it."""

    folder: Path
    alike: tuple[str, ...]
    """Runs of one suite that can be compared."""
    failed: str
    killed: str
    laboratory: str
    measured: str
    """A run that was predicted."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """What ``howdah serve`` is started with in the folder to show all of it."""
        return ("--plan", "plan.yaml", "--conf", str(CONF), "--calibration", "published")

    def addresses(self) -> dict[str, str]:
        """Every kind of page there is, by what it shows."""
        first, second = self.alike[0], self.alike[-1]
        return {
            "runs": "",
            "runs, filtered": "?suite=terasuite&outcome=failed&order=elapsed_s",
            "run": f"runs/{first}/",
            "run that failed": f"runs/{self.failed}/",
            "run that was killed": f"runs/{self.killed}/",
            "run on a laboratory": f"runs/{self.laboratory}/",
            "record of another version": f"runs/{NEWER}/",
            "half-written record": f"runs/{HALF}/",
            "comparison": f"compare/{first},{second}/",
            "studies": "studies/",
            "study": "studies/blocks/",
            "run of a study": "studies/blocks/runs/001-01/",
            "paper": "studies/blocks/paper/",
            "planning": "plan/",
            "plan": "plans/file-1/",
            "predictions": "predictions/",
            "prediction": "predictions/small/",
            "prediction and run": f"predictions/small/{self.measured}/",
            "checks": "checks/",
            "nothing": "runs/of-that-name/",
        }


def whole_site(folder: Path) -> WholeSite:
    """Fill a folder with everything that can be shown."""
    runs = folder / "runs"
    alike = tuple(write_run(runs, data).name for data in stored_runs(2))
    write_annotation(runs / alike[0], Annotation(tags=("baseline", "checked"), note="After the disks came."))
    write_run(runs, _named("20261121-0801-pi", records.pi()))
    scored = small_run()._replace(record=measured_after())
    measured = write_run(runs, _named("20261121-0804-measured", scored))
    _unreadable(runs / NEWER, json.dumps({"schema_version": 99}))
    _unreadable(runs / HALF, '{"schema_version": 1, "id": "half')
    (folder / "plan.yaml").write_text(write_plan(small_plan()))
    predictions = folder / "predictions"
    save_prediction(predictions, small_prediction())
    score_run(measured.name, "small", runs_dir=runs, predictions_dir=predictions)
    _study(folder)
    return WholeSite(
        folder=folder,
        alike=alike,
        failed=write_run(runs, _named("20261121-0802-failed", records.failed())).name,
        killed=write_killed_run(runs, _named("20261121-0803-killed", records.terasuite())).name,
        laboratory=write_run(runs, _named("20261121-0805-laboratory", cluster_reports.laboratory())).name,
        measured=measured.name,
    )


def _named(name: str, data: RunData) -> RunData:
    return data._replace(record=data.record.model_copy(update={"id": name}))


def _unreadable(place: Path, content: str) -> None:
    place.mkdir(parents=True)
    (place / "run.json").write_text(content)


def _study(folder: Path) -> None:
    (folder / "study.yaml").write_text(SIMULATED)
    run(read(folder / "study.yaml"), folder / "study" / "blocks", Nobody())
