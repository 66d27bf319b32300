"""sysstat's files, as ``sadf -j`` prints them (man 1 sadf)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
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
_WRITE = "write it with `LC_ALL=C sadf -j FILE -- -A`"
_FORMER_NAMES = {"cpu-load-all": "cpu-load"}
"""Names of sections in ``-A`` before sysstat 11.1.4, RHEL 7's for instance; the columns are today's."""
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


def _cpu(quantity: str) -> tuple[str, float]:
    return f"cpu/{{}}/{quantity}", _PERCENT


SECTIONS = (
    # user and system are the columns without ``-u ALL``, the others those with it.
    SadfSection(
        ("cpu-load",),
        "cpu",
        {
            **dict.fromkeys(("user", "usr", "nice", "guest", "gnice"), _cpu("user_s")),
            **dict.fromkeys(("system", "sys", "irq", "soft"), _cpu("system_s")),
            "iowait": _cpu("iowait_s"),
            "steal": _cpu("steal_s"),
            "idle": _cpu("idle_s"),
        },
    ),
    SadfSection(
        ("disk",),
        "disk-device",
        {
            "rkB": ("disk/{}/read_bytes", _KIB),
            "wkB": ("disk/{}/written_bytes", _KIB),
            "util-percent": ("disk/{}/busy_s", _PERCENT),
        },
    ),
    SadfSection(
        ("network", "net-dev"),
        "iface",
        {
            "rxkB": ("nic/{}/rx_bytes", _KIB),
            "txkB": ("nic/{}/tx_bytes", _KIB),
            "rxpck": ("nic/{}/rx_packets", 1),
            "txpck": ("nic/{}/tx_packets", 1),
        },
    ),
    SadfSection(("network", "net-edev"), "iface", dict.fromkeys(("rxdrop", "txdrop"), ("nic/{}/drops", 1.0))),
    SadfSection(
        ("memory",),
        None,
        {
            "avail": ("memory/available_bytes", _KIB),
            "cached": ("memory/cached_bytes", _KIB),
            "dirty": ("memory/dirty_bytes", _KIB),
            "swpused": ("memory/swap_used_bytes", _KIB),
        },
    ),
    SadfSection(("paging",), None, {"majflt": ("memory/major_faults", 1)}),
    SadfSection(("psi", "psi-cpu"), None, {"some_avg": ("pressure/cpu_some_s", _PERCENT)}),
    SadfSection(
        ("psi", "psi-io"),
        None,
        {"some_avg": ("pressure/io_some_s", _PERCENT), "full_avg": ("pressure/io_full_s", _PERCENT)},
    ),
    SadfSection(
        ("psi", "psi-mem"),
        None,
        {"some_avg": ("pressure/memory_some_s", _PERCENT), "full_avg": ("pressure/memory_full_s", _PERCENT)},
    ),
)
SWAP = SadfSection(
    ("swap-pages",),
    None,
    {"pswpin": ("memory/swapped_in_bytes", _PAGE), "pswpout": ("memory/swapped_out_bytes", _PAGE)},
)


_Object = dict[str, Any]


def is_sadf(head: str) -> bool:
    """Whether a file with this beginning may be one of ``sadf -j``."""
    return head.lstrip().startswith("{") and '"sysstat"' in head


def read_sadf(text: str, where: str, machines: Machines) -> Imported:
    """Read the output of ``sadf -j``; raise UserError with ``where``.

    Percentages and rates are averages over the interval before their moment, which sysstat gives to
    the second.
    """
    stretches: list[Stretch] = []
    unmapped: dict[str, set[str]] = {}
    try:
        for host in json.loads(text)["sysstat"]["hosts"]:
            machine = machines.of(str(host["nodename"]), where)
            stretches += _Reader(host, machine, where, unmapped).stretches()
    except json.JSONDecodeError as error:
        raise UserError(
            where, f"is truncated or not JSON, in line {error.lineno}: {error.msg}", _WRITE
        ) from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UserError(where, f"is not what `sadf -j` prints: {error!r}", _WRITE) from error
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
        """Everything that has a metric."""
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
