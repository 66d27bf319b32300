"""Findings as facts with numbers, and how all of them word their numbers.

``findings.toml`` has the sentence and the numbers of most findings by their ids::

    [spark-floor]
    text = [
      "{workload} took {ratio:x} the CPU time of its tasks on all {cores:,} cores",
      ", {waited_s:s} of it in garbage collection",
    ]
    numbers = [["times the CPU time", "ratio", "1"]]

Braces have attributes of the item that the finding is about, or values that its function gives, each in one
of ``FORMS`` or in Python's own. A clause with a value of None is left out, and so is such a number. The
function names one of several texts: ``text.even``. Columns of a report's tables are written likewise.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any, Literal

from howdah.model.comparison import Finding, Number
from howdah.model.reported import format_value
from howdah.model.run import Origin, Outcome, RunRecord
from howdah.units import (
    format_bits_per_s,
    format_bytes,
    format_count,
    format_counted,
    format_memory,
    format_per_s,
    format_percent,
    format_rate,
    format_seconds,
    format_signed_percent,
    listed,
)

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


percent, signed = format_percent, format_signed_percent  # ``46 %``, ``2.3 %``; ``+12 %``, ``−3.4 %``.


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


def took(record: RunRecord, past: str = "took", infinitive: str = "take") -> str:
    """The verb for what a run took or did: ``took``, or ``would take`` where it was simulated."""
    return f"would {infinitive}" if record.origin is Origin.SIMULATED else past


def counted_tasks(tasks: int, kind: str) -> str:
    """Tasks of a kind: ``8 maps``, of Spark ``8 tasks of stage 3``."""
    return f"{format_counted(tasks, 'task')} of {kind}" if " " in kind else format_counted(tasks, kind)


def state(outcome: Outcome) -> str:
    """The verb for an outcome, to be followed by a duration."""
    return _STATE[outcome]


FORMS: Mapping[str, Callable[[Any], str]] = {
    "s": seconds, "delay": delay, "%": percent, "x": times, "B": format_bytes, "B/s": format_rate,
    "bit/s": format_bits_per_s, "memory": format_memory, "names": listed, "time": format_seconds,
    "count": format_count, "±%": signed, "/s": format_per_s,
}  # fmt: skip
"""How values are written, besides ``{maps:#map}``, a count with its noun; ``?B`` is unknown if it is zero."""


class _Unknown(Exception):
    """A clause has a value that is not known."""


def _owner(name: str, items: Iterable[object]) -> object:
    """The first of the items that has an attribute."""
    return next((item for item in items if hasattr(item, name)), None)


class _Filler(Formatter):
    """Fills braces with values by name or with attributes of items."""

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, str]:
        name, *attributes = field_name.split(".")
        if name.isdecimal():
            value = args[int(name)]
        else:
            value = kwargs[name] if name in kwargs else getattr(_owner(name, args), name)
        for attribute in attributes:
            value = None if value is None else getattr(value, attribute)
        return value, name

    def format_field(self, value: Any, format_spec: str) -> str:
        if value is None or (format_spec.startswith("?") and not value):
            raise _Unknown
        format_spec = format_spec.removeprefix("?")
        if format_spec.startswith("#"):
            return format_counted(value, format_spec[1:])
        return FORMS[format_spec](value) if format_spec in FORMS else format(value, format_spec)


_FILLER = _Filler()


@cache
def sentences() -> Mapping[str, Mapping[str, Any]]:
    """The sentences and numbers of findings by their ids."""
    return tomllib.loads(files("howdah.analysis").joinpath("findings.toml").read_text(encoding="utf-8"))


def phrase(name: str, *of: object, words: str = "", **values: Any) -> str:
    """The text of a finding, one of several by ``words``, without the clauses that have a value of None."""
    text = sentences()[name]["text"]
    text = text[words] if words else text
    clauses = [text] if isinstance(text, str) else text
    return "".join(filter(None, (filled(clause, *of, **values) for clause in clauses)))


def filled(template: str, *of: object, **values: Any) -> str | None:
    """The template with values in its braces; None if one of them is None."""
    try:
        return _FILLER.vformat(template, of, values)
    except _Unknown:
        return None


def conclude(
    name: str,
    *of: object,
    words: str = "",
    warns: bool | None = None,
    sure: Sure | None = None,
    numbers: Iterable[Figure] = (),
    **values: Any,
) -> Finding:
    """The finding of ``findings.toml`` about these items; arguments count before what the file has."""
    entry = sentences()[name]
    figures = [
        (_FILLER.vformat(label, of, values), _FILLER.get_field(field, of, values)[0], unit)
        for label, field, unit in entry.get("numbers", ())
    ]
    workload, phase = (values.get(key, getattr(_owner(key, of), key, None)) for key in ("workload", "phase"))
    warning = entry.get("severity") == "warning" if warns is None else warns
    return finding(
        name,
        phrase(name, *of, words=words, **values),
        *figures,
        *numbers,
        severity="warning" if warning else "note",
        sure=sure or entry.get("sure", "measured"),
        workload=workload,
        phase=phase,
    )
