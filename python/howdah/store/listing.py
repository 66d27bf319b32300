"""The runs of a directory: listing them and finding one."""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from howdah.errors import RecordError, UserError
from howdah.model.run import RunRecord
from howdah.store.layout import RUN_JSON
from howdah.store.reader import read_record

LAST = "last"
"""Stands for the newest run where an id is asked for."""


class RunSummary(NamedTuple):
    """One run of a list: its record, or the error that keeps it from being read."""

    id: str
    path: Path
    record: RunRecord | None
    error: RecordError | None


def list_runs(runs_dir: Path, kind: type[RunRecord] = RunRecord) -> list[RunSummary]:
    """List the runs in ``runs_dir`` with records of a kind, damaged ones first and then oldest to newest.

    Empty where there is no such directory; raises UserError if it cannot be read.
    """
    try:
        names = sorted(
            entry.name
            for entry in os.scandir(runs_dir)
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
        )
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(
            str(runs_dir), f"cannot be listed ({error.strerror})", "give the directory that holds the runs"
        ) from error
    summaries = [_summary(runs_dir / name, kind) for name in names]
    return sorted(summaries, key=lambda summary: summary.record.created if summary.record else "")


def _summary(path: Path, kind: type[RunRecord]) -> RunSummary:
    try:
        return RunSummary(path.name, path, read_record(path, kind), None)
    except RecordError as error:
        return RunSummary(path.name, path, None, error)


def find_run(runs_dir: Path, run_id: str) -> Path:
    """Find a run by its directory, its id, the beginning of its id if only one run begins so, or ``last``.

    Raises UserError naming the runs that come near.
    """
    if run_id and (Path(run_id) / RUN_JSON).exists():
        return Path(run_id)
    runs = list_runs(runs_dir)
    ids = [run.id for run in runs]
    if not runs:
        raise UserError(str(runs_dir), "contains no runs", "make one with `howdah run terasuite`")
    if run_id in ids:
        return runs_dir / run_id
    if run_id == LAST:
        return runs[-1].path
    begun = [name for name in ids if run_id and name.startswith(run_id)]
    if len(begun) == 1:
        return runs_dir / begun[0]
    if begun:
        raise UserError(run_id, f"{len(begun)} runs have this beginning", f"give one of {_some(begun)}")
    near = get_close_matches(run_id, ids, n=3, cutoff=0.5)
    raise UserError(
        run_id,
        f"no such run in {runs_dir}",
        f"did you mean {_some(near)}?" if near else f"the newest are {_some(ids[::-1])}",
    )


def _some(ids: list[str], most: int = 5) -> str:
    return ", ".join(ids[:most]) + (", …" if len(ids) > most else "")
