"""Findings as facts with numbers, and how all of them word their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from howdah.model.comparison import Finding, Number
from howdah.model.reported import format_value
from howdah.model.run import Origin, Outcome, RunRecord
from howdah.units import format_counted, format_percent, format_seconds, format_signed_percent

Sure = Literal["measured", "likely", "guess"]  # How much the numbers support a finding.

_LEAST_P = 0.0001

_STATE = {
    Outcome.SUCCEEDED: "took",
    Outcome.FAILED: "failed after",
    Outcome.ABORTED: "was cut off after",
    Outcome.RUNNING: "was still running after",
}


Figure = tuple[str, float | None, str]  # A finding's number: name, value (None if unknown), unit.


def finding(
    name: str,
    text: str,
    *figures: Figure,
    severity: Literal["answer", "note", "warning"] = "note",
    workload: str | None = None,
    phase: str | None = None,
    sure: Sure = "measured",
) -> Finding:
    """A conclusion in a sentence, and the numbers that are known of it."""
    numbers = tuple(
        Number(name=name, value=float(value), unit=unit) for name, value, unit in figures if value is not None
    )
    return Finding(
        id=name, severity=severity, workload=workload, phase=phase, text=text, sure=sure, numbers=numbers
    )


def percent(share: float) -> str:
    """A share as whole per cent, with one decimal below ten: ``46 %``, ``2.3 %``."""
    return format_percent(share)


def signed(share: float) -> str:
    """A share with its sign: ``+12 %``, ``−3.4 %``."""
    return format_signed_percent(share)


def probability(p: float) -> str:
    """A p to be read after its name: ``= 0.036``, ``< 0.0001`` below that."""
    return f"< {_LEAST_P}" if p < _LEAST_P else f"= {p:.2g}"


def seconds(value: float) -> str:
    """A duration; below a hundredth of a second in milliseconds."""
    return f"{value * 1000:.1f} ms" if 0 < abs(value) < 0.01 else format_seconds(value)


def delay(value: float) -> str:
    """The time of a single operation, with three digits: ``37.2 ms``, ``1.2 s``."""
    return format_value(value, "s")


def times(ratio: float) -> str:
    """A ratio: ``1.4 ×``, with two decimals close to one."""
    return f"{ratio:.2f} ×" if ratio < 1.3 else f"{ratio:.1f} ×"


def named(workload: str, phase: str | None) -> str:
    """A workload, or a phase of it: ``terasort map-shuffle``."""
    return f"{workload} {phase}" if phase else workload


def listed(names: Sequence[str], word: str = "and") -> str:
    """Names as people list them: ``a``, ``a and b``, ``a, b and c``; ``word`` stands before the last."""
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def took(record: RunRecord, past: str = "took", infinitive: str = "take") -> str:
    """The verb for what a run took or did: ``took``, or ``would take`` where it was simulated."""
    return f"would {infinitive}" if record.origin is Origin.SIMULATED else past


def counted_tasks(tasks: int, kind: str) -> str:
    """Tasks of a kind: ``8 maps``, of Spark ``8 tasks of stage 3``."""
    return f"{format_counted(tasks, 'task')} of {kind}" if " " in kind else format_counted(tasks, kind)


def state(outcome: Outcome) -> str:
    """The verb for an outcome, to be followed by a duration."""
    return _STATE[outcome]
