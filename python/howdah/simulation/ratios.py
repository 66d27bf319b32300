"""Published ratios of two runs beside the simulator's: compared, never fitted to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from howdah.calibrate.study import Ratios, Study
from howdah.calibrate.tables import rows_of
from howdah.documents.text import read_text
from howdah.errors import UserError
from howdah.model.calibration import CalibrationCell
from howdah.simulation.cases import simulate_case
from howdah.simulation.published_studies import ratio_works, studies


def ratios_in(path: Path) -> Study | None:
    """The study whose ratios a file holds; none where it is another table."""
    return next((one for one in studies() if one.ratios and one.ratios.file == path.name), None)


def ratio_cells(
    path: Path, study: Study, values: Mapping[str, float], seed: int
) -> Iterator[CalibrationCell]:
    """Every ratio of a file beside the simulator's; raises UserError for a file that lacks one."""
    ratios = study.ratios
    assert ratios is not None
    published = _published(path, ratios)
    simulated = {label: simulate_case(work, values, seed) for label, work in ratio_works(study)}
    for ratio in ratios.ratios:
        quotient = simulated[ratio.slow][ratio.quantity] / simulated[ratio.fast][ratio.quantity]
        yield CalibrationCell(
            case=f"{study.study} {ratio.slow} over {ratio.fast}",
            quantity=ratio.quantity,
            unit="x",
            known=published[ratio.metric],
            simulated=float(f"{quotient:.4g}"),
            fitted=False,
        )


def _published(path: Path, ratios: Ratios) -> dict[str, float]:
    rows = {row["metric"]: row["value"] for row in rows_of(read_text(path, "give a CSV file"), str(path))}
    found: dict[str, float] = {}
    for ratio in ratios.ratios:
        try:
            found[ratio.metric] = float(rows[ratio.metric])
        except (KeyError, ValueError) as error:
            raise UserError(
                f"{path}: {ratio.metric}", "is missing or no number", "a line `metric,value,unit`"
            ) from error
    return found
