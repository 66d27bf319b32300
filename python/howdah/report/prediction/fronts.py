"""What a tuned plan gives up that uses fewer hosts, or less memory: its tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.analysis.wording import seconds, signed
from howdah.model.tuning import FrontPoint, Goal, Tuning
from howdah.report.document import Table
from howdah.report.words import NONE
from howdah.units import format_bytes


def front_tables(tuning: Tuning) -> Iterator[Table]:
    """A table for each goal of the search."""
    for goal in Goal:
        points = [point for point in tuning.front if point.goal is goal]
        if not points:
            continue
        if goal is Goal.HOSTS:
            yield Table(
                ("hosts", "the rules' plan", "tuned for them", "against the tuned plan"),
                tuple(
                    (
                        f"{point.amount:,.0f}",
                        NONE if point.planned_s is None else seconds(point.planned_s),
                        seconds(point.elapsed_s),
                        _against(point, points),
                    )
                    for point in points
                ),
                "Hosts",
            )
        else:
            yield Table(
                ("memory of tasks", "tuned for it", "against the tuned plan"),
                tuple(
                    (format_bytes(point.amount), seconds(point.elapsed_s), _against(point, points))
                    for point in points
                ),
                "Memory",
            )


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


def _against(point: FrontPoint, points: Sequence[FrontPoint]) -> str:
    return NONE if point is points[0] else signed(point.elapsed_s / points[0].elapsed_s - 1)
