"""Files of samples: what sysstat records, as sadf prints it, and what ESXi records by esxtop."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any, NamedTuple

from howdah.errors import UserError
from howdah.telemetry.importers.stretch import (
    Imported,
    Machines,
    Stretch,
    columns_in_words,
    is_counted,
    is_counter,
    sum_stretches,
)

_PERCENT, _KIB, _SECTOR, _PAGE = 0.01, 1024.0, 512.0, 4096.0

OLD_DISK = {"rd_sec": ("disk/{}/read_bytes", _SECTOR), "wr_sec": ("disk/{}/written_bytes", _SECTOR)}
_SADF_HINT = "write it with `LC_ALL=C sadf -j FILE -- -A`"
_FORMER_NAMES = {"cpu-load-all": "cpu-load"}  # In ``-A`` before sysstat 11.1.4, with today's columns.
_UTC = ("UTC", "GMT")
_PAGES_OF_4_KIB = {"x86_64", "i686"}


class SadfSection(NamedTuple):
    """One kind of statistics: its path, the key of its instances, and its columns' metrics."""

    path: tuple[str, ...]
    instance: str | None
    columns: Mapping[str, tuple[str, float]]

    @property
    def subject(self) -> str:
        """The first part of its metrics' names."""
        return next(iter(self.columns.values()))[0].partition("/")[0]


SECTIONS = (
    # user and system are the columns without ``-u ALL``, the others those with it.
    SadfSection(("cpu-load",), "cpu", {
        **dict.fromkeys(("user", "usr", "nice", "guest", "gnice"), ("cpu/{}/user_s", _PERCENT)),
        **dict.fromkeys(("system", "sys", "irq", "soft"), ("cpu/{}/system_s", _PERCENT)),
        "iowait": ("cpu/{}/iowait_s", _PERCENT), "steal": ("cpu/{}/steal_s", _PERCENT),
        "idle": ("cpu/{}/idle_s", _PERCENT),
    }),
    SadfSection(("disk",), "disk-device", {
        "rkB": ("disk/{}/read_bytes", _KIB), "wkB": ("disk/{}/written_bytes", _KIB),
        "util-percent": ("disk/{}/busy_s", _PERCENT),
    }),
    SadfSection(("network", "net-dev"), "iface", {
        "rxkB": ("nic/{}/rx_bytes", _KIB), "txkB": ("nic/{}/tx_bytes", _KIB),
        "rxpck": ("nic/{}/rx_packets", 1), "txpck": ("nic/{}/tx_packets", 1),
    }),
    SadfSection(("network", "net-edev"), "iface", dict.fromkeys(("rxdrop", "txdrop"), ("nic/{}/drops", 1.0))),
    SadfSection(("memory",), None, {
        "avail": ("memory/available_bytes", _KIB), "cached": ("memory/cached_bytes", _KIB),
        "dirty": ("memory/dirty_bytes", _KIB), "swpused": ("memory/swap_used_bytes", _KIB),
    }),
    SadfSection(("paging",), None, {"majflt": ("memory/major_faults", 1)}),
    SadfSection(("psi", "psi-cpu"), None, {"some_avg": ("pressure/cpu_some_s", _PERCENT)}),
    SadfSection(("psi", "psi-io"), None, {
        "some_avg": ("pressure/io_some_s", _PERCENT), "full_avg": ("pressure/io_full_s", _PERCENT),
    }),
    SadfSection(("psi", "psi-mem"), None, {
        "some_avg": ("pressure/memory_some_s", _PERCENT), "full_avg": ("pressure/memory_full_s", _PERCENT),
    }),
)  # fmt: skip
SWAP = SadfSection(("swap-pages",), None, {
    "pswpin": ("memory/swapped_in_bytes", _PAGE), "pswpout": ("memory/swapped_out_bytes", _PAGE),
})  # fmt: skip


_Object = dict[str, Any]


def is_sadf(head: str) -> bool:
    """Whether a file with this beginning may be one of ``sadf -j``."""
    return head.lstrip().startswith("{") and '"sysstat"' in head


def read_sadf(text: str, where: str, machines: Machines) -> Imported:
    """Read ``sadf -j``, averages over intervals with ends to the second; raises UserError with ``where``."""
    stretches: list[Stretch] = []
    unmapped: dict[str, set[str]] = {}
    try:
        for host in json.loads(text)["sysstat"]["hosts"]:
            machine = machines.of(str(host["nodename"]), where)
            stretches += _Reader(host, machine, where, unmapped).stretches()
    except json.JSONDecodeError as error:
        problem = f"is truncated or not JSON, in line {error.lineno}: {error.msg}"
        raise UserError(where, problem, _SADF_HINT) from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UserError(where, f"is not what `sadf -j` prints: {error!r}", _SADF_HINT) from error
    return Imported(sum_stretches(stretches), columns_in_words(unmapped))


class _Reader:
    """One host of a file; columns without a metric go into ``unmapped``, by section."""

    def __init__(self, host: _Object, machine: str, where: str, unmapped: dict[str, set[str]]) -> None:
        self._records: list[_Object] = host["statistics"]
        self._machine = machine
        self._where = where
        self._cpus = int(host.get("number-of-cpus", 1))
        # Swapping is counted in pages, whose size is not in the file.
        self._sections = (*SECTIONS, SWAP) if host.get("machine") in _PAGES_OF_4_KIB else SECTIONS
        self._unmapped = unmapped

    def stretches(self) -> Iterator[Stretch]:
        mapped = {section.path[0] for section in self._sections} | {"timestamp"}
        for written in self._records:
            record = {_FORMER_NAMES.get(name, name): section for name, section in written.items()}
            for name in record.keys() - mapped:
                self._unmapped.setdefault(name, set())
            end_s = self._moment(record["timestamp"])
            start_s = end_s - float(record["timestamp"]["interval"])
            for section in self._sections:
                for metric, value in self._values(section, record):
                    yield Stretch(self._machine, metric, start_s, end_s, value)

    def _moment(self, timestamp: _Object) -> float:
        # Since 12.7.1 the file has the zone's name, before that only whether it is UTC.
        zone = timestamp.get("tz")
        if zone not in _UTC if zone is not None else not timestamp.get("utc"):
            # With -t or -T the file lacks the difference between local time and UTC.
            local = f"has its times in the zone {zone}" if zone else "has times in an unknown local time zone"
            raise UserError(self._where, local, "leave out -t and -T of sadf")
        text = f"{timestamp['date']} {timestamp['time']}"
        return datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC).timestamp()

    def _values(self, section: SadfSection, record: _Object) -> Iterator[tuple[str, float]]:
        values: Any = record
        for step in section.path:
            values = values.get(step, {})
        for entry in values if section.instance else [values] if values else []:
            instance = str(entry[section.instance]) if section.instance else ""
            times = 1
            if section.instance == "cpu" and instance == "all":
                if len(values) > 1:
                    continue
                times = self._cpus
            if is_counted(section.subject, instance):
                for metric, value in self._columns(section, entry):
                    yield metric.format(instance), value * (times if is_counter(metric) else 1)

    def _columns(self, section: SadfSection, entry: _Object) -> Iterator[tuple[str, float]]:
        old_disk = section.subject == "disk" and "rkB" not in entry
        columns = {**section.columns, **OLD_DISK} if old_disk else section.columns
        for name, value in entry.items():
            if name in columns:
                metric, factor = columns[name]
                yield metric, float(value) * factor
            elif name != section.instance:
                self._unmapped.setdefault(section.path[-1], set()).add(name)


_MIB, _MBIT = float(2**20), 2**20 / 8

_UPLINK = re.compile(r"[^:]*:[0-9]+:(vmnic[0-9]+)")
_PORT = re.compile(r"[^:]*:[0-9]+:[0-9]+:(.+?)(?:\.(eth[0-9]+))?")
_DISK = re.compile(r"(.+):((?:scsi|sata|nvme|ide)[0-9]+:[0-9]+)")
_GROUP = re.compile(r"[0-9]+:(.+)")
_ESXTOP_HINT = "write it with `esxtop -b -a -d 5 -n 100 > FILE`"
_HEAD = re.compile(r"\(PDH-CSV 4\.0\) \((.*)\)\((-?[0-9]+)\)")
_COLUMN = re.compile(r"\\\\([^\\]+)\\([^\\(]+)(?:\((.*)\))?\\([^\\]+)", re.DOTALL)
_TIMES = ("%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S.%f")


class Meaning(NamedTuple):
    """A metric, its instance in braces, and the factor and offset from a counter to its unit."""

    metric: str
    factor: float
    offset: float = 0.0


_MOVED = {
    "MBytes Read/sec": (Meaning("disk/{}/read_bytes", _MIB),),
    "MBytes Written/sec": (Meaning("disk/{}/written_bytes", _MIB),),
    "Reads/sec": (Meaning("disk/{}/reads", 1),),
    "Writes/sec": (Meaning("disk/{}/writes", 1),),
}
_USED = (Meaning("cpu/{}/user_s", _PERCENT), Meaning("cpu/{}/idle_s", -_PERCENT, 1.0))
COUNTERS: Mapping[str, Mapping[str, tuple[Meaning, ...]]] = {
    "Physical Cpu": {"% Util Time": _USED},
    "Memory": {
        "Free MBytes": (Meaning("memory/available_bytes", _MIB),),
        "Swap Used MBytes": (Meaning("memory/swap_used_bytes", _MIB),),
    },
    "Physical Disk SCSI Device": _MOVED,
    "Virtual Disk": _MOVED,
    "Network Port": {
        "MBits Received/sec": (Meaning("nic/{}/rx_bytes", _MBIT),),
        "MBits Transmitted/sec": (Meaning("nic/{}/tx_bytes", _MBIT),),
        "Packets Received/sec": (Meaning("nic/{}/rx_packets", 1),),
        "Packets Transmitted/sec": (Meaning("nic/{}/tx_packets", 1),),
    },
    "Group Cpu": {
        "% Run": (Meaning("cpu/all/user_s", _PERCENT),),
        "% Idle": (Meaning("cpu/all/idle_s", _PERCENT),),
        "% Ready": (Meaning("cpu/all/steal_s", _PERCENT),),
        "% Max Limited": (Meaning("cpu/all/throttled_s", _PERCENT),),
    },
}


def place_of(kind: str, instance: str) -> tuple[str | None, str] | None:
    """A counter's virtual machine, None for the host, and instance; None if another one includes it."""
    match kind:
        case "Network Port":
            if uplink := _UPLINK.fullmatch(instance):
                return None, uplink[1]
            port = _PORT.fullmatch(instance)
            return (port[1], port[2] or "eth0") if port else None
        case "Virtual Disk":
            disk = _DISK.fullmatch(instance)
            return (disk[1], disk[2]) if disk else None
        case "Group Cpu":
            group = _GROUP.fullmatch(instance)
            return (group[1], "all") if group else None
        case _:
            return None if instance == "_Total" else (None, instance)


_Column = tuple[int, str, str, Meaning]  # A column: its number (0 is the time), machine, metric and meaning.


def is_esxtop(head: str) -> bool:
    """Whether a file with this beginning may be one of ``esxtop -b``."""
    return head.lstrip('\ufeff"').startswith("(PDH-CSV")


def read_esxtop(text: str, where: str, machines: Machines) -> Imported:
    """Read ``esxtop -b``, averages since the line before, without a torn end; raises UserError."""
    # Every complete line ends with a line feed.
    whole, _, torn = text.lstrip("\ufeff").rpartition("\n")
    unmapped: dict[str, set[str]] = {"the last line, which is truncated": set()} if torn.strip() else {}
    try:
        header, *rows = csv.reader(StringIO(whole))
    except (csv.Error, ValueError) as error:
        raise UserError(where, "is truncated in its first line, or not CSV", _ESXTOP_HINT) from error
    # The title has the difference to UTC, which Windows writes in minutes.
    title = header[0]
    head = _HEAD.fullmatch(title)
    if head is None:
        raise UserError(where, f"begins with {title[:60]!r}, not with a time zone", _ESXTOP_HINT)
    to_utc = timedelta(minutes=int(head[2]))
    columns = list(_columns(header, machines, where, unmapped))
    stretches: list[Stretch] = []
    before_s: float | None = None
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            problem = f"line {number} has {len(row)} columns, the first {len(header)}"
            raise UserError(where, problem, _ESXTOP_HINT)
        now_s = (_time(row[0], where) + to_utc).timestamp()
        if before_s is not None:
            stretches += _stretches(columns, row, before_s, now_s, where)
        before_s = now_s
    return Imported(sum_stretches(stretches), columns_in_words(unmapped))


def _columns(
    header: Sequence[str], machines: Machines, where: str, unmapped: dict[str, set[str]]
) -> Iterator[_Column]:
    for index, title in enumerate(header[1:], start=1):
        match = _COLUMN.fullmatch(title)
        if match is None:
            problem = f"column {index + 1} is {title[:60]!r}, not a counter of esxtop"
            raise UserError(where, problem, _ESXTOP_HINT)
        host, kind, instance, counter = match.groups(default="")
        meanings = COUNTERS.get(kind, {}).get(counter)
        if meanings is None:
            unmapped.setdefault(kind, set()).add(counter)
            continue
        place = place_of(kind, instance)
        if place is None:
            continue
        guest, name = place
        # Groups are virtual machines or the hypervisor's own processes.
        machine = machines.of(host, where) if guest is None else machines.find(guest)
        if machine is not None:
            for meaning in meanings:
                yield index, machine, meaning.metric.format(name.replace("/", "!")), meaning


def _time(text: str, where: str) -> datetime:
    for form in _TIMES:
        with suppress(ValueError):
            return datetime.strptime(text, form).replace(tzinfo=UTC)
    raise UserError(where, f"{text!r} is not a time in esxtop's format", "as in 11/21/2026 16:38:20")


def _stretches(
    columns: Sequence[_Column], row: Sequence[str], start_s: float, end_s: float, where: str
) -> Iterator[Stretch]:
    for number, machine, metric, meaning in columns:
        text = row[number]
        try:
            # A virtual machine that started later has empty columns before.
            value = float(text) if text.strip() else None
        except ValueError as error:
            raise UserError(where, f"{text!r} is not a number", _ESXTOP_HINT) from error
        if value is not None:
            value = max(0.0, value * meaning.factor + meaning.offset)
            yield Stretch(machine, metric, start_s, end_s, value)
