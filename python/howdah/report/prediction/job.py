"""What the terminal and the page show of a user's job whose properties were varied."""

from __future__ import annotations

import shlex

from howdah.analysis.wording import seconds, signed
from howdah.model.tuning import DEFAULTS_NAME
from howdah.model.user_job import CONFIGURED_NAME, JobTuning
from howdah.report.document import Document, Paragraph, Section, Table, present
from howdah.report.prediction.raced import difference_text, measured_text
from howdah.report.words import NONE
from howdah.units import format_seconds


def tuned_job(tuning: JobTuning) -> Document:
    """The page of a search for the properties of a job."""
    used = f"{format_seconds(tuning.spent_s)} of {format_seconds(tuning.request.race.budget_s)}"
    properties = Table(("property to set", "value"), tuple(tuning.values.items()), label="Properties to use")
    command = shlex.join(tuning.request.command)
    return Document(
        "page",
        "A job's fastest properties",
        ("job", "tune", "measured"),
        _answer(tuning),
        present(
            Paragraph(f"The runs took {used} on {tuning.request.race.place}.", "lead"),
            properties,
            _race_table(tuning),
        ),
        (
            Section("alone", "Alone", "Each value alone", (_alone_table(tuning),), _ALONE_ABOUT),
            Section("command", "Command", "The command", (Paragraph(f"`{command}`"),)),
        ),
    )


_ALONE_ABOUT = "Two runs of each value, with everything else as configured. The race decides."


def _answer(tuning: JobTuning) -> str:
    winner = next((plan for plan in tuning.plans if plan.name == tuning.winner), None)
    if winner is not None and tuning.winner != CONFIGURED_NAME:
        return measured_text(
            winner, {CONFIGURED_NAME: "as configured", DEFAULTS_NAME: "with Hadoop's defaults"}
        )
    if not tuning.plans:
        return "No value that was tried makes the job faster than it is as configured."
    return "The race shows no candidate that is surely faster than the job as configured."


def _race_table(tuning: JobTuning) -> Table:
    rows = tuple(
        (
            plan.name,
            str(plan.runs),
            str(plan.failed),
            NONE if plan.elapsed_s is None else seconds(plan.elapsed_s),
            difference_text(plan.against.get(CONFIGURED_NAME)),
            difference_text(plan.against.get(DEFAULTS_NAME)),
        )
        for plan in tuning.plans
    )
    columns = ("candidate", "runs", "failed", "time", "against configured", "against Hadoop's defaults")
    return Table(columns, rows, label="The race")


def _alone_table(tuning: JobTuning) -> Table:
    about = {parameter.name: parameter for parameter in tuning.request.space}
    rows = tuple(
        (
            value.name,
            about[value.name].planned or "not set",
            value.value,
            NONE if value.share is None else signed(value.share),
            str(value.failed),
        )
        for value in tuning.alone
    )
    return Table(
        ("property", "configured", "value", "time", "failed"), rows, label="Each value alone", fold=True
    )
