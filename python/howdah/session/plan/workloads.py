"""The work that a cluster did, as work to plan for."""

from __future__ import annotations

from pathlib import Path

from howdah.documents.work import read_work
from howdah.errors import UserError
from howdah.model.request import Demand


def demand_of(path: Path) -> Demand:
    """What to plan for so that the largest of a cluster's jobs runs well; raises UserError.

    The suite of TeraSort stands for MapReduce: its dataset is what that job has read.
    """
    work = read_work(path)
    if not work.largest_input_bytes:
        raise UserError(
            f"{path}: largest_input_bytes", "is nothing to plan for", "give --workload terasuite:30TB"
        )
    return Demand(kind="terasuite", dataset_bytes=work.largest_input_bytes)
