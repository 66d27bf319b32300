"""What a search's page and the terminal show of the first round that calibrated the simulator."""

from __future__ import annotations

from statistics import median

from howdah.analysis.wording import percent, seconds, signed
from howdah.model.parameter import COMPILER, OWN
from howdah.model.tuning import Learned
from howdah.report.document import Block, Paragraph, Table
from howdah.units import format_seconds

LEARNED_ABOUT = (
    "Each plan ran once, on a quarter of the data. The simulator was calibrated with these runs "
    "(`calibration.yaml`), and the search continued with it."
)


def learned_blocks(learned: Learned) -> tuple[Block, ...]:
    """The predictions of the first round before and after it, and the parameters that it changed."""
    if not learned.times:
        text = "Too few runs of the first round succeeded in time, so the simulator stays as it was."
        return (Paragraph(text, "about"),)
    before = median(abs(time.before_s / time.measured_s - 1) for time in learned.times)
    after = median(abs(time.after_s / time.measured_s - 1) for time in learned.times)
    text = (
        f"The first round took {format_seconds(learned.spent_s)}. Half of its times were predicted within "
        f"{percent(before)} before it, and lie within {percent(after)} of the calibrated simulator's."
    )
    times = tuple(
        (
            time.plan,
            time.workload,
            seconds(time.measured_s),
            f"{seconds(time.before_s)} ({signed(time.before_s / time.measured_s - 1)})",
            f"{seconds(time.after_s)} ({signed(time.after_s / time.measured_s - 1)})",
        )
        for time in learned.times
    )
    meaning = {parameter.name: parameter.meaning for parameter in (*OWN, *COMPILER)}
    values = tuple(
        (
            value.name,
            f"{value.before:.3g}",
            f"{value.value:.3g}",
            f"{value.interval.low:.3g} to {value.interval.high:.3g}",
            meaning.get(value.name, ""),
        )
        for value in learned.values
    )
    return (
        Paragraph(text, "about"),
        Table(("plan", "workload", "measured", "predicted", "with the calibration"), times, "First round"),
        Table(("parameter", "before", "after", "90 % interval", "meaning"), values, "Fitted parameters"),
    )
