"""Hosts in: this machine, hosts over ssh, a running cluster, and the inventories made of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from howdah.documents.files import parse_inventory, read_host, read_inventory, write_work
from howdah.documents.grouping import Addition, Notice, Probe, extended_text, group_hosts, new_text, notices
from howdah.documents.survey import ASSUMED, AssumedFacts, survey_groups
from howdah.documents.tree import read_text
from howdah.errors import UserError
from howdah.files import replace_file
from howdah.model.base import WrongValue
from howdah.model.existing import Work
from howdah.model.host import Host, Unread
from howdah.model.hostname import expand_all, host_and_port
from howdah.model.inventory import DiskKind, Inventory, Serves
from howdah.planner.local_plan import DEFAULT_DATA_DIR
from howdah.probe import probe_host
from howdah.probe.cluster_survey import observe, survey
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.web import Web
from howdah.units import parse_bits_per_s

_MOST_PORT = 65535
_AT_ONCE = 20


def add_probes(
    files: Sequence[Path], target: Path | None, *, group: str | None, serves: Serves | None
) -> tuple[str, tuple[Addition, ...]]:
    """The text of the inventory in ``target``, or of a new one, with probed hosts, and what was added."""
    probes = [Probe(str(path), read_host(path)) for path in files]
    existing = read_inventory(target) if target is not None and target.exists() else None
    additions = group_hosts(probes, existing, name=group, serves=serves)
    if target is None or existing is None:
        text = new_text(additions)
    else:
        text = extended_text(read_text(target, "give an inventory"), additions)
    parse_inventory(text, str(target or "inventory"))  # What is written must read back.
    return text, additions


def check(file: Path) -> tuple[Inventory, tuple[Notice, ...]]:
    """An inventory and what to note about it; raises UserError that names every fault."""
    inventory = read_inventory(file)
    return inventory, tuple(notices(inventory))


def save(path: Path, text: str) -> None:
    """Write a file in one step; raises UserError if it cannot be written."""
    # A link stays a link to the file it leads to.
    replace_file(path.resolve(), text)


def save_work(path: Path, work: Work) -> None:
    """Write the work of a cluster, for a plan; raises UserError if it cannot be written."""
    save(path, write_work(work))


class ImportedNote(NamedTuple):
    """A note about a group of imported hosts: whether a value was assumed, and its place with the note."""

    group: str
    assumed: bool
    text: str


class ImportedInventory(NamedTuple):
    """An inventory's text with its groups, hosts that are down, what could not be asked, and the work."""

    text: str
    hosts: Mapping[str, int]  # The number of hosts by group.
    notes: tuple[ImportedNote, ...]
    dead: tuple[str, ...]
    unread: tuple[Unread, ...]
    work: Work | None


def import_cluster(
    conf_dir: Path,
    *,
    disk_kind: str | None,
    nic: str | None,
    probe_files: Sequence[Path],
    days: int,
    with_work: bool,
) -> ImportedInventory:
    """Read the cluster of a client's configuration; all but the NameNode may be silent: see ``unread``."""
    kind = None if disk_kind is None else kind_of_disk(disk_kind)
    assumed = AssumedFacts(kind, None if nic is None else parse_bits_per_s(nic, "--nic"))
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
    groups = survey_groups(surveyed, assumed, probes)
    word = surveyed.name.partition(".")[0].lower()
    usable = word[:1].isalpha() and word.isascii() and word.replace("-", "").isalnum() and len(word) <= 31
    now = datetime.now(UTC).isoformat(timespec="minutes")
    source = f"# As {surveyed.name} reported on {now} (Hadoop {surveyed.hadoop})."
    heading = f"{source} Check every line with a comment.\n"
    heading += "".join(f"# Not listed, because no daemon runs there: {host}\n" for host in surveyed.dead)
    text = heading + new_text(groups, word if usable else "cluster")
    parse_inventory(text, "the inventory")  # What is written must read back.
    hosts = {group.group.name: group.hosts for group in groups}
    return ImportedInventory(text, hosts, tuple(_notes(groups)), surveyed.dead, tuple(unread), work)


def _notes(groups: Sequence[Addition]) -> Iterator[ImportedNote]:
    for group in groups:
        for path, text in group.comments.items():
            note = f"{path[0]}: {text.removeprefix(ASSUMED).strip()}"
            yield ImportedNote(group.group.name, text.startswith(ASSUMED), note)


def kind_of_disk(text: str) -> DiskKind:
    """What ``--disk-kind`` says; raises UserError."""
    try:
        return DiskKind(text)
    except ValueError as error:
        hint = f"one of {', '.join(DiskKind)}"
        raise UserError(f"--disk-kind {text}", "is not a kind of disk", hint) from error


def this_host() -> Host:
    """This machine as it is, without measuring anything."""
    return probe_host()


def measure_host(
    data_dirs: Sequence[Path], *, limit_s: float, peers: Sequence[str], report: Callable[[str], None]
) -> Host:
    """This machine probed and measured, by default below the directory that runs use by default."""
    # The Rust module is loaded only where something is measured.
    from howdah.probe.measuring.measure import measure  # noqa: PLC0415

    chosen = [path.absolute() for path in data_dirs] or [DEFAULT_DATA_DIR.absolute()]
    return measure(probe_host(), chosen, limit_s=limit_s, peers=peers, report=report)


def probe_hosts(
    patterns: Sequence[str], ssh_config: Path | None, report: Callable[[str], None]
) -> tuple[Host, ...]:
    """Hosts described over ssh, each as it is named; raises UserError for the first that is not to be had."""
    from howdah.probe.remote import probe_remote  # noqa: PLC0415

    try:
        names = expand_all(patterns)
    except WrongValue as wrong:
        raise UserError(f"--ssh {' '.join(patterns)}", wrong.what, wrong.hint) from wrong

    def probe(name: str) -> Host:
        report(name)
        return probe_remote(name, ssh_config).model_copy(update={"name": name})

    with ThreadPoolExecutor(_AT_ONCE) as several:
        return tuple(several.map(probe, names))


def listen(address: str, *, limit_s: float, report: Callable[[str], None]) -> None:
    """Let other hosts measure the network to this one, at a port or an address; ``report`` gets it."""
    from howdah.probe.measuring.peers import PORT, Listener  # noqa: PLC0415

    if address.isdigit() and not 0 < int(address) <= _MOST_PORT:
        raise UserError(f"--listen {address}", "is not a port", f"give 1 to {_MOST_PORT}, for example {PORT}")
    host, port = host_and_port(f"0.0.0.0:{address}" if address.isdigit() else address, "--listen", PORT)
    listener = Listener(host, port)
    report(f"listening at {host}:{listener.port} for {limit_s:g} s")
    listener.serve(limit_s)
