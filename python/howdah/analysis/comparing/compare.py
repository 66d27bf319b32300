"""Groups of runs against a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from howdah.analysis.comparing.groups import differing_facts, finished, remarks, why_not
from howdah.analysis.comparing.judging import LEVEL, contrasts, judged
from howdah.analysis.comparing.locating import locations
from howdah.analysis.comparing.readings import LEFT
from howdah.analysis.comparing.statistics import CONFIDENCE
from howdah.analysis.others import DISTURBED
from howdah.analysis.wording import percent
from howdah.model.comparison import Against, Comparison, Contrast, Judged, Refused, RunGroup
from howdah.model.run import Origin
from howdah.units import format_counted


def compare(groups: Sequence[RunGroup], baseline: str | None = None) -> Comparison:
    """Hold every group against the one named ``baseline``, the first by default.

    Runs that did not succeed and groups that cannot be compared are told in ``refused``; what is left
    may be nothing. Raises ValueError if no run of the baseline succeeded.
    """
    name = groups[0].name if baseline is None else baseline
    left, refused = finished(groups)
    base = next((group for group in left if group.name == name), None)
    if base is None:
        raise ValueError(f"no run of the baseline {name} succeeded")
    others, more = _comparable(base, [group for group in left if group.name != name])
    both = [list(contrasts(base, group)) for group in others]
    worth = [[contrast for contrast in each if contrast.measure.is_judged] for each in both]
    verdicts, tests = judged([contrast for each in worth for contrast in each])
    ordered = iter(verdicts)
    return Comparison(
        baseline=base.name,
        groups=(base, *others),
        against=tuple(
            _against(base, group, tuple(islice(ordered, len(some))), each)
            for group, some, each in zip(others, worth, both, strict=True)
        ),
        refused=(*refused, *more),
        remarks=tuple(remarks((base, *others))),
        confidence=CONFIDENCE,
        level=LEVEL,
        tests=tests,
    )


def _comparable(base: RunGroup, groups: Sequence[RunGroup]) -> tuple[list[RunGroup], list[Refused]]:
    reasons = [(group, why_not(base, group)) for group in groups]
    refused = [Refused(what=_all_of(group), why=why) for group, why in reasons if why is not None]
    return [group for group, why in reasons if why is None], refused


def _all_of(group: RunGroup) -> str:
    more = len(group.runs) - 1
    return f"{group.name} with {format_counted(more, 'repeat')}" if more else group.name


def _against(base: RunGroup, group: RunGroup, both: tuple[Judged, ...], every: list[Contrast]) -> Against:
    times = tuple(difference for difference in both if difference.measure.kind == "time")
    others = tuple(contrast for contrast in every if not contrast.measure.is_judged)
    return Against(
        group=group.name,
        changes=differing_facts(base, group),
        times=times,
        metrics=tuple(difference for difference in both if difference.measure.kind == "metric"),
        others=others,
        locations=locations(times, others),
        remarks=(*_beside(base, group), *_disturbed(base, group, others)),
    )


def _disturbed(base: RunGroup, group: RunGroup, contrasts: Sequence[Contrast]) -> Iterator[str]:
    """Where others had clearly more of the machine on one side: a difference in time may be theirs."""
    apart = [
        contrast
        for contrast in contrasts
        if contrast.measure.name == LEFT
        and contrast.measure.phase is None
        and abs(contrast.base_mean - contrast.other_mean) >= DISTURBED
    ]
    if apart:
        most = max(apart, key=lambda contrast: abs(contrast.base_mean - contrast.other_mean))
        less, more = sorted(((1 - most.base_mean, base.name), (1 - most.other_mean, group.name)))
        yield (
            f"others used {percent(more[0])} of the machine's CPU time in {most.measure.workload} of "
            f"{more[1]}, {percent(less[0])} in that of {less[1]}: a difference in times may be due to them"
        )


def _beside(base: RunGroup, group: RunGroup) -> Iterator[str]:
    origins = [{run.origin for run in each.runs} for each in (base, group)]
    if origins[0] != origins[1]:
        simulated = group.name if Origin.SIMULATED in origins[1] else base.name
        yield f"simulated numbers against measured ones: those of {simulated} were computed"
    if len(base.runs) != len(group.runs):
        yield (f"{format_counted(len(group.runs), 'run')} against {len(base.runs)}: as many would show most")
