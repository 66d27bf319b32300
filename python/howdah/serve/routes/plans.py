"""Plans: made in an editor, shown with every reason, changed by sliders, and held against what exists."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import JSONResponse, Response

from howdah.errors import UserError
from howdah.model.base import Model
from howdah.model.existing import CheckReport, CheckVerdict
from howdah.model.plan import Candidate, ClusterPlan, Setting, value_text
from howdah.report import vega
from howdah.report.document import Figure, Table
from howdah.report.html import ShownPage, shown_page, tied
from howdah.report.plan import content, words
from howdah.report.plan.figures import growth
from howdah.report.plan.page import plan_document
from howdah.report.renderer import figure_data, folded
from howdah.serve.pages import Pages, sentence
from howdah.serve.places import NotServed, ServeSettings
from howdah.serve.routes.answers import Declined, Here, JsonRoute, Simulating, Working, own_page, show
from howdah.serve.routes.studies import signature_of_file
from howdah.serve.site import Shown, Site
from howdah.serve.work import Superseded
from howdah.session import interactive_plans as planning
from howdah.session.plan_checks import check
from howdah.session.plans import grounds

router = APIRouter(route_class=JsonRoute)

_EXAMPLE = """howdah: 1
cluster: example
groups:
  - name: host
    count: 32
    cpu: {sockets: 2, cores_per_socket: 10, threads_per_core: 2}
    memory: 256GiB
    disks:
      - {count: 20, kind: hdd, size: 4TB, role: data}
      - {count: 2, kind: ssd, size: 480GB, role: system}
    nics:
      - {count: 2, speed: 10Gb/s}
"""


class PlatformAnswer(Model):
    """One platform beside the others."""

    platform: str
    verdict: str
    cells: tuple[str, ...]  # WorkProcesses, vCPUs, memory, disks, tasks at once; none where it is refused.
    reasons: tuple[tuple[str, str, str], ...]  # For or against, what, and by which rule.


class SettingAnswer(Model):
    """One value with its reason."""

    key: str
    value: str
    note: str
    holds_for: str
    reason: str
    rule: str
    source: str


class PlanAnswer(Model):
    """A plan in short; the whole of it is a page of its own."""

    key: str  # Its page is at ``plans/KEY/``, its file at ``api/v1/plans/KEY``.
    answer: str
    capacity: str
    platforms: tuple[PlatformAnswer, ...]
    settings: dict[str, tuple[SettingAnswer, ...]]
    advice: tuple[str, ...]
    growth: dict[str, Any] | None  # What the data need, as Vega-Lite, where growth was asked for.
    growth_caption: str
    now: dict[str, str]  # What the sliders change, as planned and as one writes it; if the plan has it.


def plan_source(site: Site, key: str) -> planning.PlanSource:
    """A plan that was made here, or the file of ``file-N``, one that the server was given."""
    return site.plans.get(key) or plan_file_of(site, key)


def plan_file_of(site: Site, key: str) -> Path:
    head, _, number = key.partition("-")
    files = site.settings.plans
    if head != "file" or not number.isdecimal() or not 0 < int(number[:6]) <= len(files):
        raise NotServed(key)
    return files[int(number) - 1]


@router.get("/plan/", include_in_schema=False)
async def plan_page(
    request: Request, site: Here, work: Working, plan: Annotated[str, Query(max_length=100)] = ""
) -> Response:
    """The editor with a plan, and the sliders.

    ``plan`` is a plan's key, or ``new``; without it the page begins with the inventory that the server was
    given, or else with its first plan, or with an example.
    """
    settings = site.settings
    first = _FIRST if settings.plans and settings.inventory is None else _NEW
    opened, fault = planning.PlanAsked(inventory=_EXAMPLE, workload="terasuite:30TB"), ""
    if site.static:
        pass
    elif (key := plan or first) != _NEW:
        try:
            opened = await work(planning.asked_for, plan_source(site, key), key)
        except UserError as error:
            # A plan that was asked for is refused as a whole; otherwise there is still a page to plan on.
            if plan:
                raise
            fault = f"{error}. {sentence(error.hint)}"
    elif settings.inventory is not None:
        inventory = planning.read_inventory_text(settings.inventory)
        opened = opened.model_copy(update={"inventory": inventory})
    figures = () if site.static else (_NO_GROWTH,)
    return own_page(
        request,
        "planning.html.j2",
        "Plan",
        opened=opened,
        fault=fault,
        files=site.settings.plan_names,
        calibration=site.settings.calibration,
        figures=figures,
        data=figure_data("plan", figures),
    )


_NEW, _FIRST = "new", "file-1"


_NO_GROWTH = Figure(
    "growth",
    "What the data need, year by year",
    "",
    vega.chart(
        [{"mark": "bar", "encoding": {"x": vega.linear("year", [0, 1])}}], height=200, data={"values": []}
    ),
    Table(("",), ()),
    (),
)


@router.post("/api/v1/inventory/check")
async def inventory_check(
    request: planning.InventoryText, work: Working
) -> tuple[planning.InventoryFault, ...]:
    """What is wrong with an inventory, each fault at its line and column: all of them, or the first 200."""
    return await work(planning.check_inventory, request.inventory)


@router.post("/api/v1/plan")
async def plan(request: planning.PlanAsked, site: Here, work: Working) -> PlanAnswer:
    """Plan these hosts; nothing is written."""
    made, answer = await work(_planned, request, _base(site, request))
    site.plans.keep(answer.key, made)
    return answer


def _base(site: Site, request: planning.PlanAsked) -> planning.PlanSource | None:
    return plan_source(site, request.base) if request.base else None


def _planned(request: planning.PlanAsked, base: planning.PlanSource | None) -> tuple[ClusterPlan, PlanAnswer]:
    made = planning.plan_asked(request, base)
    return made, _answer(made)


def _answer(made: ClusterPlan) -> PlanAnswer:
    cluster = made.cluster
    curve = growth(cluster.capacity)
    settings: dict[str, tuple[SettingAnswer, ...]] = {}
    for setting in made.settings:
        name = setting.file or words.OF_THE_PLAN
        settings[name] = (*settings.get(name, ()), _setting_answer(made, setting))
    return PlanAnswer(
        key=planning.key_of(made),
        answer=tied(words.answer(made, cluster)),
        capacity=tied(words.capacity_line(cluster.capacity)),
        platforms=tuple(map(_platform_answer, content.best_platforms(cluster))),
        settings=settings,
        advice=tuple(advice.text for advice in words.by_severity(cluster.advice)),
        growth=folded(curve.spec) if curve else None,
        growth_caption=curve.caption if curve else "",
        now=planning.planned_quantities(made),
    )


def _platform_answer(candidate: Candidate) -> PlatformAnswer:
    return PlatformAnswer(
        platform=candidate.platform,
        verdict=candidate.verdict,
        cells=words.figures(candidate),
        reasons=tuple(
            (judgement.verdict, judgement.text, judgement.rule) for judgement in words.by_weight(candidate)
        ),
    )


def _setting_answer(plan: ClusterPlan, setting: Setting) -> SettingAnswer:
    several = len(plan.workers) > 1 or len(plan.cluster.inventory.groups) > 1
    return SettingAnswer(
        key=setting.key,
        value=value_text(setting.value),
        note=words.size_note(setting),
        holds_for=(setting.worker or setting.group or "") if several else "",
        reason=setting.reason,
        rule=setting.rule or "",
        source=", ".join(content.labels(setting.source)),
    )


@router.post(
    "/api/v1/what-if",
    response_model=planning.WhatIfTimes,
    responses={
        204: {"description": "The same page has requested something newer."},
        409: {"model": Declined},
    },
)
async def what_if_times(request: planning.WhatIfAsked, site: Here, simulate: Simulating) -> Response:
    """Simulate TeraSort's suite on the plan with its changes; a newer question of the same page ends it."""
    newer = site.turns.turn(request.page)
    try:
        times = await simulate.unless(
            newer, planning.what_if, request, site.settings.calibration, _base(site, request)
        )
    except Superseded:
        return Response(status_code=204)
    return JSONResponse(times.model_dump(mode="json"))


@router.get("/api/v1/plans/{key}", response_class=Response)
async def plan_file(key: str, site: Here, work: Working) -> Response:
    """A plan as the file that `howdah render` and `howdah predict` read."""
    text = await work(planning.plan_text, plan_source(site, key))
    disposition = {"Content-Disposition": 'attachment; filename="plan.yaml"'}
    return Response(text, media_type="application/yaml; charset=utf-8", headers=disposition)


def _shown(site: Site, key: str) -> Shown:
    mark = signature_of_file(plan_file_of(site, key)) if key.startswith("file-") else ""
    return Shown(("plan", key, mark), _page, (key, plan_source(site, key)))


def _page(pages: Pages, key: str, source: planning.PlanSource) -> ShownPage:
    name = dict(pages.settings.plan_names).get(key, "made here")
    return shown_page(
        plan_document(planning.load_plan(source), grounds()), pages.shell(f"/plans/{key}/", "Plan", name)
    )


show(router, "/plans/{key}/", _shown)


@router.get("/checks/", include_in_schema=False)
async def checks_page(request: Request, site: Here, work: Working) -> Response:
    """How far what exists is from the rules and from the plan."""
    report = await work(_checked, site.settings)
    counts = {
        verdict.value: sum(checked.verdict is verdict for checked in report.checks)
        for verdict in CheckVerdict
    }
    groups = report.groups(*_LISTED)
    return own_page(request, "checks.html.j2", "Checks", report=report, groups=groups, counts=counts)


_LISTED = (CheckVerdict.FAIL, CheckVerdict.WARN, CheckVerdict.UNKNOWN, CheckVerdict.ADVICE)


@router.get("/api/v1/checks")
async def checks(site: Here, work: Working) -> CheckReport:
    """What exists, held against the rules and the plan."""
    return await work(_checked, site.settings)


def _checked(settings: ServeSettings) -> CheckReport:
    if not settings.conf:
        raise UserError("--conf", "is missing", "start howdah serve with --conf DIR")
    plan_path = settings.plans[0] if settings.plans else None
    return check(folders=settings.conf, this_host=False, probes=(), plan_path=plan_path, hadoop=None)
