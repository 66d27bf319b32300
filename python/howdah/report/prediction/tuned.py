"""The page of a search: the result, the tuned values, what matters, what fewer hosts take, losing rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.analysis.wording import percent, seconds, signed
from howdah.model.calibration import Calibration
from howdah.model.tuning import (
    Finalist,
    Fixed,
    Goal,
    HardwareLimit,
    KeptRules,
    TuneParameter,
    Tuning,
)
from howdah.report import document as doc
from howdah.report import vega
from howdah.report.prediction.raced import LEARNED_ABOUT, learned_blocks, race_section, race_text
from howdah.report.prediction.words import Ground, facts, inputs, warned
from howdah.report.words import NONE, table_of
from howdah.units import format_counted, format_seconds

_MATTER = 10
_ROW, _BAR, _LINE = 52, 12, 14
_NAME_AT, _BAR_AT = 8, 40  # Pixels from the top of a row to the middle of its name and of its bar.
_HEIGHT = 200


def tuned(tuning: Tuning, calibration: Calibration | None) -> doc.Document:
    """The page of a search; ``calibration`` is the one that it rests on."""
    figure = _matters_figure(tuning)
    search = (
        f"{format_counted(tuning.trials, 'candidate')} were tried in {format_seconds(tuning.elapsed_s)}, "
        f"with {format_counted(len(tuning.space), 'parameter')}; the rules or the simulator refused "
        f"{tuning.refused:,}."
    )
    confirm = " Confirm the tuned plan with real runs: `howdah tune --race`." if not tuning.race else ""
    about = {parameter.name: parameter for parameter in tuning.space}
    costs = {name: tuning.cost_of_return(name) for name in tuning.chosen}
    values = table_of(
        [(about[name], cost) for name, cost in sorted(costs.items(), key=lambda item: -(item[1] or 0))],
        "tuned value {name} | rules {planned} | tuned {tuned} | with the rules' value {cost} | "
        "meaning {about}",
        label="Tuned values",
        style="stats",
        tuned=lambda pair: tuning.chosen[pair[0].name],
        cost=lambda pair: "not simulated" if pair[1] is None else signed(pair[1]),
    )
    groups = (
        *facts(Ground.of_variation(tuning, calibration)),
        doc.FactList("Search", (("name", tuning.id), ("plan", tuning.plan), ("suite", tuning.suite))),
    )
    effects = tuple(
        (effect.name, level.value, level.share) for effect in tuning.sensitivity for level in effect.levels
    )
    return doc.Document.of(
        "page",
        f"{tuning.suite}: the fastest specification",
        (tuning.suite, "tune", "measured" if tuning.race else "simulated"),
        _answer(tuning, tuning.finalists[0]),
        doc.Paragraph(f"{search}{confirm}", "lead"),
        warned(tuning.warnings),
        figure,
        values,
        doc.Only(doc.TERMINAL, (figure.table._replace(title=figure.title),)) if figure else None,
        sections=(*_sections(tuning), inputs(groups, calibration)),
        data=(doc.Data("sensitivity", ("parameter", "value", "share"), effects),),
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


_COURSE = "The best candidate that keeps every rule, after each trial."


def _sections(tuning: Tuning) -> Iterator[doc.Section]:
    if tuning.race is not None:
        yield race_section(tuning.race)
    if tuning.learned is not None:
        learned = learned_blocks(tuning.learned)
        title = "What a first round of runs changed"
        about = LEARNED_ABOUT if tuning.learned.times else ""
        yield doc.Section.of("First round", *learned, title=title, about=about)
    rows = [("the rules' plan", seconds(tuning.planned_s), NONE, NONE, "none")]
    for finalist in tuning.finalists:
        name = "keeps every rule" if finalist.kept is KeptRules.RULES else "keeps the rules that protect"
        ends = " to ".join(signed(end) for end in finalist.interval) if finalist.interval else NONE
        breaks = ", ".join(finalist.breaks) or "none"
        rows.append((name, seconds(finalist.elapsed_s), signed(finalist.share), ends, breaks))
    columns = ("candidate", "time", "difference", "90 % interval", "breaks")
    saved_time = any(share < 0 for _, share in tuning.course)
    yield doc.Section.of(
        "Search",
        _course_figure(tuning) if saved_time else None,
        doc.Table(columns, tuple(rows), "The best of each search"),
        title="How the search went",
        about=_COURSE if saved_time else "No candidate that keeps every rule saved time.",
        anchor="course",
    )
    if tuning.limit is not None:
        yield _limit_section(tuning.limit, tuning.finalists[0].elapsed_s)
    yield doc.Section.of(
        "Less",
        *(_front_table(tuning, goal) for goal in Goal),
        title="What it takes with fewer hosts or less memory",
        about=f"Each line is the fastest candidate found with so much. {_fewest_hosts(tuning)}".strip(),
        anchor="front",
    )
    losing = table_of(
        tuning.losing,
        "rule {rule} | broken by {broken} | keeping it costs {share:%}",
        "Rules",
        broken=lambda losing: ", ".join(f"{name} {value}" for name, value in losing.values.items()),
    )
    about = (
        "The fastest candidate breaks these rules. Either the rule or the simulator is wrong; only "
        "real runs can show which."
    )
    yield doc.Section.of("Rules", losing, title="Rules that cost time here", about=about, anchor="losing")
    pairs = table_of(
        tuning.interactions,
        "one change {first} | another {second} | together {share:±%}",
        "Pairs",
        first=lambda pair: f"{pair.names[0]} {pair.values[0]}",
        second=lambda pair: f"{pair.names[1]} {pair.values[1]}",
    )
    about = "How much more time both changes cost together than the sum of their single effects."
    title = "Parameters that depend on one another"
    yield doc.Section.of("Interactions", pairs, title=title, about=about, forms=doc.PAGES)
    title = "What was varied, and what was not"
    yield doc.Section.of("Space", *space_tables(tuning.space, tuning.fixed), title=title, forms=doc.PAGES)


def _limit_section(limit: HardwareLimit, elapsed_s: float) -> doc.Section:
    """How far the first finalist is from what the hardware can do."""
    text = (
        f"The hardware needs at least {seconds(limit.elapsed_s)} for this work, "
        f"{percent(limit.elapsed_s / elapsed_s)} of the simulated time of the best candidate "
        f"({seconds(elapsed_s)}). The remaining time is for starts, the last tasks of a phase and contention."
    )
    resources = (
        ("CPUs", limit.cpu_s),
        ("disks, at their outer rate", limit.disk_s),
        ("links, one way", limit.network_s),
    )
    rows = tuple((name, seconds(busy_s), percent(busy_s / elapsed_s)) for name, busy_s in resources)
    return doc.Section.of(
        "Limit",
        doc.Paragraph(text),
        doc.Table(("resource", "all of it busy for", "of the time"), rows, "Resources"),
        title="How far it is from the limit of the hardware",
        about="The time in which the busiest resource of each phase would be always busy. All of it is "
        "simulated.",
    )


def space_tables(space: Sequence[TuneParameter], fixed: Sequence[Fixed]) -> tuple[doc.Table, doc.Table]:
    """Every parameter with its values, and what is left as planned."""
    varied = table_of(
        space,
        "parameter {name}{unit} | meaning {about} | planned {planned} | values {levels}",
        "Varied",
        unit=lambda parameter: f" ({parameter.unit})" if parameter.unit else "",
        levels=lambda parameter: " ".join(parameter.levels),
    )
    return varied, table_of(fixed, "parameter {name} | why {why}", "Left as planned")


def _matters_figure(tuning: Tuning) -> doc.Figure | None:
    costly = [effect for effect in tuning.sensitivity[:_MATTER] if effect.cost > 0]
    if not costly:
        return None
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
    axis = vega.across("longer than with its best value", format="+.0%", labelExpr=vega.SIGNED, tickCount=4)
    x = vega.linear("cost", [0, costly[0].cost], axis)
    y = vega.linear("y", [0, height], down=True, zero=False)
    bar = {"type": "bar", "orient": "horizontal", "size": _BAR, "color": "$group-3"}
    place = {"x": x, "x2": "none", "y": y, "tooltip": vega.tips(name=None, values="costs")}
    words = {"type": "text", "baseline": "middle", "limit": {"expr": "width"}, "align": "left", "x": 0}
    name_y = vega.on(y, "name_y")
    layers = [
        vega.layer(values, bar, place, name=vega.DATA),
        vega.layer(values, {**words, "fontWeight": "bold"}, {"y": name_y, "text": "name"}),
        vega.layer(values, {**words, "dy": _LINE}, {"y": name_y, "text": "values"}),
    ]
    return doc.Figure(
        "matters",
        "The parameters that matter most on these hosts",
        "How much longer the suite takes with one parameter at its worst value and everything else as in "
        "the tuned plan. All of it is simulated.",
        vega.chart(layers, height=height, width=vega.WIDTH, top=4, left=10, right=24),
        table_of(costly, "parameter {name} | best {best} | worst {worst} | costs {cost:±%}"),
        marks=2 * len(costly),
    )


def _course_figure(tuning: Tuning) -> doc.Figure:
    values = [{"trial": number, "share": share} for number, share in tuning.course]
    shares = [share for _, share in tuning.course]
    x = vega.linear("trial", [0, max(1, tuning.trials)], vega.across("trials", tickCount=6, format=",d"))
    axis = vega.level_title("change of time", format="+.0%", labelExpr=vega.SIGNED, tickCount=5, grid=True)
    y = vega.linear("share", [1.1 * min(shares) - 0.005, max(shares)], axis)
    line = {"type": "line", "interpolate": "step-after", "strokeDash": [6, 3], "color": "$group-1"}
    return doc.Figure(
        "course",
        "The best candidate after each trial",
        "How much longer the suite takes than with the rules' plan, with the best candidate so far "
        "that keeps every rule. It is simulated with seeds that the search has not used, so that chance does "
        "not choose a candidate and judge it, too: where the line rises, a candidate had only been lucky.",
        vega.chart(
            [vega.layer(values, line, {"x": x, "y": y}, name=vega.DATA)], height=_HEIGHT, width=vega.WIDTH
        ),
        table_of(tuning.course, "trials {0:,} | change of time {1:±%}"),
        marks=len(values),
    )


def _front_table(tuning: Tuning, goal: Goal) -> doc.Table:
    """The fastest plans with fewer hosts, or with less memory; no rows if the search did not try fewer."""
    points, hosts = [point for point in tuning.front if point.goal is goal], goal is Goal.HOSTS
    columns = "memory of tasks {amount:B} | tuned for it {elapsed_s:s}"
    if hosts:
        columns = "hosts {amount:,.0f} | the rules' plan {planned_s:s} | tuned for them {elapsed_s:s}"
    return table_of(
        points,
        f"{columns} | against the tuned plan {{share:±%}}",
        "Hosts" if hosts else "Memory",
        share=lambda point: None if point is points[0] else point.elapsed_s / points[0].elapsed_s - 1,
    )


def _fewest_hosts(tuning: Tuning) -> str:
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
