"""Arguments and flags that several commands share, and values that are read in the same way."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from howdah import units
from howdah.errors import UserError
from howdah.files import DEFAULT_RUNS_DIR
from howdah.session import reporting

PlanFile = Annotated[Path, typer.Argument(help="Plan that `howdah plan` wrote.", metavar="PLAN")]
RunsDir = Annotated[
    Path, typer.Option(help="Directory of run records.", envvar="HOWDAH_RUNS_DIR", metavar="DIR")
]
PredictionsDir = Annotated[
    Path, typer.Option(help="Directory of predictions.", envvar="HOWDAH_PREDICTIONS_DIR", metavar="DIR")
]
_CALIBRATION = "Calibration: a file that `howdah calibrate` wrote, or `published`."
CalibrationFile = Annotated[
    str | None, typer.Option(help=_CALIBRATION, envvar="HOWDAH_CALIBRATION", metavar="FILE")
]
_SCHEMA = "File for the schema. Default: print it."
SchemaFile = Annotated[Path | None, typer.Option("--output", "-o", help=_SCHEMA)]
_VCENTER = "Address of vCenter, for plans with vSphere."
VCenter = Annotated[str | None, typer.Option("--vcenter", metavar="HOST[:PORT]", help=_VCENTER)]
_LIBVIRT = "libvirt's URI, for plans with KVM; {host} stands for each host's name."
Libvirt = Annotated[str | None, typer.Option("--libvirt", metavar="URI", help=_LIBVIRT)]
_PASSWORD = "File with vCenter's password. Default: prompt for it."
PasswordFile = Annotated[Path | None, typer.Option("--password-file", metavar="FILE", help=_PASSWORD)]
Seed = Annotated[str | None, typer.Option(help="Seed of all random numbers; recorded.", metavar="N")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", help="Skip the confirmation prompt.")]

_MOST_SEED: Final = 2**63 - 1
_MEASURING_S: Final = (10.0, 3600.0)


def given_before(context: typer.Context, name: str) -> Any:
    """A parameter of the group of commands, given before the command; None without one."""
    return context.parent.params.get(name) if context.parent is not None else None


def nearest_runs_dir(context: typer.Context) -> Path:
    """The command's own --runs-dir, or that of `howdah runs` or its environment."""
    return Path(context.params.get("runs_dir") or given_before(context, "runs_dir") or DEFAULT_RUNS_DIR)


def run_ids(context: typer.Context) -> list[str]:
    """What a shell completes the name of a run to."""
    return ["last", *(run.id for run in reporting.stored_runs(nearest_runs_dir(context)))]


def parse_seed(text: str | None) -> int | None:
    """A seed as given to ``--seed``, None without one; raise UserError for what is none."""
    if text is None:
        return None
    # Nineteen digits hold every seed; a longer text need not be made a number to be refused.
    if text.isascii() and text.isdigit() and len(text) <= 19 and int(text) <= _MOST_SEED:
        return int(text)
    raise UserError("--seed", f"{text!r} is not a seed", f"give a whole number from 0 to {_MOST_SEED}")


def parse_measuring_time(text: str) -> float:
    """Seconds as given to ``--seconds``; raise UserError for what is too short or too long."""
    least, most = _MEASURING_S
    where, hint = f"--seconds {text}", f"give seconds from {least:g} to {most:g}"
    try:
        value = float(text)
    except ValueError as error:
        raise UserError(where, "is not a number of seconds", hint) from error
    if least <= value <= most:
        return value
    problem = "too short to measure anything useful" if value < least else "too long"
    raise UserError(where, f"is {problem}", hint)


def parse_duration(text: str, flag: str) -> float:
    """Seconds as given by ``90s``, ``40m`` or ``2h``; raise UserError for other texts."""
    seconds = units.parse_duration(text)
    if not seconds or not math.isfinite(seconds):
        raise UserError(f"{flag} {text}", "is not a duration", "give for instance 40m or 2h")
    return seconds
