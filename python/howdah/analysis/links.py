"""What a network's links carry, beside what they are for, and which pair is slow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from howdah.analysis.evidence import Evidence
from howdah.analysis.wording import listed, number, percent
from howdah.model.finding import Finding, Number
from howdah.model.reported import LinkRate
from howdah.model.run import RunRecord, WorkloadResult
from howdah.model.workloads.network import ALL_AT_ONCE, BOTH_WAYS, ONE_WAY
from howdah.units import MIB, format_bits_per_s, format_counted

SLOW = 0.9
"""A pair below this share of a good one is slow: repeats differ by a few per cent."""

PUBLISHED = {ONE_WAY: 9440 * MIB / 10**10, BOTH_WAYS: 8950 * MIB / 10**10}
"""What a 10 Gb/s port carried, each way: 9,440 and 8,950 Mib/s (D0 45)."""

_WHOLE_CPU = 0.95
_AGAIN = 1e-3
_SEGMENT_BYTES = 1448
_MOST_NAMED = 3


def good(links: Iterable[LinkRate], how: str) -> float | None:
    """What the better quarter of the pairs carry at least, bits per second.

    One slow port of three or four makes half of all pairs slow, so that their median may be a slow one.
    """
    return _upper([link.bits_per_s for link in links if link.how == how and link.error is None])


def share_of_nominal(links: Iterable[LinkRate], how: str) -> float | None:
    """The share of its ports' speed that a good pair carries; None where no plan tells the speed."""
    shares = [
        link.bits_per_s / link.nominal_bits_per_s
        for link in links
        if link.how == how and link.error is None and link.nominal_bits_per_s
    ]
    return _upper(shares)


def _upper(values: Sequence[float]) -> float | None:
    return sorted(values)[3 * len(values) // 4] if values else None


def slow_pairs(links: Sequence[LinkRate], how: str) -> list[LinkRate]:
    """The pairs that carry clearly less than good ones, the slowest first.

    Where hosts have ports of several speeds each is held to its own.
    """
    share = share_of_nominal(links, how)
    rate = good(links, how)
    slow = [
        link
        for link in links
        if link.how == how and link.error is None and link.bits_per_s < SLOW * _expected(link, share, rate)
    ]
    return sorted(slow, key=lambda link: link.bits_per_s / _expected(link, share, rate))


def link_sentence(result: WorkloadResult) -> str | None:
    """What the pairs carry, and all at once; None for a workload that measured no links."""
    rate = good(result.links, ONE_WAY)
    if rate is None:
        return None
    text = f"a good pair carries {format_bits_per_s(rate)} one way"
    share = share_of_nominal(result.links, ONE_WAY)
    if share is not None:
        text += f", {percent(share)} of its ports' speed"
    both = good(result.links, BOTH_WAYS)
    if both is not None:
        text += f", and {format_bits_per_s(both)} each way both ways"
    together = [link for link in result.links if link.how == ALL_AT_ONCE and link.error is None]
    if together:
        total = sum(link.bits_per_s for link in together)
        text += f"; all at once {format_counted(len(together), 'machine')} receive {format_bits_per_s(total)}"
    slow = slow_pairs(result.links, ONE_WAY)
    if slow:
        text += f"; the slow pair is {_named(slow[0])} with {format_bits_per_s(slow[0].bits_per_s)}"
    return text


def link_numbers(result: WorkloadResult) -> list[Number]:
    """The numbers of that sentence, and what was published."""
    numbers = []
    for how in (ONE_WAY, BOTH_WAYS):
        rate, share = good(result.links, how), share_of_nominal(result.links, how)
        if rate is not None:
            numbers.append(number(how, rate, "bit/s"))
        if share is not None:
            numbers.append(number(f"{how}, of the ports' speed", share, "1"))
            numbers.append(number(f"{how}, published for 10GbE", PUBLISHED[how], "1"))
    return numbers


def find_links(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Pairs that are slow or carry nothing, segments sent again, and where iperf3 was itself the limit."""
    for time in evidence.workloads:
        links = record.workloads[time.index].links
        broken = [link for link in links if link.error is not None]
        if broken:
            text = f"nothing goes between {_some(broken)}: {broken[0].error}"
            yield _warning(record, time.workload, "broken-pair", text, [])
        for how in (ONE_WAY, BOTH_WAYS):
            slow = slow_pairs(links, how)
            if slow:
                yield _warning(record, time.workload, "slow-pair", _slow(links, slow, how), _numbers(slow))
        busy = [link for link in links if max(link.source_cpu or 0, link.target_cpu or 0) >= _WHOLE_CPU]
        if busy:
            text = (
                f"iperf3 used a whole CPU for {_some(busy)}: the link may carry more; from release 3.16 on "
                "it has a thread for each stream"
            )
            yield _warning(record, time.workload, "iperf-cpu", text, [])
        again = [link for link in links if _again(link) > _AGAIN]
        if again:
            worst = max(again, key=_again)
            text = (
                f"{percent(_again(worst))} of the segments of {_named(worst)} ({worst.how}) were sent again, "
                f"and more than {percent(_AGAIN)} in {format_counted(len(again), 'measurement')}: a cable, a "
                "port, or a switch with too little room"
            )
            yield _warning(record, time.workload, "retransmits", text, [])


def _slow(links: Sequence[LinkRate], slow: Sequence[LinkRate], how: str) -> str:
    """One sentence: the host that all slow pairs share where there is one, else the pairs."""
    rate = good(links, how) or 0.0
    text = (
        f"{_some(slow)} {'carries' if len(slow) == 1 else 'carry'} "
        f"{format_bits_per_s(slow[0].bits_per_s)}{'' if len(slow) == 1 else ' or more'} {how}, and good "
        f"pairs {format_bits_per_s(rate)}"
    )
    always: defaultdict[str, list[str]] = defaultdict(list)
    for end, verb in (("source", "sends"), ("target", "receives")):
        for machine in dict.fromkeys(getattr(link, end) for link in slow):
            own = [link for link in links if link.how == how and getattr(link, end) == machine]
            if len(own) > 1 and all(link in slow for link in own):
                always[machine].append(verb)
    for machine, verbs in always.items():
        text += f"; all that {machine} {' or '.join(verbs)} is slow: look at its port and cable"
    return text


def _expected(link: LinkRate, share: float | None, rate: float | None) -> float:
    if share is not None and link.nominal_bits_per_s:
        return share * link.nominal_bits_per_s
    return rate or 0.0


def _again(link: LinkRate) -> float:
    """The share of its segments that were sent again, taking each for a full one."""
    segments = link.bits_per_s * link.seconds / 8 / _SEGMENT_BYTES
    return (link.retransmits or 0) / segments if segments else 0.0


def _some(links: Sequence[LinkRate]) -> str:
    names = list(dict.fromkeys(map(_named, links)))
    more = len(names) - _MOST_NAMED
    return listed(names) if more <= 0 else f"{', '.join(names[:_MOST_NAMED])} and {more:,} more"


def _named(link: LinkRate) -> str:
    return f"{link.source} → {link.target}"


def _numbers(links: Sequence[LinkRate]) -> list[Number]:
    return [number(_named(link), link.bits_per_s, "bit/s") for link in links[:_MOST_NAMED]]


def _warning(record: RunRecord, workload: str, kind: str, text: str, numbers: Sequence[Number]) -> Finding:
    return Finding(
        id=kind,
        severity="warning",
        workload=workload,
        text=text,
        sure="measured",
        origin=record.origin,
        numbers=tuple(numbers),
    )
