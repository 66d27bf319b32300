"""Starting runs, where the server was told to allow it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from howdah.errors import UserError
from howdah.files import replacing
from howdah.model.base import Model
from howdah.model.engines import LOCAL, SIM
from howdah.model.workloads.option import Option
from howdah.serve.places import NotServed
from howdah.serve.routes.answers import Here, JsonRoute, Working, own_page
from howdah.serve.routes.plans import plan_file_of, plan_source
from howdah.serve.site import Site
from howdah.serve.starting import ENGINES, Engine, StartAsked, StartedRun, Words, arguments_of, startable
from howdah.serve.work import RequestWork
from howdah.session import interactive_plans as planning
from howdah.session.laboratories import names
from howdah.session.runs import usual_values

router = APIRouter(route_class=JsonRoute)


class StartDefaults(Model):
    """What a run takes for options that are left out."""

    values: dict[str, str]  # As people read them, by option; none for what only the run itself decides.


class Starts(Model):
    """What was started from here, the newest first."""

    runs: tuple[StartedRun, ...]


@router.get("/start/", include_in_schema=False)
def start_page(request: Request, site: Here) -> Response:
    """The form that starts a run, and the queue."""
    _check_allowed(site)
    return own_page(
        request,
        "start.html.j2",
        "Start",
        engines=ENGINES,
        offered={
            engine: {suite: list(map(_option, options)) for suite, options in startable(engine).items()}
            for engine, _ in ENGINES
        },
        plans=site.settings.plan_names,
        labs=names(),
    )


def _option(option: Option[Any]) -> dict[str, object]:
    return {
        "name": option.name,
        "flag": option.flag,
        "help": option.help,
        "unit": _UNITS.get(option.metavar, ""),
        "choices": tuple(str(getattr(choice, "value", choice)) for choice in option.choices),
    }


_UNITS = {
    "BYTES": "bytes, such as 1GiB", "COUNT": "number, such as 10M", "N": "number", "S": "seconds",
    "SHARE": "from 0 to 1", "TIME": "time, such as 10ms",
}  # fmt: skip
"""What options are counted in, by what stands for their value in help."""


@router.get("/api/v1/starts/defaults")
async def start_defaults(
    site: Here, work: Working, engine: Engine, suite: Words, plan: Words = ""
) -> StartDefaults:
    """What a run on this machine or of this plan takes for options that are left out; nothing is started.

    What runs on a lab is sized by the cluster that is there, so that has none.
    """
    _check_allowed(site)
    source = plan_source(site, plan) if plan and engine == SIM else None
    return await work(_defaults, engine, suite, source, site.settings.runs_dir)


def _defaults(engine: str, suite: str, source: planning.PlanSource | None, runs_dir: Path) -> StartDefaults:
    options = startable(engine).get(suite, ())
    if engine == LOCAL:
        return StartDefaults(values=usual_values(options, suite, None, runs_dir))
    if source is None:
        return StartDefaults(values={})
    return StartDefaults(values=usual_values(options, suite, planning.load_plan(source), runs_dir))


@router.get("/api/v1/starts")
def starts(site: Here) -> Starts:
    """What was started from here, and what waits."""
    _check_allowed(site)
    return Starts(runs=site.starter.runs)


@router.post("/api/v1/starts")
async def start(request: StartAsked, site: Here, work: Working) -> StartedRun:
    """Start a run; refused as the command line would refuse it."""
    _check_allowed(site)
    plan = await _plan(site, work, request.plan) if request.plan else None
    arguments = arguments_of(
        request, runs_dir=site.settings.runs_dir, plan=plan, calibration=site.settings.calibration
    )
    return await site.starter.ask(arguments)


@router.delete("/api/v1/starts/{number}")
async def stop_start(number: int, site: Here) -> Starts:
    """Stop a run that was started from here, or take it out of the queue."""
    _check_allowed(site)
    site.starter.stop(number)
    return Starts(runs=site.starter.runs)


def _check_allowed(site: Site) -> None:
    if not site.settings.allow_runs or site.static:
        raise NotServed("start")


async def _plan(site: Site, work: RequestWork, key: str) -> Path:
    """The file of a plan: its own, or one that is written for a plan that was made here."""
    if key.startswith("file-"):
        return plan_file_of(site, key).absolute()
    path = site.settings.state_dir / f"plan-{key}.yaml"
    text = await work(planning.plan_text, plan_source(site, key))
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with replacing(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise UserError("plan", f"cannot be kept ({error.strerror})", "free some space") from error
    return path
