"""Every physical host and what it carries, as a table for people and spreadsheets."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence

from howdah.model.configset import ConfigFile
from howdah.model.placement import PlacedHost

_COLUMNS = ("host", "group", "rack", "workers", "kinds", "masters", "daemons", "shadows")


def host_files(hosts: Sequence[PlacedHost]) -> Iterable[ConfigFile]:
    """``hosts.csv``: one row for each host."""
    yield ConfigFile(path="hosts.csv", content=table(_COLUMNS, map(_row, hosts)))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV with a header, lines ended by a line feed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _row(host: PlacedHost) -> Sequence[object]:
    kinds = Counter(worker.kind for worker in host.workers)
    return (
        host.name,
        host.group,
        host.rack,
        len(host.workers),
        " + ".join(f"{count} {kind}" for kind, count in kinds.items()),
        " ".join(master.name for master in host.masters),
        " ".join(role.value for master in host.masters for role in master.roles),
        " ".join(master.name for master in host.shadows),
    )
