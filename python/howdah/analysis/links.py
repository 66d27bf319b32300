"""What a network's links carry, which pair is slow, and how much of reads and shuffle crosses machines."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from howdah.analysis.evidence import Evidence
from howdah.analysis.evidence.use import FloatArray
from howdah.analysis.phases import master_of, replication_of
from howdah.analysis.wording import Figure, conclude, phrase
from howdah.model.cluster import HadoopJob
from howdah.model.comparison import Finding
from howdah.model.reported import LinkRate
from howdah.model.run import Outcome, RunRecord, WorkloadResult
from howdah.model.workloads.dfsio import DfsioRead, DfsioWrite
from howdah.model.workloads.hadoop_programs import ALL_AT_ONCE, BOTH_WAYS, ONE_WAY
from howdah.model.workloads.terasort import REDUCES, TeraSort, TeraValidate
from howdah.units import MIB, listed

Place = Callable[[str], str]  # The machine whose network interface a worker's traffic goes through.
_DEVIATIONS = 3.0  # One case in four hundred lies farther from the mean.


def local_share(done: pa.Table, job: HadoopJob) -> float | None:
    """The part of the maps' input that lay on the worker that read it; None where nobody says."""
    maps = _kind(done, "map")
    placed = maps.filter(pc.not_equal(maps.column("locality"), pa.scalar("")))
    if placed.num_rows:
        local = np.array([locality == "local" for locality in placed.column("locality").to_pylist()])
        sizes = placed.column("input_bytes").to_numpy().astype(np.float64)
        weights = sizes if sizes.sum() > 0 else np.ones(len(sizes))
        return float(weights[local].sum() / weights.sum())
    launched = job.counters.get("JobCounter.TOTAL_LAUNCHED_MAPS")
    if launched is None or launched.total == 0:
        return None
    here = job.counters.get("JobCounter.DATA_LOCAL_MAPS")
    return (here.total if here else 0) / launched.total


def shuffle_share(done: pa.Table, place: Place) -> float | None:
    """The part of the map output fetched on another machine, (w - 1)/w of even ones; None without tasks."""
    made, fetched = (_by_place(_kind(done, kind), kind, place) for kind in ("map", "reduce"))
    if not made or not fetched:
        return None
    all_made, all_fetched = sum(made.values()), sum(fetched.values())
    return 1 - sum(size / all_made * fetched.get(name, 0.0) / all_fetched for name, size in made.items())


def read_in_vain(attempts: pa.Table) -> int:
    """Input of maps that did not succeed, lost races of speculation among them, as far as Hadoop tells."""
    maps = _kind(attempts, "map")
    lost = maps.filter(pc.not_equal(maps.column("state"), pa.scalar(Outcome.SUCCEEDED.value)))
    return int(pc.sum(lost.column("input_bytes")).as_py() or 0)


def unreported_bytes(attempts: pa.Table, replication: float) -> tuple[float, float]:
    """The most that attempts may have read and written in HDFS of which Hadoop reports no bytes.

    One that was killed or lost leaves no counters; it can have moved no more than its task needed, which is
    what the attempt that succeeded moved. Maps read, and reduces write, or maps where there are none. An
    application master that was lost may leave no word of any attempt, and each has numbers of its own.
    """
    writers = "reduce" if _kind(attempts, "reduce").num_rows else "map"
    begun_by = {master_of(int(number)) for number in attempts.column("attempt").to_numpy()}
    silent = max(begun_by, default=0) - len(begun_by)
    return (
        _unreported(attempts, "map", "input_bytes", silent),
        replication * _unreported(attempts, writers, "output_bytes", silent),
    )


def _unreported(attempts: pa.Table, kind: str, column: str, silent_masters: int) -> float:
    needed: dict[int, float] = {}
    silent: list[int] = []
    mine = _kind(attempts, kind)
    columns = (mine.column(name).to_pylist() for name in ("task", "state", "input_bytes", column))
    for task, state, read, moved in zip(*columns, strict=True):
        if state == Outcome.SUCCEEDED.value:
            needed[task] = float(moved)
        elif not read and not moved:
            silent.append(task)
    return sum(needed.get(task, 0.0) for task in silent) + silent_masters * sum(needed.values())


def _by_place(tasks: pa.Table, kind: str, place: Place) -> dict[str, float]:
    sizes = shuffled(tasks) if kind == "reduce" else tasks.column("input_bytes").to_numpy().astype(np.float64)
    if sizes.sum() <= 0:
        sizes = np.ones(tasks.num_rows)
    result: dict[str, float] = {}
    for worker, size in zip(tasks.column("worker").to_pylist(), sizes, strict=True):
        where = place(str(worker))
        result[where] = result.get(where, 0.0) + float(size)
    return result


def shuffled(reduces: pa.Table) -> FloatArray:
    """The map output each reduce fetched; what it read as input where Hadoop does not say."""
    fetched = pc.coalesce(reduces.column("shuffled_bytes"), reduces.column("input_bytes"))
    return np.asarray(fetched.to_numpy(), dtype=np.float64)


def _kind(tasks: pa.Table, kind: str) -> pa.Table:
    return tasks.filter(pc.equal(tasks.column("kind"), pa.scalar(kind)))


class Lot(NamedTuple):
    """The part of its input that a job should find locally, and how far the lot may have had it otherwise."""

    share: float
    wanders: float


def local_by_lot(
    record: RunRecord, result: WorkloadResult, done: pa.Table, place: Place, places: int
) -> Lot | None:
    """The lot of tasks that read anywhere; None of other programs, or where nobody says how many replicas.

    A worker's chance is the part of the files that has a replica on it, as fsck saw them after they were
    written; where nobody looked, that of an even spread. Each task reads one file, beside it or not.
    """
    if not isinstance(result.workload, DfsioRead):
        return None
    tasks = Counter(place(worker) for worker in done.column("worker").to_pylist() if worker)
    chances = _chances(record, result, place)
    if chances is None:
        replication = replication_of(result)
        if replication is None or not places:
            return None
        share = min(1.0, replication / places)
        return Lot(share, _DEVIATIONS * sqrt(share * (1 - share) / max(1, tasks.total())))
    chance_of = [(count, min(1.0, chances.get(where, 0.0))) for where, count in tasks.items()]
    total = max(1, tasks.total())
    share = sum(count * chance for count, chance in chance_of) / total
    spread = sum(count * chance * (1 - chance) for count, chance in chance_of)
    return Lot(share, _DEVIATIONS * sqrt(spread) / total)


def _chances(record: RunRecord, result: WorkloadResult, place: Place) -> dict[str, float] | None:
    """The part of the blocks written before, in the same run, that each place has a replica of."""
    before = record.workloads[: record.workloads.index(result)]
    writes = [writer.replicas for writer in before if isinstance(writer.workload, DfsioWrite)]
    if not writes or writes[-1] is None or not writes[-1].blocks:
        return None
    chances: Counter[str] = Counter()
    for worker, replicas in writes[-1].per_worker.items():
        chances[place(worker)] += replicas
    return {where: replicas / writes[-1].blocks for where, replicas in chances.items()}


def whole_files_share(
    record: RunRecord, result: WorkloadResult, local_tasks: float | None, places: int
) -> float | None:
    """The part of TeraValidate's input that crosses no network; ``local_tasks`` is the part of its tasks.

    A task that is local runs beside a replica of its file's first block. With r replicas every r-th such
    task is on the worker that wrote the file and has a replica of each block; elsewhere other blocks are met
    by chance: r of so many ``places`` with network interfaces of their own have them. None of other programs,
    and where nothing tells how many blocks a file has.
    """
    sort = _sort_before(record, result)
    if sort is None or sort.replicas is None or local_tasks is None or places < 1:
        return None
    files, replication = REDUCES.of(sort.workload), replication_of(sort)
    if not files or not replication or not sort.replicas.blocks:
        return None
    first = min(1.0, files / sort.replicas.blocks)
    by_chance = min(1.0, replication / places)
    at_writer = 1 / replication
    elsewhere = first + (1 - first) * by_chance
    local = at_writer + (1 - at_writer) * elsewhere
    return local_tasks * local + (1 - local_tasks) * by_chance


def _sort_before(record: RunRecord, result: WorkloadResult) -> WorkloadResult | None:
    """The sort whose output a TeraValidate read: the last one before it in the same run."""
    if not isinstance(result.workload, TeraValidate) or result.workload.inputs:
        return None
    before = record.workloads[: record.workloads.index(result)]
    sorts = [earlier for earlier in before if isinstance(earlier.workload, TeraSort)]
    return sorts[-1] if sorts else None


SLOW = 0.9  # A pair below this share of a good one is slow: repeats differ by a few per cent.

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
    """The pairs that carry clearly less than good ones at their ports' speed, the slowest first."""
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
    every = [link.bits_per_s for link in result.links if link.how == ALL_AT_ONCE and link.error is None]
    slow = next(iter(slow_pairs(result.links, ONE_WAY)), None)
    return phrase(
        "links",
        rate=rate,
        share=share_of_nominal(result.links, ONE_WAY),
        both=good(result.links, BOTH_WAYS),
        machines=len(every) or None,
        together=sum(every),
        slow=None if slow is None else _named(slow),
        slow_rate=slow.bits_per_s if slow else None,
    )


def link_numbers(result: WorkloadResult) -> list[Figure]:
    """The numbers of that sentence, and what was published."""
    numbers: list[Figure] = []
    for how in (ONE_WAY, BOTH_WAYS):
        share = share_of_nominal(result.links, how)
        numbers.append((how, good(result.links, how), "bit/s"))
        numbers.append((f"{how}, of the ports' speed", share, "1"))
        numbers.append((f"{how}, published for 10GbE", None if share is None else PUBLISHED[how], "1"))
    return numbers


def find_links(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Pairs that are slow or carry nothing, segments sent again, and where iperf3 was itself the limit."""
    for time in evidence.workloads:
        links = time.result.links
        broken = [link for link in links if link.error is not None]
        if broken:
            yield conclude("broken-pair", workload=time.workload, pairs=_some(broken), broken=broken[0])
        for how in (ONE_WAY, BOTH_WAYS):
            slow = slow_pairs(links, how)
            if slow:
                yield conclude(
                    "slow-pair",
                    words="one" if len(slow) == 1 else "many",
                    numbers=((_named(link), link.bits_per_s, "bit/s") for link in slow[:_MOST_NAMED]),
                    workload=time.workload,
                    pairs=_some(slow),
                    slowest=slow[0].bits_per_s,
                    how=how,
                    rate=good(links, how) or 0.0,
                    ports="".join(_slow_ports(links, slow, how)),
                )
        busy = [link for link in links if max(link.source_cpu or 0, link.target_cpu or 0) >= _WHOLE_CPU]
        if busy:
            yield conclude("iperf-cpu", workload=time.workload, pairs=_some(busy))
        again = [link for link in links if _again(link) > _AGAIN]
        if again:
            most = max(again, key=_again)
            yield conclude(
                "retransmits",
                workload=time.workload,
                worst=_again(most),
                pair=_named(most),
                how=most.how,
                most=_AGAIN,
                again=len(again),
            )


def _slow_ports(links: Sequence[LinkRate], slow: Sequence[LinkRate], how: str) -> Iterator[str]:
    """Every host that sends slowly to all others, or receives slowly from all, as a clause."""
    always: defaultdict[str, list[str]] = defaultdict(list)
    for end, verb in (("source", "sends"), ("target", "receives")):
        for machine in dict.fromkeys(getattr(link, end) for link in slow):
            own = [link for link in links if link.how == how and getattr(link, end) == machine]
            if len(own) > 1 and all(link in slow for link in own):
                always[machine].append(verb)
    for machine, verbs in always.items():
        yield phrase("slow-pair", words="port", machine=machine, verbs=listed(verbs, "or"))


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
