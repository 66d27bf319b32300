"""Pictures of hosts and racks: everything is in them, inside their frame, and only as words."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.model.inventory import CpuLayout, HostGroup
from howdah.model.plan import Cluster, ClusterPlan, Layout, Rack, Worker
from howdah.report.document import Drawing
from howdah.report.plan import drawings as map_of
from howdah.report.plan.drawings import box, host, picture, racks, words
from howdah.units import GIB
from support.plan_samples import eight_hosts
from support.plans import group, kind, plan


def _svg(drawing: Drawing) -> ET.Element:
    return ET.fromstring(str(drawing.svg))


def _boxes(drawing: Drawing) -> Counter[str]:
    return Counter(one.get("class", "") for one in _svg(drawing).iter("rect"))


def _texts(drawing: Drawing) -> list[str]:
    return [one.text or "" for one in _svg(drawing).iter("text")]


def _inside(drawing: Drawing) -> None:
    """Every rectangle is within the frame, and no words begin outside it."""
    svg = _svg(drawing)
    width, height = float(svg.get("width", "0")), float(svg.get("height", "0"))
    for one in svg.iter("rect"):
        x, y, wide, high = (float(one.get(name, "nan")) for name in ("x", "y", "width", "height"))
        assert min(x, y) >= 0
        assert min(wide, high) > 0
        assert x + wide <= width + 0.01
        assert y + high <= height + 0.01
    for text in svg.iter("text"):
        assert 0 <= float(text.get("x", "nan")) < width
        assert 0 < float(text.get("y", "nan")) <= height


def _cluster(made: ClusterPlan) -> Cluster:
    return made.cluster


def test_a_divided_host_shows_its_workers_on_their_nodes() -> None:
    drawing = host(
        group(),
        Layout(group="workers", platform="4 per host", virtual=True, workers=("worker",) * 4),
        [kind(per_host=4)],
    )
    assert _boxes(drawing) == {"outline": 1, "node": 2, "worker": 4, "disk": 20, "held": 1}
    assert "15 GiB held back for the hypervisor" in _texts(drawing)
    assert "2 system disks of 600GB · 2 × 10Gb/s" in _texts(drawing)
    _inside(drawing)


def test_a_native_host_is_one_worker_on_all_nodes() -> None:
    drawing = host(
        group(), Layout(group="workers", platform="native", virtual=False, workers=("worker",)), [kind()]
    )
    assert _boxes(drawing) == {"outline": 1, "node": 1, "worker": 1, "disk": 20}
    assert "the host itself" in _texts(drawing)
    assert ("held back", "held") not in drawing.keys


@st.composite
def _hosts(draw: st.DrawFn) -> tuple[HostGroup, Layout, list[Worker]]:
    sockets = draw(st.integers(1, 8))
    per_socket = draw(st.integers(1, 2))
    nodes = sockets * per_socket
    cpu = CpuLayout(
        sockets=sockets, cores_per_socket=64, threads_per_core=2, numa_nodes_per_socket=per_socket
    )
    hardware = group().model_copy(update={"cpu": cpu})
    kinds = []
    for name in draw(st.sampled_from([("worker",), ("small", "large")])):
        per_host = nodes * draw(st.integers(1, 6)) if draw(st.booleans()) else draw(st.integers(1, nodes))
        kinds.append(
            Worker(
                name=name,
                map_slots=1,
                reduce_slots=1,
                memory_bytes=GIB,
                group="workers",
                per_host=per_host,
                vcpus=draw(st.integers(1, 256)),
                data_disks=draw(st.integers(0, 60)),
                numa_nodes=draw(st.sampled_from([1, nodes])),
            )
        )
    workers = tuple(one.name for one in kinds for _ in range(one.per_host))
    layout = Layout(group="workers", platform="so many per host", virtual=True, workers=workers)
    return hardware, layout, kinds


@settings(max_examples=60, deadline=None)
@given(_hosts())
def test_any_host_is_drawn_whole_and_inside_its_frame(drawn: tuple[HostGroup, Layout, list[Worker]]) -> None:
    hardware, layout, kinds = drawn
    drawing = host(hardware, layout, kinds)
    boxes = _boxes(drawing)
    assert boxes["worker"] == len(layout.workers)
    assert boxes["disk"] == sum(one.per_host * (one.data_disks or 0) for one in kinds)
    _inside(drawing)


def test_a_small_cluster_shows_every_host_with_what_it_carries() -> None:
    drawing = racks(_cluster(eight_hosts()))
    assert _boxes(drawing) == {"node": 8, "worker": 28, "master": 2, "shadow": 2}
    assert {"w1", "nn1, rm1", "(nn1, rm1)", "w8", "rack-1", "rack-2"} <= set(_texts(drawing))
    assert "2 racks, 8 hosts, 28 workers; 1 host with masters, 1 host with shadows." in drawing.caption
    assert [name for name, _ in drawing.keys] == ["workers only", "with masters", "with a shadow"]
    _inside(drawing)


def _large(count: int, rack_count: int) -> Cluster:
    each = count // rack_count
    hosts = group(count=count, hosts=[f"w[00001-{count:05d}]"])
    names = hosts.names
    spread = [
        Rack(name=f"r{number:04d}", hosts=names[number * each : (number + 1) * each])
        for number in range(rack_count)
    ]
    return _cluster(plan(groups=[hosts], racks=spread))


@pytest.mark.parametrize(
    ("hosts", "rack_count", "boxes", "what"),
    [
        (96, 4, 96, "Every box is a host"),
        (97, 1, 97, "Every box is a host"),
        (600, 600, 600, "Every box is a host"),
        (800, 20, 20, "Every box is a rack"),
        (10_000, 5_000, 400, "Every box is 25 hosts"),
        (10_000, 1, 400, "Every box is 25 hosts"),
        (1_200, 3, 402, "Every box is 3 hosts"),
    ],
)
def test_a_large_cluster_is_drawn_in_fewer_boxes(hosts: int, rack_count: int, boxes: int, what: str) -> None:
    cluster = _large(hosts, rack_count)
    drawing = racks(cluster)
    drawn = _boxes(drawing)
    assert what in drawing.caption
    assert f"{hosts:,} hosts" in drawing.caption
    if hosts <= map_of.MOST_NAMED:
        assert drawn["node"] == boxes
    else:
        assert drawn["worker"] + drawn["master"] == boxes
        assert drawn["master"] == 1
    _inside(drawing)


HOSTILE = "</svg><script>alert(1)</script>&\"'<"


def test_shapes_hold_words_not_markup() -> None:
    drawn = picture("x", 10, 10, [words(0, 5, HOSTILE), box(0, 0, 1, 1, "worker", title=HOSTILE)])
    svg = ET.fromstring(str(drawn))
    assert [one.tag for one in svg] == ["text", "rect"]
    assert svg[0].text == HOSTILE
    assert svg[1][0].text == HOSTILE
