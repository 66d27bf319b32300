"""A cluster that runs as an inventory, and its finished jobs as work to plan for."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from howdah.documents.appending import new_text
from howdah.documents.files import parse_inventory, read_host, write_work
from howdah.documents.grouping import Addition, Probe
from howdah.documents.survey import ASSUMED, Given, survey_groups
from howdah.errors import UserError
from howdah.model.existing import Survey, Work
from howdah.model.host import Unread
from howdah.model.inventory import DiskKind
from howdah.probe.cluster.survey import survey
from howdah.probe.cluster.work import observe
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.web import Web

_NAME = "cluster"

__all__ = ["ASSUMED", "Given", "ImportedInventory", "import_cluster", "kind_of_disk", "work_text"]


class ImportedInventory(NamedTuple):
    """An inventory's text with its groups, hosts that are down, what could not be asked, and the work."""

    text: str
    groups: tuple[Addition, ...]
    dead: tuple[str, ...]
    unread: tuple[Unread, ...]
    work: Work | None


def import_cluster(
    conf_dir: Path, *, given: Given, probe_files: Sequence[Path], days: int, with_work: bool
) -> ImportedInventory:
    """Read the cluster that a client's configuration leads to; nothing is written, here or there.

    Raises UserError for a configuration or a probe that is wrong, and ServiceError where the NameNode does
    not answer. Anything else that does not answer is among ``unread``.
    """
    conf = ClientConf.read(conf_dir)
    probes = [Probe(str(path), read_host(path)) for path in probe_files]
    with Web(kerberos=conf.secure) as web:
        surveyed = survey(web, conf)
        if not surveyed.machines:
            raise UserError(conf.default_fs, "has no live DataNode or NodeManager", "start them first")
        unread = list(surveyed.unread)
        work = None
        if with_work:
            try:
                work = observe(web, conf, days, time.time_ns() // 10**6)
            except ServiceError as error:
                unread.append(Unread(what="finished jobs", why=str(error)))
            else:
                if work is None:
                    unread.append(Unread(what="finished jobs", why=f"none ended in the last {days} days"))
    groups = survey_groups(surveyed, given, probes)
    text = _heading(surveyed) + new_text(groups, _cluster_name(surveyed.name))
    parse_inventory(text, "the inventory")  # What is written must read back.
    return ImportedInventory(text, groups, surveyed.dead, tuple(unread), work)


def kind_of_disk(text: str) -> DiskKind:
    """What ``--disk-kind`` says; raises UserError."""
    try:
        return DiskKind(text)
    except ValueError as error:
        raise UserError(
            f"--disk-kind {text}", "is not a kind of disk", f"one of {', '.join(DiskKind)}"
        ) from error


def work_text(work: Work) -> str:
    """The file that `howdah plan --workload @FILE` reads."""
    return write_work(work)


def _heading(surveyed: Survey) -> str:
    """Where the file comes from; what stands behind a # was not reported by the cluster."""
    now = datetime.now(UTC).isoformat(timespec="minutes")
    lines = [
        f"# As {surveyed.name} reported on {now} (Hadoop {surveyed.hadoop}). Check every line with a comment."
    ]
    lines += [f"# Not listed, because no daemon runs there: {host}" for host in surveyed.dead]
    return "".join(f"{line}\n" for line in lines)


def _cluster_name(name: str) -> str:
    """A name service's name, where an inventory can have it."""
    word = name.partition(".")[0].lower()
    usable = word[:1].isalpha() and word.isascii() and word.replace("-", "").isalnum() and len(word) <= 31
    return word if usable else _NAME
