"""Which pair is slow, which host, and what is said of it."""

from __future__ import annotations

from itertools import permutations

from howdah.analysis.links import good, link_sentence, share_of_nominal, slow_pairs
from howdah.model.reported import LinkRate
from howdah.model.run import Outcome, WorkloadResult
from howdah.model.workloads.hadoop_programs import ONE_WAY, Network, link_metrics

GIGABIT = 10**9


def link(source: str, target: str, share: float, nominal: int | None = GIGABIT, **more: object) -> LinkRate:
    rate = share * (nominal or GIGABIT)
    fields = {"source": source, "target": target, "how": ONE_WAY, "streams": 4, "seconds": 5.0}
    return LinkRate.model_validate({**fields, "bits_per_s": rate, "nominal_bits_per_s": nominal, **more})


def mesh(hosts: str, slow: str = "") -> list[LinkRate]:
    return [link(one, other, 0.3 if slow in (one, other) else 0.94) for one, other in permutations(hosts, 2)]


def result(links: list[LinkRate]) -> WorkloadResult:
    return WorkloadResult(
        workload=Network(), start_s=0, end_s=1, outcome=Outcome.SUCCEEDED, links=tuple(links)
    )


def test_like_pairs_are_none_of_them_slow() -> None:
    assert slow_pairs(mesh("abcd"), ONE_WAY) == []
    assert share_of_nominal(mesh("abcd"), ONE_WAY) == 0.94


def test_one_slow_port_of_three_makes_most_pairs_slow_and_is_found() -> None:
    links = mesh("abc", slow="b")
    assert good(links, ONE_WAY) == 0.94 * GIGABIT
    assert {pair for one in slow_pairs(links, ONE_WAY) for pair in [(one.source, one.target)]} == {
        ("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"),
    }  # fmt: skip


def test_a_port_of_another_speed_is_held_to_its_own() -> None:
    links = [*mesh("ab"), link("a", "c", 0.94, 10**8), link("c", "a", 0.5, 10**8)]
    (slow,) = slow_pairs(links, ONE_WAY)
    assert (slow.source, slow.target) == ("c", "a")


def test_without_nominal_speeds_pairs_are_held_to_one_another() -> None:
    links = [link("a", "b", 0.9, None), link("b", "a", 0.9, None), link("a", "c", 0.5, None)]
    assert share_of_nominal(links, ONE_WAY) is None
    assert [one.target for one in slow_pairs(links, ONE_WAY)] == ["c"]


def test_a_pair_that_carries_nothing_is_no_slow_one() -> None:
    links = [*mesh("abc"), link("a", "d", 0.0, error="no route to host")]
    assert slow_pairs(links, ONE_WAY) == []
    assert [metric.value for metric in link_metrics(links)] == [0.94 * GIGABIT, 0.94 * GIGABIT]


def test_the_sentence_has_the_good_pairs_and_the_slowest() -> None:
    said = link_sentence(result(mesh("abcd", slow="c")))
    assert said is not None
    assert said.startswith("a good pair carries 940 Mb/s one way, 94 % of its ports' speed")
    assert "with 300 Mb/s" in said
    assert link_sentence(result([])) is None
