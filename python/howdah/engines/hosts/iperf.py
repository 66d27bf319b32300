"""One measurement of a link by iperf3: a server that serves once, a client, and its report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from howdah.engines.hosts.command import run, serving
from howdah.engines.hosts.target import Station
from howdah.errors import RunFailed
from howdah.model.reported import LinkRate
from howdah.model.workloads.network import BOTH_WAYS

How = Literal["one way", "both ways", "all at once"]

_LEFT_OUT_S = 1
"""The first second, in which TCP finds its speed."""
_SPARE_S = 10
"""What connecting and reporting may take beside the measurement itself."""
_CONNECT_MS = 5_000
_MICROSECONDS = 1e-6

Report = Mapping[str, Any]


async def measure(
    source: Station, target: Station, how: How, *, streams: int, seconds: int
) -> tuple[LinkRate, ...]:
    """What the source sends the target, and with ``both ways`` the target the source at the same time.

    A pair between which nothing goes is a result, too: its ``error`` says why.
    """
    within_s = seconds + _LEFT_OUT_S + _SPARE_S
    server = ("iperf3", "--server", "--one-off", "--forceflush")
    client = (
        *("iperf3", "--client", target.address, "--time", str(seconds), "--omit", str(_LEFT_OUT_S)),
        *("--parallel", str(streams), "--connect-timeout", str(_CONNECT_MS), "--json"),
        *(["--bidir"] if how == BOTH_WAYS else []),
    )
    try:
        async with serving(target, server, ready="Server listening", within_s=within_s):
            ended = await run(source, client, within_s)
    except RunFailed as error:
        return _none(source, target, how, streams, f"{error.where}: {error.what}")
    try:
        report = json.loads(ended.output)
        wrong = report.get("error")
    except ValueError:
        report, wrong = {}, ended.complaint
    if wrong:
        return _none(source, target, how, streams, f"{source.name}: {wrong}")
    return tuple(rates(report, source, target, how, streams))


def rates(report: Report, source: Station, target: Station, how: How, streams: int) -> list[LinkRate]:
    """The rates in a client's report; raises KeyError for what is no such report."""
    end = report["end"]
    cpu = end["cpu_utilization_percent"]
    own = [stream["sender"] for stream in end["streams"] if stream["sender"]["sender"]]
    found = [
        LinkRate(
            source=source.name,
            target=target.name,
            how=how,
            streams=streams,
            seconds=end["sum_received"]["seconds"],
            bits_per_s=end["sum_received"]["bits_per_second"],
            nominal_bits_per_s=nominal(source, target),
            retransmits=end["sum_sent"].get("retransmits"),
            round_trip_s=_MICROSECONDS * sum(stream["mean_rtt"] for stream in own) / len(own)
            if own
            else None,
            longest_round_trip_s=_MICROSECONDS * max(stream["max_rtt"] for stream in own) if own else None,
            source_cpu=cpu["host_total"] / 100,
            target_cpu=cpu["remote_total"] / 100,
        )
    ]
    if how == BOTH_WAYS:
        back = end["sum_received_bidir_reverse"]
        found.append(
            LinkRate(
                source=target.name,
                target=source.name,
                how=how,
                streams=streams,
                seconds=back["seconds"],
                bits_per_s=back["bits_per_second"],
                nominal_bits_per_s=nominal(source, target),
                retransmits=end["sum_sent_bidir_reverse"].get("retransmits"),
                source_cpu=cpu["remote_total"] / 100,
                target_cpu=cpu["host_total"] / 100,
            )
        )
    return found


def nominal(source: Station, target: Station) -> int | None:
    """What the slower of two hosts' ports are planned to carry."""
    known = [end.nominal_bits_per_s for end in (source, target)]
    return None if None in known else min(filter(None, known), default=None)


def _none(source: Station, target: Station, how: How, streams: int, error: str) -> tuple[LinkRate, ...]:
    ends = [(source, target), (target, source)] if how == BOTH_WAYS else [(source, target)]
    return tuple(
        LinkRate(
            source=near.name,
            target=far.name,
            how=how,
            streams=streams,
            seconds=0.0,
            bits_per_s=0.0,
            nominal_bits_per_s=nominal(near, far),
            error=error,
        )
        for near, far in ends
    )
