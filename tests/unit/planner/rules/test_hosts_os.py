"""The operating system's rules: what they decide, and what they let pass."""

from __future__ import annotations

import pytest

from howdah.model.host import Host
from howdah.model.plan import Value
from howdah.model.request import Demand, PlanRequest, Profile
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import Inspection, SettingRule
from howdah.planner.rules.jvm import java_major
from support.facts import rules_of
from support.tuned import facts, found, host

BY_ID = {rule.id: rule for rule in rules_of("os")}
HBASE = PlanRequest(workloads=(Demand(kind="ycsb"),))
MIX = PlanRequest(workloads=(Demand(kind="terasuite"), Demand(kind="ycsb")))


def setting(rule_id: str) -> SettingRule:
    rule = BY_ID[rule_id]
    assert isinstance(rule, SettingRule)
    return rule


def passes(rule_id: str, value: Value, known: Facts | None = None) -> bool:
    rule, known = setting(rule_id), known or facts()
    return rule.accepts(value, rule.decide(known), known)


def sees(rule_id: str, one: Host, known: Facts | None = None) -> list[Observation]:
    rule = BY_ID[rule_id]
    assert isinstance(rule, Inspection)
    return list(rule.inspect(Inspected(found(one)), known or facts()))


@pytest.mark.parametrize(
    ("rule_id", "good", "bad"),
    [
        ("os.swappiness", (0, 1, 10), (11, 60, 100)),
        ("os.overcommit", (0, 1), (2,)),
        ("os.dirty-background", (0, 1, 5), (10,)),
        ("os.dirty-limit", (0, 10, 20), (40, 80)),
        ("os.open-files", (16384, 32768, 1048576, "unlimited"), (1024, 4096)),
        ("os.processes", (32768, "unlimited"), (1024, 4096)),
        ("os.huge-pages", ("always", "madvise", "never"), ("sometimes",)),
        ("os.huge-page-defrag", ("defer", "madvise", "defer+madvise", "never"), ("always",)),
        ("os.receive-buffer", (16 << 20, 64 << 20), (212992,)),
        ("os.send-buffer", (16 << 20,), (4 << 20,)),
        ("os.mtu-probing", (1, 2), (0,)),
        ("os.arp-filter", (1,), (0,)),
        ("os.listen-backlog", (1024, 4096), (128,)),
    ],
)
def test_what_passes_and_what_does_not(rule_id: str, good: tuple[Value, ...], bad: tuple[Value, ...]) -> None:
    assert [value for value in good if not passes(rule_id, value)] == []
    assert [value for value in bad if passes(rule_id, value)] == []


def test_the_paper_swaps_nothing_and_production_nearly_nothing() -> None:
    rule = setting("os.swappiness")
    assert rule.decide(facts()).value == 1
    assert rule.decide(facts(PlanRequest(profile=Profile.PAPER))).value == 0


def test_a_region_server_asks_for_its_huge_pages_itself() -> None:
    rule = setting("os.huge-pages")
    assert rule.decide(facts(HBASE)).value == "madvise"
    assert rule.decide(facts(MIX)).value == "madvise"
    assert passes("os.huge-pages", "never", facts(HBASE))


def test_only_a_study_gives_huge_pages_to_all_that_do_not_ask() -> None:
    rule = setting("os.huge-pages")
    assert rule.decide(facts(PlanRequest())).value == "madvise"
    assert rule.decide(facts(PlanRequest(profile=Profile.PAPER))).value == "always"


def test_locked_memory_is_asked_for_with_hbase_only() -> None:
    assert setting("os.locked-memory").holds(facts(HBASE))
    assert not setting("os.locked-memory").holds(facts())


def test_one_port_needs_no_arp_filter() -> None:
    rule = setting("os.arp-filter")
    one = facts().group.nics[0].model_copy(update={"count": 1})
    assert rule.holds(facts())
    assert not rule.holds(facts(nics=(one,)))


def test_every_value_decided_on_passes() -> None:
    for known in (facts(), facts(HBASE), facts(MIX), facts(PlanRequest(profile=Profile.PAPER))):
        for rule in rules_of("os"):
            if isinstance(rule, SettingRule) and rule.holds(known):
                decision = rule.decide(known)
                assert decision.because
                assert rule.accepts(decision.value, decision, known), rule.id


@pytest.mark.parametrize(
    ("kernel", "ok"),
    [
        ("6.1.0-18-amd64", True),
        ("2.6.30", True),
        ("2.6.32-754.el6", True),
        ("2.6.18-419.el5", False),
        ("unknown", None),
    ],
)
def test_kernels(kernel: str, ok: bool | None) -> None:
    software = host().software.model_copy(update={"kernel": kernel})
    (seen,) = sees("os.kernel", host(software=software))
    assert (seen.ok, seen.found) == (ok, kernel)


def test_swap_clock_and_governor() -> None:
    assert [one.ok for one in sees("os.swap", host())] == [True]
    dry = host(memory=host().memory.model_copy(update={"swap_total_bytes": 0}))
    (seen,) = sees("os.swap", dry)
    assert (seen.ok, seen.found) == (False, "none")
    for kept in (True, False, None):
        software = host().software.model_copy(update={"clock_synchronised": kept})
        (seen,) = sees("os.clock", host(software=software))
        assert seen.ok is kept
    slow = host(cpu=host().cpu.model_copy(update={"governor": "powersave"}))
    (seen,) = sees("os.governor", slow, facts(HBASE))
    assert (seen.ok, seen.found, seen.expected) == (False, "powersave", "performance")


def test_nothing_is_said_without_a_host() -> None:
    nothing = found().model_copy(update={"host": None})
    for rule in rules_of("os"):
        if isinstance(rule, Inspection):
            assert list(rule.inspect(Inspected(nothing), facts())) == []


@pytest.mark.parametrize(
    "java", ['openjdk version "17.0.15" 2025-04-15', 'java version "17.0.2"', "17.0.10", "17"]
)
def test_the_line_that_a_probe_reads_tells_which_java_it_is(java: str) -> None:
    assert java_major(java) == 17
