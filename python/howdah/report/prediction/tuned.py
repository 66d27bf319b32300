"""What the page of a search shows: the result, the tuned values, what matters, the rules that lose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from howdah.analysis.wording import percent, seconds, signed
from howdah.model.calibration import Calibration
from howdah.model.tuning import Finalist, KeptRules, Sensitivity, Tuning
from howdah.report.document import Facts, Figure, Table
from howdah.report.prediction.grounds import Ground, calibration_tables, facts
from howdah.report.prediction.page import Data, PredictionContent, PredictionSection
from howdah.report.prediction.raced import race_section, race_text
from howdah.report.theme import DATA, SIGNED, WIDTH, across, chart, layer, level_title, linear
from howdah.report.words import NONE, sentence
from howdah.units import format_counted, format_seconds

_MATTER = 10
_ROW, _BAR, _LINE = 52, 12, 14
_NAME_AT, _BAR_AT = 8, 40
"""Pixels from the top of a row to the middle of its name and of its bar."""
_HEIGHT = 200


def tuned(tuning: Tuning, calibration: Calibration | None) -> PredictionContent:
    """Everything that is shown of a search; ``calibration`` is the one that it rests on."""
    best = tuning.finalists[0]
    return PredictionContent(
        name="page",
        title=f"{tuning.suite}: the fastest specification",
        kicker=(tuning.suite, "tune", "measured" if tuning.race else "simulated"),
        answer=_answer(tuning, best),
        lead=(
            f"{format_counted(tuning.trials, 'candidate')} were tried in "
            f"{format_seconds(tuning.elapsed_s)}, with {format_counted(len(tuning.space), 'parameter')}; "
            f"the rules or the simulator refused {tuning.refused:,}."
            + ("" if tuning.race else " Confirm the tuned plan with real runs: `howdah tune --race`."),
        ),
        warnings=tuple(sentence(warning.text) for warning in tuning.warnings),
        figure=_matters_figure(tuning),
        about_table="Tuned values",
        table=_values_table(tuning),
        sections=tuple(_sections(tuning)),
        facts=tuple(_facts(tuning, calibration)),
        grounds=tuple(calibration_tables(calibration)),
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


def _values_table(tuning: Tuning) -> Table:
    about = {parameter.name: parameter for parameter in tuning.space}
    costs = {name: tuning.cost_of_return(name) for name in tuning.chosen}
    return Table(
        ("tuned value", "rules", "tuned", "with the rules' value", "meaning"),
        tuple(
            (name, about[name].planned, tuning.chosen[name], _cost(cost), about[name].about)
            for name, cost in sorted(costs.items(), key=lambda item: -(item[1] or 0))
        ),
    )


def _cost(share: float | None) -> str:
    return "not simulated" if share is None else signed(share)


def _sections(tuning: Tuning) -> Iterator[PredictionSection]:
    if tuning.race is not None:
        yield race_section(tuning.race)
    yield PredictionSection(
        "course",
        "Search",
        "How the search went",
        "The best candidate that keeps every rule, after each trial.",
        figures=(_course_figure(tuning),),
        tables=(_finalists_table(tuning)._replace(title="The best of each search"),),
    )
    if tuning.losing:
        rows = tuple(
            (one.rule, ", ".join(f"{name} {value}" for name, value in one.values.items()), percent(one.share))
            for one in tuning.losing
        )
        yield PredictionSection(
            "losing",
            "Rules",
            "Rules that cost time here",
            "The fastest candidate breaks these rules. Either the rule or the simulator is wrong; only "
            "real runs can show which.",
            tables=(Table(("rule", "broken by", "keeping it costs"), rows, "Rules"),),
        )
    if tuning.interactions:
        rows = tuple(
            (f"{one.names[0]} {one.values[0]}", f"{one.names[1]} {one.values[1]}", signed(one.share))
            for one in tuning.interactions
        )
        yield PredictionSection(
            "interactions",
            "Interactions",
            "Parameters that depend on one another",
            "How much more time both changes cost together than the sum of their single effects.",
            tables=(Table(("one change", "another", "together"), rows, "Pairs"),),
        )
    yield PredictionSection(
        "space",
        "Space",
        "What was varied, and what was not",
        "",
        tables=(
            Table(
                ("parameter", "meaning", "values"),
                tuple(
                    (parameter.name, parameter.about, " ".join(parameter.levels))
                    for parameter in tuning.space
                ),
                "Varied",
            ),
            Table(
                ("parameter", "why"), tuple((one.name, one.why) for one in tuning.fixed), "Left as planned"
            ),
        ),
    )


def _finalists_table(tuning: Tuning) -> Table:
    rows = [("the rules' plan", seconds(tuning.planned_s), NONE, NONE, "none")]
    for one in tuning.finalists:
        name = "keeps every rule" if one.kept is KeptRules.RULES else "keeps the rules that protect"
        ends = " to ".join(signed(end) for end in one.interval) if one.interval else NONE
        rows.append((name, seconds(one.elapsed_s), signed(one.share), ends, ", ".join(one.breaks) or "none"))
    return Table(("candidate", "time", "difference", "90 % interval", "breaks"), tuple(rows))


def _facts(tuning: Tuning, calibration: Calibration | None) -> Iterator[Facts]:
    ground = Ground(
        tuning.calibration, calibration.best_of if calibration else 1, tuning.replications, tuning.seed
    )
    yield from facts(ground)
    yield Facts("Search", (("name", tuning.id), ("plan", tuning.plan), ("suite", tuning.suite)))


def _data(tuning: Tuning) -> Data:
    rows = tuple((one.name, level.value, level.share) for one in tuning.sensitivity for level in one.levels)
    return Data("sensitivity", ("parameter", "value", "share"), rows)


def _matters_figure(tuning: Tuning) -> Figure | None:
    """What each of the parameters that matter most costs at its worst value."""
    costly = [one for one in tuning.sensitivity[:_MATTER] if one.cost > 0]
    if not costly:
        return None
    return Figure(
        id="matters",
        title="The parameters that matter most on these hosts",
        caption=(
            "How much longer the suite takes with one parameter at its worst value and everything else as in "
            "the tuned plan. All of it is simulated."
        ),
        spec=_matters_spec(costly),
        table=Table(
            ("parameter", "best", "worst", "costs"),
            tuple((one.name, one.best, one.worst, signed(one.cost)) for one in costly),
        ),
        marks=2 * len(costly),
    )


def _matters_spec(costly: list[Sensitivity]) -> dict[str, Any]:
    """A bar for each parameter, with its name and its values in a line above."""
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
    x = linear(
        "cost",
        [0, costly[0].cost],
        across("longer than with its best value", format="+.0%", labelExpr=SIGNED, tickCount=4),
    )
    y = linear("y", [0, height], down=True, zero=False)
    name_y = linear("name_y", [0, height], down=True, zero=False)
    said = {"type": "text", "baseline": "middle", "limit": {"expr": "width"}}
    return chart(
        [
            layer(
                values,
                {"type": "bar", "orient": "horizontal", "size": _BAR, "color": "$group-3"},
                {
                    "x": x,
                    "x2": {"field": "none"},
                    "y": y,
                    "tooltip": [{"field": "name"}, {"field": "values", "title": "costs"}],
                },
                name=DATA,
            ),
            layer(
                values,
                {**said, "align": "left", "x": 0, "fontWeight": "bold"},
                {"y": name_y, "text": {"field": "name"}},
            ),
            layer(
                values,
                {**said, "align": "left", "x": 0, "dy": _LINE},
                {"y": name_y, "text": {"field": "values"}},
            ),
        ],
        height=height,
        width=WIDTH,
        top=4,
        left=10,
        right=24,
        resolve={"scale": {"y": "shared"}},
    )


def _course_figure(tuning: Tuning) -> Figure:
    values = [{"trial": number, "share": share} for number, share in tuning.course]
    x = linear("trial", [0, max(1, tuning.trials)], across("trials", tickCount=6, format=",d"))
    y = {
        "field": "share",
        "type": "quantitative",
        "scale": {"domain": [1.1 * min(share for _, share in tuning.course) - 0.005, 0], "nice": False},
        "axis": {
            **level_title("change of time"),
            "format": "+.0%",
            "labelExpr": SIGNED,
            "tickCount": 5,
            "grid": True,
        },
    }
    return Figure(
        id="course",
        title="The best candidate after each trial",
        caption="How much longer the suite takes than with the rules' plan, with the best candidate so far "
        "that keeps every rule, in the simulations of the search. The headline compares finalists in other "
        "simulations, so that chance does not choose the winner and judge it too.",
        spec=chart(
            [
                layer(
                    values,
                    {"type": "line", "interpolate": "step-after", "strokeDash": [6, 3], "color": "$group-1"},
                    {"x": x, "y": y},
                    name=DATA,
                )
            ],
            height=_HEIGHT,
            width=WIDTH,
        ),
        table=Table(
            ("trials", "change of time"),
            tuple((f"{number:,}", signed(share)) for number, share in tuning.course),
        ),
        marks=len(values),
    )
