"""What a property was on the cluster that a run was on."""

from __future__ import annotations

from howdah import releases
from howdah.model.run import RunRecord
from howdah.model.value import value_text


def setting_text(record: RunRecord, key: str) -> str:
    """A property as the laboratory used it, as planned, or the release's default; empty where none has it."""
    laboratory = record.laboratory
    used = next((each.used for each in (laboratory.deviations if laboratory else ()) if each.key == key), "")
    planned = (value_text(each.value).strip() for each in record.plan.settings if each.key == key)
    cluster = record.plan.cluster
    hadoop = releases.hadoop(cluster.request.hadoop) if cluster else releases.hadoop()
    return used or next(planned, "") or releases.default_of(key, hadoop, releases.hbase()) or ""


def setting_s(record: RunRecord, key: str) -> float:
    """A property that counts milliseconds, in seconds; zero where it is no such number."""
    text = setting_text(record, key)
    return int(text) / 1000 if text.isdigit() else 0.0
