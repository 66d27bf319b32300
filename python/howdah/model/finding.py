"""Findings of an analysis."""

from __future__ import annotations

from typing import Literal

from howdah.model.base import Model
from howdah.model.run import Origin


class Number(Model):
    """One number a finding stands on, with its unit (``s``, ``B``, ``B/s``, ``1``, ``%``)."""

    name: str
    value: float
    unit: str


class Finding(Model):
    """One thing that analysis concluded: what, how sure, and the numbers it stands on.

    ``id`` is stable (``byte-accounting``, ``long-pole`` …), ``workload`` and ``phase`` say where it
    applies. ``severity``: ``answer`` opens the report, ``note`` informs, ``warning`` asks for
    attention. ``sure`` is how much the numbers support it. ``origin`` is that of its record.
    """

    id: str
    severity: Literal["answer", "note", "warning"] = "note"
    workload: str | None = None
    phase: str | None = None
    text: str
    sure: Literal["measured", "likely", "guess"] = "measured"
    origin: Origin = Origin.MEASURED
    numbers: tuple[Number, ...] = ()
