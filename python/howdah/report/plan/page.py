"""A plan as a page: the answer, the evidence, every value with its reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from howdah.model.plan import Cluster, ClusterPlan, Value, Worker
from howdah.releases.values import heap_bytes
from howdah.report import document as doc
from howdah.report import vega
from howdah.report.html import html
from howdah.report.plan import content, words
from howdah.report.plan.content import Grounds
from howdah.report.plan.drawings import host
from howdah.report.plan.drawings import racks as racks_drawing
from howdah.report.plan.figures import growth, platforms
from howdah.report.renderer import svg
from howdah.report.words import sentence
from howdah.units import GIB, MIB, format_counted, format_gib, format_percent

TASKS = ("map tasks", "reduce tasks")  # The shares that run the work of jobs.
ROW, BAR = 84, 30
MOST_KINDS = 12  # More kinds of workers than this are left to the table.


class MemoryShare(NamedTuple):
    """One share of a worker's memory, bytes, and its colour; ``heap_bytes`` is what Java heaps take of it."""

    name: str
    token: str
    size_bytes: int
    heap_bytes: int = 0


def shares(plan: ClusterPlan, kind: Worker) -> tuple[MemoryShare, ...]:
    """What is set aside on a worker of this kind, then what is left for the page cache and the system."""
    taken = [share for share in _taken(plan, kind) if share.size_bytes > 0]
    free_bytes = kind.memory_bytes - sum(share.size_bytes for share in taken)
    return (*taken, MemoryShare("page cache and system", "memory-cached", max(0, free_bytes)))


def _taken(plan: ClusterPlan, kind: Worker) -> Iterator[MemoryShare]:
    values = {setting.key: setting.value for setting in plan.settings if setting.worker in (None, kind.name)}
    maps, reduces = kind.map_slots, kind.reduce_slots
    map_bytes = maps * MIB * _number(values.get("mapreduce.map.memory.mb"))
    reduce_bytes = reduces * MIB * _number(values.get("mapreduce.reduce.memory.mb"))
    yield MemoryShare(TASKS[0], "cpu-user", map_bytes, maps * _heap(values.get("mapreduce.map.java.opts")))
    yield MemoryShare(
        TASKS[1], "cpu-system", reduce_bytes, reduces * _heap(values.get("mapreduce.reduce.java.opts"))
    )
    containers = MIB * _number(values.get("yarn.nodemanager.resource.memory-mb"))
    remaining = max(0, containers - map_bytes - reduce_bytes)
    # Without room for one, a job's master takes the place of a task.
    master = MIB * _number(values.get("yarn.app.mapreduce.am.resource.mb"))
    if 0 < master <= remaining:
        heap = _heap(values.get("yarn.app.mapreduce.am.command-opts"))
        yield MemoryShare("application master", "phase-2", master, heap)
        remaining -= master
    yield MemoryShare("other containers", "phase-3", remaining)
    for name, token, key in (
        ("NodeManager", "net-send", "YARN_NODEMANAGER_OPTS"),
        ("DataNode", "disk-read", "HDFS_DATANODE_OPTS"),
        ("RegionServer", "disk-write", "HBASE_REGIONSERVER_OPTS"),
    ):
        heap = _heap(values.get(key))
        yield MemoryShare(name, token, heap, heap)
    yield MemoryShare("off-heap cache", "net-receive", MIB * _number(values.get("hbase.bucketcache.size")))


def _number(value: Value | None) -> int:
    """A setting's whole number; nothing where it is not set or no number."""
    try:
        return 0 if value is None or isinstance(value, tuple) else int(float(value))
    except ValueError:
        return 0


def _heap(options: Value | None) -> int:
    """The largest heap that Java options allow, bytes; nothing where none does."""
    return heap_bytes(str(options or "")) or 0


def memory(plan: ClusterPlan) -> doc.Figure:
    """The figure: one bar for each kind of worker."""
    stacks = {kind.name: shares(plan, kind) for kind in plan.workers}
    drawn = plan.workers[:MOST_KINDS]
    named = {share.name: share.token for stack in stacks.values() for share in stack}
    left_out = len(plan.workers) - len(drawn)
    text = "What the settings set aside, and what they leave to the page cache"
    served = ", from which map output is served" if any(kind.map_slots for kind in drawn) else ""
    remainder = f"; {format_counted(left_out, 'more kind')} of workers in the numbers" if left_out else ""
    subject = "Heaps of tasks" if served else "Java heaps"
    heaps = "; ".join(_heaps(kind, stacks[kind.name]) for kind in drawn)
    segments: list[dict[str, Any]] = []
    for row, kind in enumerate(drawn):
        end = 0
        for share in stacks[kind.name]:
            start, end = end, end + share.size_bytes
            part = format_percent(share.size_bytes / kind.memory_bytes)
            labels = {"row": row, "worker": kind.name, "series": share.name}
            size = {"size": format_gib(share.size_bytes), "share": part}
            segments.append({**labels, "start": start / GIB, "end": end / GIB, **size})
    names = [
        {"row": row, "text": f"{kind.name}: {format_gib(kind.memory_bytes)}"}
        for row, kind in enumerate(drawn)
    ]
    most = max(segment["end"] for segment in segments)
    x = vega.scaled([0, most], vega.across("memory (GiB)", tickCount=8))
    y = vega.rows(len(drawn))
    tooltip = vega.tips(worker=None, series="for", size=None, share=None)
    below = (("series", 23), ("size", 36))
    layers = [
        *vega.segments(segments, x, y, tooltip, tokens=named, size=BAR, below=below, letter=5.8),
        vega.texts(names, {"y": y}, dy=-26, fontSize=13, fontWeight=600, x=0),
    ]
    rows = tuple(
        (name, share.name, f"{share.size_bytes / GIB:.2f}", f"{share.heap_bytes / GIB:.2f}")
        for name, stack in stacks.items()
        for share in stack
    )
    return doc.Figure(
        "memory",
        "The memory of a worker",
        f"{text}{served}. {subject}: {heaps}{remainder}.",
        vega.chart(layers, height=ROW * len(drawn) + 6, width=vega.WIDTH + 152, top=4, left=4, right=24),
        doc.Table(("worker", "for", "memory (GiB)", "Java heaps of it (GiB)"), rows),
        tuple(doc.Key(name, token) for name, token in named.items()),
        marks=sum(len(stacks[kind.name]) for kind in drawn),
    )


def _heaps(kind: Worker, stack: tuple[MemoryShare, ...]) -> str:
    """Of MapReduce the tasks' heaps, which D0 25 bounds by half of memory; without tasks, all heaps."""
    tasks = [share.heap_bytes for share in stack if share.name in TASKS]
    heap = sum(tasks) if any(tasks) else sum(share.heap_bytes for share in stack)
    share = format_percent(heap / kind.memory_bytes)
    return f"{format_gib(heap)} of the {kind.name}'s {format_gib(kind.memory_bytes)}, {share}"


_MOST_HOSTS = 8  # More groups of hosts than this are not all drawn.


def plan_page(plan: ClusterPlan, grounds: Grounds) -> str:
    """The whole HTML document; the plan is one of a cluster."""
    document = plan_document(plan, grounds)
    return html(document, {figure.id: svg(figure) for figure in document.figures()})


def plan_document(plan: ClusterPlan, grounds: Grounds) -> doc.Document:
    cluster = plan.cluster
    name, hadoop, hbase = cluster.inventory.cluster, cluster.request.hadoop, cluster.request.hbase
    leads = (
        words.result(plan, cluster),
        sentence(words.topology_line(cluster)),
        f"It holds {words.capacity_line(cluster.capacity)}.",
    )
    breaks = any(setting.breaks for setting in plan.settings)
    yours = doc.Bullets(tuple(f"Yours: {text}" for text in content.yours(plan)), "missing" if breaks else "")
    return doc.Document(
        "plan",
        f"{name}: plan",
        (f"plan of {name}", f"Hadoop {hadoop}", *([f"HBase {hbase}"] if cluster.request.hbase_used else [])),
        words.answer(plan, cluster),
        doc.present(*(doc.Paragraph(text, "lead") for text in leads), yours, platforms(cluster)),
        tuple(section for section in _sections(plan, cluster, grounds) if section.blocks),
        save_name=f"{name}-plan",
        own="plan",
    )


def _sections(plan: ClusterPlan, cluster: Cluster, grounds: Grounds) -> Iterator[doc.Section]:
    groups = {group.name: group for group in cluster.inventory.groups}
    drawings = [
        host(groups[layout.group], layout, [kind for kind in plan.workers if kind.group == layout.group])
        for layout in cluster.layouts[:_MOST_HOSTS]
    ]
    more = len(cluster.layouts) - len(drawings)
    racks = content.racks(cluster)
    yield doc.Section.of(
        "Hosts",
        *drawings,
        doc.Paragraph(f"The hosts of {more} more groups are not drawn." if more else "", "note"),
        racks_drawing(cluster),
        doc.Heading("Masters"),
        content.masters(cluster),
        doc.Heading("Topology"),
        content.topology(cluster),
        doc.FoldedBlocks(racks.label, (racks,)),
        about="How a full host is divided, what every host carries, and where the masters are.",
    )
    yield doc.Section.of("Memory", memory(plan), anchor="memory-section")
    yield doc.Section.of("Capacity", growth(cluster.capacity))
    opening = content.platforms_opening(cluster, grounds)
    about = (
        "Every way to divide these hosts that was considered, the best first. A row opens onto its pros and "
        "cons."
    )
    if more := len(cluster.candidates) - len(opening.rows):
        about += f" Of so many groups only the best are here; `howdah plan explain` lists the other {more}."
    yield doc.Section.of("Platforms", opening, about=about, anchor="choices")
    about = "What no setting covers: hardware to buy, firmware settings, first steps and what to monitor."
    yield doc.Section.of("Advice", content.advice(cluster, grounds), about=about)
    about = (
        "Every value with its reason; a row opens onto its rule, its sources and the numbers that went in."
    )
    yield doc.Section.of("Settings", *content.values(plan, grounds), about=about)
    cited = content.source_entries(plan, grounds)
    sources = doc.FoldedBlocks("Sources", doc.present(cited), size=len(cited.items))
    yield doc.Section.of("Provenance", content.facts(cluster), sources)
