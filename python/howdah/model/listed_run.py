"""A run record as a list reads it: without the plan, which is most of it, but for what lists show."""

from __future__ import annotations

from pydantic import ConfigDict, create_model

from howdah.model.base import Model
from howdah.model.run import RunRecord


class _Listed(Model):
    model_config = ConfigDict(extra="ignore")


class ListedInventory(_Listed):
    """The cluster's name."""

    cluster: str


class ListedCluster(_Listed):
    """The cluster of a plan."""

    inventory: ListedInventory


class ListedPlan(_Listed):
    """What a list shows of a plan."""

    platform: str
    cluster: ListedCluster | None = None


ListedRecord: type[RunRecord] = create_model("ListedRecord", __base__=RunRecord, plan=(ListedPlan, ...))
"""Everything but the plan is read, and has to be right, as in a whole record."""
