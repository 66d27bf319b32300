"""Decided values as text."""

from __future__ import annotations

from howdah.model.plan import Plan, Value


def value_text(value: Value) -> str:
    """A value as Hadoop reads it: ``true``, ``0.05``, ``a,b``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, float):
        # Hadoop's whole-number keys reject 1e-05 and readers of the file stumble over it.
        return f"{value:.12f}".rstrip("0").rstrip(".") if value else "0"
    return str(value)


def planned_text(plan: Plan, key: str) -> str:
    """What the plan gives a key, the first where kinds differ; empty where it gives nothing."""
    return next((value_text(setting.value) for setting in plan.settings if setting.key == key), "")
