"""The page of a search: the result, the tuned values, what matters, what fewer hosts take, losing rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from howdah.analysis.wording import percent, seconds, signed
from howdah.model.calibration import Calibration
from howdah.model.tuning import (
    Finalist,
    Fixed,
    FrontPoint,
    Goal,
    HardwareLimit,
    KeptRules,
    Sensitivity,
    TuneParameter,
    Tuning,
)
from howdah.report import document as doc
from howdah.report import vega
from howdah.report.prediction.raced import LEARNED_ABOUT, learned_blocks, race_section, race_text
from howdah.report.prediction.words import Ground, facts, inputs, warned
from howdah.report.theme import WIDTH
from howdah.report.words import NONE, optional
from howdah.units import format_bytes, format_counted, format_seconds

_MATTER = 10
_ROW, _BAR, _LINE = 52, 12, 14
_NAME_AT, _BAR_AT = 8, 40  # Pixels from the top of a row to the middle of its name and of its bar.
_HEIGHT = 200


def tuned(tuning: Tuning, calibration: Calibration | None) -> doc.Document:
    """The page of a search; ``calibration`` is the one that it rests on."""
    best = tuning.finalists[0]
    costly = [effect for effect in tuning.sensitivity[:_MATTER] if effect.cost > 0]
    figure = (
        None
        if not costly
        else doc.Figure(
            id="matters",
            title="The parameters that matter most on these hosts",
            caption=(
                "How much longer the suite takes with one parameter at its worst value and everything else as in "
                "the tuned plan. All of it is simulated."
            ),
            spec=_matters_spec(costly),
            table=doc.Table(
                ("parameter", "best", "worst", "costs"),
                tuple((effect.name, effect.best, effect.worst, signed(effect.cost)) for effect in costly),
            ),
            marks=2 * len(costly),
        )
    )
    candidates = format_counted(tuning.trials, "candidate")
    text = (
        f"{candidates} were tried in {format_seconds(tuning.elapsed_s)}, with "
        f"{format_counted(len(tuning.space), 'parameter')}; the rules or the simulator refused "
        f"{tuning.refused:,}."
    )
    about = {parameter.name: parameter for parameter in tuning.space}
    costs = {name: tuning.cost_of_return(name) for name in tuning.chosen}
    rows = tuple(
        (
            name,
            about[name].planned,
            tuning.chosen[name],
            ("not simulated" if cost is None else signed(cost)),
            about[name].about,
        )
        for name, cost in sorted(costs.items(), key=lambda item: -(item[1] or 0))
    )
    columns = ("tuned value", "rules", "tuned", "with the rules' value", "meaning")
    return doc.Document(
        "page",
        f"{tuning.suite}: the fastest specification",
        (tuning.suite, "tune", "measured" if tuning.race else "simulated"),
        _answer(tuning, best),
        doc.present(
            doc.Paragraph(
                text
                if tuning.race
                else f"{text} Confirm the tuned plan with real runs: `howdah tune --race`.",
                "lead",
            ),
            warned(tuning.warnings),
            figure,
            doc.Table(columns, rows, label="Tuned values", style="stats"),
            doc.Only(doc.TERMINAL, (figure.table._replace(title=figure.title),)) if figure else None,
        ),
        (*_sections(tuning), inputs(_facts(tuning, calibration), calibration)),
        data=(_data(tuning),),
    )


def _answer(tuning: Tuning, best: Finalist) -> str:
    if tuning.race is not None:
        return race_text(tuning.race)
    if not best.values:
        takes = f"{tuning.suite} would take {seconds(tuning.planned_s)}"
        return f"No candidate would be faster than the rules' plan: {takes}."
    if not best.differs:
        return "The best candidate cannot be distinguished from the rules' plan."
    ends = ""
    if best.interval is not None:
        low, high = sorted((-best.interval.low, -best.interval.high))
        ends = f" ({percent(low)} to {percent(high)})"
    return f"The tuned plan would take {percent(-best.share)} less time than the rules' plan{ends}."


def _sections(tuning: Tuning) -> Iterator[doc.Section]:
    if tuning.race is not None:
        yield race_section(tuning.race)
    if tuning.learned is not None:
        yield doc.Section(
            "first-round",
            "First round",
            "What a first round of runs changed",
            learned_blocks(tuning.learned),
            LEARNED_ABOUT,
        )
    rows = [("the rules' plan", seconds(tuning.planned_s), NONE, NONE, "none")]
    for finalist in tuning.finalists:
        name = "keeps every rule" if finalist.kept is KeptRules.RULES else "keeps the rules that protect"
        ends = " to ".join(signed(end) for end in finalist.interval) if finalist.interval else NONE
        breaks = ", ".join(finalist.breaks) or "none"
        rows.append((name, seconds(finalist.elapsed_s), signed(finalist.share), ends, breaks))
    columns = ("candidate", "time", "difference", "90 % interval", "breaks")
    yield doc.Section(
        "course",
        "Search",
        "How the search went",
        (_course_figure(tuning), doc.Table(columns, tuple(rows), "The best of each search")),
        "The best candidate that keeps every rule, after each trial.",
    )
    if tuning.limit is not None:
        yield _limit_section(tuning.limit, tuning.finalists[0].elapsed_s)
    if tuning.front:
        about = f"Each line is the fastest candidate found with so much. {fewest_hosts(tuning)}".strip()
        tables = tuple(front_tables(tuning))
        yield doc.Section("front", "Less", "What it takes with fewer hosts or less memory", tables, about)
    if tuning.losing:
        yield doc.Section(
            "losing",
            "Rules",
            "Rules that cost time here",
            (
                doc.Table.of(
                    tuning.losing,
                    {
                        "rule": lambda losing: losing.rule,
                        "broken by": lambda losing: ", ".join(
                            f"{name} {value}" for name, value in losing.values.items()
                        ),
                        "keeping it costs": lambda losing: percent(losing.share),
                    },
                    "Rules",
                ),
            ),
            "The fastest candidate breaks these rules. Either the rule or the simulator is wrong; only "
            "real runs can show which.",
        )
    if tuning.interactions:
        yield doc.Section(
            "interactions",
            "Interactions",
            "Parameters that depend on one another",
            (
                doc.Table.of(
                    tuning.interactions,
                    {
                        "one change": lambda pair: f"{pair.names[0]} {pair.values[0]}",
                        "another": lambda pair: f"{pair.names[1]} {pair.values[1]}",
                        "together": lambda pair: signed(pair.share),
                    },
                    "Pairs",
                ),
            ),
            "How much more time both changes cost together than the sum of their single effects.",
            doc.PAGES,
        )
    yield doc.Section(
        "space",
        "Space",
        "What was varied, and what was not",
        space_tables(tuning.space, tuning.fixed),
        forms=doc.PAGES,
    )


def _limit_section(limit: HardwareLimit, elapsed_s: float) -> doc.Section:
    """How far the first finalist is from what the hardware can do."""
    text = (
        f"The hardware needs at least {seconds(limit.elapsed_s)} for this work, "
        f"{percent(limit.elapsed_s / elapsed_s)} of the simulated time of the best candidate "
        f"({seconds(elapsed_s)}). The remaining time is for starts, the last tasks of a phase and contention."
    )
    rows = (
        ("CPUs", seconds(limit.cpu_s), percent(limit.cpu_s / elapsed_s)),
        ("disks, at their outer rate", seconds(limit.disk_s), percent(limit.disk_s / elapsed_s)),
        ("links, one way", seconds(limit.network_s), percent(limit.network_s / elapsed_s)),
    )
    table = doc.Table(("resource", "all of it busy for", "of the time"), rows, "Resources")
    about = (
        "The time in which the busiest resource of each phase would be always busy. All of it is simulated."
    )
    return doc.Section(
        "limit", "Limit", "How far it is from the limit of the hardware", (doc.Paragraph(text), table), about
    )


def space_tables(space: Sequence[TuneParameter], fixed: Sequence[Fixed]) -> tuple[doc.Table, doc.Table]:
    """Every parameter with its values, and what is left as planned."""
    varied = doc.Table.of(
        space,
        {
            "parameter": lambda parameter: (
                f"{parameter.name} ({parameter.unit})" if parameter.unit else parameter.name
            ),
            "meaning": lambda parameter: parameter.about,
            "planned": lambda parameter: parameter.planned,
            "values": lambda parameter: " ".join(parameter.levels),
        },
        "Varied",
    )
    unchanged = {"parameter": lambda parameter: parameter.name, "why": lambda parameter: parameter.why}
    return varied, doc.Table.of(fixed, unchanged, "Left as planned")


def _facts(tuning: Tuning, calibration: Calibration | None) -> Iterator[doc.FactList]:
    ground = Ground(
        tuning.calibration, calibration.best_of if calibration else 1, tuning.replications, tuning.seed
    )
    yield from facts(ground)
    yield doc.FactList("Search", (("name", tuning.id), ("plan", tuning.plan), ("suite", tuning.suite)))


def _data(tuning: Tuning) -> doc.Data:
    rows = tuple(
        (effect.name, level.value, level.share) for effect in tuning.sensitivity for level in effect.levels
    )
    return doc.Data("sensitivity", ("parameter", "value", "share"), rows)


def _matters_spec(costly: list[Sensitivity]) -> dict[str, Any]:
    values = [
        {
            "y": place * _ROW + _BAR_AT,
            "name_y": place * _ROW + _NAME_AT,
            "none": 0,
            "cost": parameter.cost,
            "name": parameter.name,
            "values": f"{parameter.worst} instead of {parameter.best}: {signed(parameter.cost)}",
        }
        for place, parameter in enumerate(costly)
    ]
    height = len(costly) * _ROW
    x = vega.linear(
        "cost",
        [0, costly[0].cost],
        vega.across("longer than with its best value", format="+.0%", labelExpr=vega.SIGNED, tickCount=4),
    )
    y = vega.linear("y", [0, height], down=True, zero=False)
    name_y = vega.linear("name_y", [0, height], down=True, zero=False)
    words = {"type": "text", "baseline": "middle", "limit": {"expr": "width"}}
    return vega.chart(
        [
            vega.layer(
                values,
                {"type": "bar", "orient": "horizontal", "size": _BAR, "color": "$group-3"},
                {"x": x, "x2": "none", "y": y, "tooltip": vega.tips(name=None, values="costs")},
                name=vega.DATA,
            ),
            vega.layer(
                values,
                {**words, "align": "left", "x": 0, "fontWeight": "bold"},
                {"y": name_y, "text": "name"},
            ),
            vega.layer(
                values, {**words, "align": "left", "x": 0, "dy": _LINE}, {"y": name_y, "text": "values"}
            ),
        ],
        height=height,
        width=WIDTH,
        top=4,
        left=10,
        right=24,
    )


def _course_figure(tuning: Tuning) -> doc.Figure:
    values = [{"trial": number, "share": share} for number, share in tuning.course]
    shares = [share for _, share in tuning.course]
    x = vega.linear("trial", [0, max(1, tuning.trials)], vega.across("trials", tickCount=6, format=",d"))
    y = vega.linear(
        "share",
        [1.1 * min(shares) - 0.005, max(shares)],
        {
            **vega.level_title("change of time"),
            "format": "+.0%",
            "labelExpr": vega.SIGNED,
            "tickCount": 5,
            "grid": True,
        },
    )
    return doc.Figure(
        id="course",
        title="The best candidate after each trial",
        caption="How much longer the suite takes than with the rules' plan, with the best candidate so far "
        "that keeps every rule. It is simulated with seeds that the search has not used, so that chance does "
        "not choose a candidate and judge it, too: where the line rises, a candidate had only been lucky.",
        spec=vega.chart(
            [
                vega.layer(
                    values,
                    {"type": "line", "interpolate": "step-after", "strokeDash": [6, 3], "color": "$group-1"},
                    {"x": x, "y": y},
                    name=vega.DATA,
                )
            ],
            height=_HEIGHT,
            width=WIDTH,
        ),
        table=doc.Table(
            ("trials", "change of time"),
            tuple((f"{number:,}", signed(share)) for number, share in tuning.course),
        ),
        marks=len(values),
    )


def front_tables(tuning: Tuning) -> Iterator[doc.Table]:
    """A table for each goal of the search."""
    for goal in Goal:
        if points := [point for point in tuning.front if point.goal is goal]:

            def against(point: FrontPoint) -> str:
                return NONE if point is points[0] else signed(point.elapsed_s / points[0].elapsed_s - 1)

            hosts: dict[str, Callable[[FrontPoint], str]] = {
                "hosts": lambda point: f"{point.amount:,.0f}",
                "the rules' plan": lambda point: optional(point.planned_s, seconds),
                "tuned for them": lambda point: seconds(point.elapsed_s),
                "against the tuned plan": against,
            }
            memory: dict[str, Callable[[FrontPoint], str]] = {
                "memory of tasks": lambda point: format_bytes(point.amount),
                "tuned for it": lambda point: seconds(point.elapsed_s),
                "against the tuned plan": against,
            }
            on_hosts = goal is Goal.HOSTS
            yield doc.Table.of(points, hosts if on_hosts else memory, "Hosts" if on_hosts else "Memory")


def fewest_hosts(tuning: Tuning) -> str:
    """How few hosts are as fast as the rules' plan on all; empty if a search did not try fewer."""
    points = [point for point in tuning.front if point.goal is Goal.HOSTS]
    if not points or (rules_s := points[0].planned_s) is None:
        return ""
    enough = [point for point in points[1:] if point.elapsed_s <= rules_s]
    most = f"{points[0].amount:,.0f}"
    if not enough:
        return f"None of the smaller numbers of hosts would be as fast as {most} with the rules' plan."
    fewest = enough[-1]
    return (
        f"{fewest.amount:,.0f} tuned hosts would be as fast as {most} with the rules' plan: "
        f"{seconds(fewest.elapsed_s)} against {seconds(rules_s)}."
    )
