"""A Prometheus server's values of a run's machines: node_exporter's metrics, and others by selectors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from howdah.errors import UserError
from howdah.model.hostname import split_address
from howdah.services.errors import RefusedByDaemon
from howdah.services.web import Web
from howdah.telemetry.importers.stretch import (
    Imported,
    Machines,
    Stretch,
    Window,
    is_counted,
    is_counter,
    is_listed,
    sum_stretches,
)

_PAGE_BYTES = 4096.0

CPU_MODES = {
    **dict.fromkeys(("user", "nice"), "user_s"),
    **dict.fromkeys(("system", "irq", "softirq"), "system_s"),
    **{mode: f"{mode}_s" for mode in ("iowait", "steal", "idle")},
}  # The label ``mode`` of node_cpu_seconds_total.
_MARGIN_S = 120.0  # Additional time before and after the run, two scrapes of most servers, to cover its ends.
_PART = r"(?:\w+|\{\w+\})"
_QUERY = re.compile(rf"({_PART}(?:/{_PART})*)=\s*([a-zA-Z_:][a-zA-Z0-9_:]*(?:\{{[^\[\]]*\}})?)\s*")
_QUERY_HINT = "METRIC=SELECTOR: 'datanode/written_bytes=hadoop_datanode_byteswritten{job=\"hdfs\"}'"


class PrometheusSeries(NamedTuple):
    """A metric, with the label that names its instance in braces, and the factor to its unit."""

    metric: str
    factor: float = 1.0


NODE: Mapping[str, PrometheusSeries] = {
    "node_cpu_seconds_total": PrometheusSeries("cpu/{cpu}/{mode}"),
    "node_disk_read_bytes_total": PrometheusSeries("disk/{device}/read_bytes"),
    "node_disk_written_bytes_total": PrometheusSeries("disk/{device}/written_bytes"),
    "node_disk_reads_completed_total": PrometheusSeries("disk/{device}/reads"),
    "node_disk_writes_completed_total": PrometheusSeries("disk/{device}/writes"),
    "node_disk_io_time_seconds_total": PrometheusSeries("disk/{device}/busy_s"),
    "node_network_receive_bytes_total": PrometheusSeries("nic/{device}/rx_bytes"),
    "node_network_transmit_bytes_total": PrometheusSeries("nic/{device}/tx_bytes"),
    "node_network_receive_packets_total": PrometheusSeries("nic/{device}/rx_packets"),
    "node_network_transmit_packets_total": PrometheusSeries("nic/{device}/tx_packets"),
    "node_network_receive_drop_total": PrometheusSeries("nic/{device}/drops"),
    "node_network_transmit_drop_total": PrometheusSeries("nic/{device}/drops"),
    "node_memory_MemAvailable_bytes": PrometheusSeries("memory/available_bytes"),
    "node_memory_Cached_bytes": PrometheusSeries("memory/cached_bytes"),
    "node_memory_Dirty_bytes": PrometheusSeries("memory/dirty_bytes"),
    "node_memory_Writeback_bytes": PrometheusSeries("memory/writeback_bytes"),
    "node_memory_SwapTotal_bytes": PrometheusSeries("memory/swap_used_bytes"),
    "node_memory_SwapFree_bytes": PrometheusSeries("memory/swap_used_bytes", -1.0),
    "node_vmstat_pgmajfault": PrometheusSeries("memory/major_faults"),
    "node_vmstat_pswpin": PrometheusSeries("memory/swapped_in_bytes", _PAGE_BYTES),
    "node_vmstat_pswpout": PrometheusSeries("memory/swapped_out_bytes", _PAGE_BYTES),
    "node_pressure_cpu_waiting_seconds_total": PrometheusSeries("pressure/cpu_some_s"),
    "node_pressure_io_waiting_seconds_total": PrometheusSeries("pressure/io_some_s"),
    "node_pressure_io_stalled_seconds_total": PrometheusSeries("pressure/io_full_s"),
    "node_pressure_memory_waiting_seconds_total": PrometheusSeries("pressure/memory_some_s"),
    "node_pressure_memory_stalled_seconds_total": PrometheusSeries("pressure/memory_full_s"),
}  # By node_exporter's names. Several series of one metric are added.


class Query(NamedTuple):
    """A selector, and the metric of its series."""

    selector: str
    series: PrometheusSeries


class _Answer(NamedTuple):
    labels: Mapping[str, str]
    values: Sequence[tuple[float, float]]


def parse_query(text: str) -> Query:
    """Return a query of ``--query``; raise UserError if it is invalid."""
    match = _QUERY.fullmatch(text)
    if match is None:
        raise UserError("--query", f"{text!r} is not a metric and a selector of raw series", _QUERY_HINT)
    metric, selector = match.groups()
    if not is_listed(re.sub(r"\{[^}]*\}", "x", metric)):
        raise UserError("--query", f"{metric!r} is not a metric of howdah", "docs/run-record.md lists them")
    return Query(selector, PrometheusSeries(metric))


def read_prometheus(
    url: str, queries: Sequence[Query], web: Web, machines: Machines, window: Window
) -> Imported:
    """Read a server's scrapes of a run's machines, as they are; raise UserError if it has none of them.

    A series belongs to the machine in its label ``instance``, or to the host name that node_exporter has for
    the instance. A query's metric replaces node_exporter's.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UserError("--prometheus", f"{url!r} is not an address of a server", "as in http://monitor:9090")
    if parts.username or parts.password:
        problem = "contains a password, which the record would keep"
        raise UserError("--prometheus", problem, "give an address without a password")
    server = _Server(url.rstrip("/"), web, window)
    requested = [(query.series, list(server.values(query.selector))) for query in queries]
    exported = [(series, list(server.values(name))) for name, series in NODE.items()]
    answers = [answer for _, received in (*requested, *exported) for answer in received]
    instances = {answer.labels.get("instance", "") for answer in answers}
    owners = _owners(server, instances, machines, url)
    own = sum_stretches(_stretches(requested, owners))
    taken = {(stretch.machine, stretch.metric) for stretch in own}
    exports = _stretches(exported, owners)
    defaults = [stretch for stretch in exports if (stretch.machine, stretch.metric) not in taken]
    unknown = tuple(f"instance {name}" for name, machine in sorted(owners.items()) if machine is None)
    return Imported((*own, *sum_stretches(defaults)), unknown)


class _Server:
    """The raw values of series around the time of a run."""

    def __init__(self, url: str, web: Web, window: Window) -> None:
        self._url = url
        self._web = web
        self._end_s = window.end_s + _MARGIN_S
        self._length_s = math.ceil(window.elapsed_s + 2 * _MARGIN_S)

    def values(self, selector: str) -> Iterator[_Answer]:
        url, query = f"{self._url}/api/v1/query", f"{selector}[{self._length_s}s]"
        try:
            answer = self._web.get_json(url, query=query, time=f"{self._end_s:.3f}")
        except RefusedByDaemon as error:
            if error.status not in {400, 422}:
                raise
            problem = f"{selector!r} is not a selector to the server"
            raise UserError("--query", problem, _QUERY_HINT) from error
        try:
            for series in answer["data"]["result"]:
                numbers = [(float(time), float(value)) for time, value in series["values"]]
                yield _Answer(series["metric"], [pair for pair in numbers if math.isfinite(pair[1])])
        except (KeyError, TypeError, ValueError) as error:
            problem = f"does not answer as Prometheus does: {error!r}"
            raise UserError(self._url, problem, "give a Prometheus server") from error


def _owners(server: _Server, instances: set[str], machines: Machines, url: str) -> Mapping[str, str | None]:
    if machines.always is not None and len(instances) > 1:
        raise UserError("--host", f"{url} has {len(instances)} instances", "leave it out: each has a name")
    names = {
        answer.labels.get("instance", ""): answer.labels.get("nodename", "")
        for answer in server.values("node_uname_info")
    }
    hosts = {instance: split_address(instance)[0] for instance in instances}
    owners = {
        instance: machines.always or machines.find(host) or machines.find(names.get(instance, ""))
        for instance, host in hosts.items()
    }
    if not any(owners.values()):
        listed = ", ".join(sorted(instances)) or "none at that time"
        problem = f"has none of the run's machines; its instances: {listed}"
        raise UserError(url, problem, f"it needs one of {machines.listed}")
    return owners


def _stretches(
    metrics: Sequence[tuple[PrometheusSeries, Sequence[_Answer]]], owners: Mapping[str, str | None]
) -> Iterator[Stretch]:
    for series, answers in metrics:
        for answer in answers:
            machine = owners[answer.labels.get("instance", "")]
            metric = _metric(series, answer.labels) if machine is not None else None
            if machine is None or metric is None:
                continue
            if not is_counter(metric):
                for time_s, value in answer.values:
                    yield Stretch(machine, metric, time_s, time_s, value * series.factor)
                continue
            for (start_s, before), (end_s, value) in pairwise(answer.values):
                # A counter that decreased was restarted in between.
                rate = (value - before if value >= before else value) / (end_s - start_s)
                yield Stretch(machine, metric, start_s, end_s, rate * series.factor)


def _metric(series: PrometheusSeries, labels: Mapping[str, Any]) -> str | None:
    """Return the metric with its instance's name; None if another metric includes it."""
    filled = dict(labels)
    if "mode" in filled:
        filled["mode"] = CPU_MODES.get(filled["mode"], "")
    filled = {name: str(value).replace("/", "!") for name, value in filled.items()}
    try:
        metric = series.metric.format_map(filled)
    except KeyError as error:
        problem = f"a series of {series.metric} has no label {error}"
        raise UserError("--query", problem, _QUERY_HINT) from error
    subject, *instance, _ = metric.split("/")
    return metric if is_listed(metric) and all(is_counted(subject, name) for name in instance) else None
