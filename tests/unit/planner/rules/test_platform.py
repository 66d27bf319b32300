"""The rules about platforms: what they rest on, and what they see on a host."""

from __future__ import annotations

import pytest

from howdah.model.existing import ExistingSystem
from howdah.model.host import Host
from howdah.model.request import Demand, PlanRequest, Profile
from howdah.planner.document import item
from howdah.planner.facts import Facts
from howdah.planner.platforms.candidates import size_settings, weigh
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import AdviceRule, Inspection, Rule
from howdah.planner.rules.catalogue import find_rule
from support.facts import rules_of
from support.hosts import host_group
from support.machine import host

FACTS = Facts(request=PlanRequest())
RULES = (*rules_of("platform"), *rules_of("memory"))
REQUESTS = (
    PlanRequest(),
    PlanRequest(weigh_virtual=True),
    PlanRequest(weigh_virtual=True, profile=Profile.PAPER),
    PlanRequest(weigh_virtual=True, overcommit=True),
    PlanRequest(workloads=(Demand(kind="ycsb"),), weigh_virtual=True),
    PlanRequest(workloads=(Demand(kind="terasuite"), Demand(kind="ycsb")), weigh_virtual=True),
)


def probed(*, cores: int = 8, threads: int = 16, steal: float | None = None, virtual: bool = False) -> Host:
    one = host()
    return one.model_copy(
        update={
            "cpu": one.cpu.model_copy(update={"cores": cores, "threads": threads}),
            "virtualisation": one.virtualisation.model_copy(
                update={"is_virtual": virtual, "steal_share": steal}
            ),
        }
    )


def seen(rule: Rule, one: Host | None) -> list[Observation]:
    assert isinstance(rule, Inspection)
    return list(rule.inspect(Inspected(ExistingSystem(host=one)), FACTS))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_source_exists_and_every_rule_is_of_its_module(rule: Rule) -> None:
    assert rule.subject in ("platform", "memory")
    assert rule.sources
    for source in rule.sources:
        assert source in ("howdah", "Linux") or item(source) is not None, source


def test_ids_are_unique() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)


def test_every_size_and_judgement_names_a_rule_that_holds_for_the_request() -> None:
    by_id = {rule.id: rule for rule in RULES}
    for request in REQUESTS:
        for hosts in (host_group(), host_group(disks=13, cores=7), host_group(memory="24GiB")):
            for candidate in weigh(hosts, request):
                named = {judgement.rule for judgement in candidate.judgements}
                if candidate.kinds:
                    named |= {setting.rule or "" for setting in size_settings(hosts, candidate, request)}
                for rule in named:
                    assert by_id[rule].holds(Facts(request=request)), (rule, candidate.platform)


def test_hyper_threading_off_is_found() -> None:
    (off,) = seen(find_rule("platform.hyper-threading"), probed(threads=8))
    assert off.ok is False
    assert off.found == "8 cores, 8 threads"
    assert "firmware" in off.fix
    (on,) = seen(find_rule("platform.hyper-threading"), probed())
    assert on.ok is True


def test_hyper_threading_of_a_guest_cannot_be_told() -> None:
    (unknown,) = seen(find_rule("platform.hyper-threading"), probed(threads=8, virtual=True))
    assert unknown.ok is None
    assert "physical host" in unknown.expected


@pytest.mark.parametrize(("steal", "ok"), [(0.01, True), (0.05, False), (0.3, False), (None, None)])
def test_a_guest_that_waits_for_cpus_is_found(steal: float | None, ok: bool | None) -> None:
    (one,) = seen(find_rule("platform.ready-time"), probed(virtual=True, steal=steal))
    assert one.ok is ok


def test_a_physical_host_has_no_ready_time() -> None:
    assert seen(find_rule("platform.ready-time"), probed(steal=0.0)) == []
    assert seen(find_rule("platform.ready-time"), None) == []
    assert seen(find_rule("platform.hyper-threading"), None) == []


def test_over_commitment_is_advised_on_only_where_it_was_asked_for() -> None:
    rule = find_rule("platform.overcommit")
    assert isinstance(rule, AdviceRule)
    assert not rule.holds(FACTS)
    asked = Facts(request=PlanRequest(overcommit=True))
    assert rule.holds(asked)
    assert "ready time below 5 %" in (rule.advise(asked) or "")
