"""Setting rules put to work, on rules made for the purpose."""

from __future__ import annotations

from collections.abc import Callable

from howdah.model.inventory import HostGroup
from howdah.model.plan import Value, Worker
from howdah.model.request import Override, PlanRequest, Profile
from howdah.planner.decide import decide
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, FamilyRule, Scope, SettingRule
from howdah.planner.rules.declare import as_number

GROUP = HostGroup.model_validate(
    {
        "name": "hosts",
        "count": 4,
        "cpu": {"sockets": 2, "cores_per_socket": 8},
        "memory": "64GiB",
        "disks": [{"count": 4, "kind": "hdd", "size": "1TB"}],
        "nics": [{"count": 1, "speed": "10Gb/s"}],
    }
)
SMALL = Worker(name="small", map_slots=2, reduce_slots=2, memory_bytes=8, group="hosts")
LARGE = Worker(name="large", map_slots=4, reduce_slots=4, memory_bytes=16, group="hosts")


def rule(
    key: str, value: Callable[[Facts], Value], scope: Scope = Scope.CLUSTER, **more: object
) -> SettingRule:
    return SettingRule(
        id=f"test.{key}",
        says=f"{key} matters.",
        sources=("howdah",),
        key=key,
        file="some.xml",
        decide=lambda facts: Decision(value(facts), "of a reason"),
        scope=scope,
        **more,  # type: ignore[arg-type]
    )


def facts(*overrides: tuple[str, str], profile: Profile = Profile.PRODUCTION) -> Facts:
    given = tuple(Override(key=key, value=value) for key, value in overrides)
    return Facts(request=PlanRequest(overrides=given, profile=profile))


def test_a_rule_reads_what_the_rules_before_it_decided() -> None:
    rules = [rule("a", lambda facts: 3), rule("b", lambda facts: int(facts.number("a")) + 1)]
    settings = decide(rules, facts(), [SMALL], [GROUP])
    assert [(one.key, one.value, one.rule) for one in settings] == [("a", 3, "test.a"), ("b", 4, "test.b")]


def test_a_rule_reads_the_users_value_instead_of_the_rules() -> None:
    rules = [rule("a", lambda facts: 3), rule("b", lambda facts: int(facts.number("a")) + 1)]
    a, b = decide(rules, facts(("a", "10")), [SMALL], [GROUP])
    assert (a.value, a.origin) == (10, "user")
    assert (b.value, b.origin) == (11, "rule")


def test_a_users_value_says_which_rule_it_breaks_and_only_then() -> None:
    def at_most(value: Value, decision: Decision, facts: Facts) -> bool:
        return as_number(value) <= as_number(decision.value)

    limit = rule("a", lambda facts: 3, accepts=at_most)
    (over,) = decide([limit], facts(("a", "4")), [SMALL], [GROUP])
    (within,) = decide([limit], facts(("a", "2")), [SMALL], [GROUP])
    assert [breach.rule for breach in over.breaks] == ["test.a"]
    assert "3" in over.breaks[0].says
    assert within.breaks == ()


def test_kinds_that_differ_are_told_apart_and_kinds_that_agree_are_not() -> None:
    rules = [
        rule("slots", lambda facts: facts.worker.map_slots, Scope.WORKER),
        rule("same", lambda facts: 1, Scope.WORKER),
    ]
    settings = decide(rules, facts(), [SMALL, LARGE], [GROUP])
    assert [(one.key, one.value, one.worker) for one in settings] == [
        ("slots", 2, "small"),
        ("slots", 4, "large"),
        ("same", 1, None),
    ]


def test_a_key_that_needs_one_of_unlike_kinds_is_given_by_kind_too() -> None:
    rules = [
        rule("size", lambda facts: facts.worker.memory_bytes, Scope.WORKER),
        rule("engine", lambda facts: "offheap", Scope.WORKER, needs="size"),
    ]
    unlike = decide(rules, facts(), [SMALL, LARGE], [GROUP])
    assert [(one.key, one.worker) for one in unlike if one.key == "engine"] == [
        ("engine", "small"),
        ("engine", "large"),
    ]
    alike = decide(rules, facts(), [SMALL, SMALL.model_copy(update={"name": "other"})], [GROUP])
    assert [(one.key, one.worker) for one in alike] == [("size", None), ("engine", None)]


def test_groups_that_differ_are_told_apart() -> None:
    other = GROUP.model_copy(update={"name": "other", "memory": 128 * 2**30})
    rules = [rule("memory", lambda facts: facts.group.memory_bytes, Scope.HOST)]
    settings = decide(rules, facts(), [SMALL], [GROUP, other])
    assert [(one.value, one.group) for one in settings] == [(2**36, "hosts"), (2**37, "other")]


def test_a_rule_of_the_other_profile_and_one_that_does_not_apply_give_nothing() -> None:
    rules = [
        rule("paper", lambda facts: 1, profiles=frozenset({Profile.PAPER})),
        rule("never", lambda facts: 1, applies=lambda facts: False),
    ]
    assert decide(rules, facts(), [SMALL], [GROUP]) == ()
    assert [one.key for one in decide(rules, facts(profile=Profile.PAPER), [SMALL], [GROUP])] == ["paper"]


def test_the_releases_default_is_judged_but_written_only_where_the_user_insists() -> None:
    default = rule("a", lambda facts: 3, written=False)
    assert decide([default], facts(), [SMALL], [GROUP]) == ()
    (given,) = decide([default], facts(("a", "4")), [SMALL], [GROUP])
    assert (given.value, given.origin) == (4, "user")


def test_a_family_gives_every_member_and_keeps_the_users() -> None:
    family = FamilyRule(
        id="test.family",
        says="Every master has an address.",
        sources=("howdah",),
        family="address.<id>",
        file="some.xml",
        members=lambda facts: {"address.a": Decision("h1", "it is there"), "address.b": Decision("h2", "so")},
    )
    a, b = decide([family], facts(("address.b", "h9")), [SMALL], [GROUP])
    assert (a.value, a.origin, a.rule) == ("h1", "rule", "test.family")
    assert (b.value, b.origin) == ("h9", "user")


def test_a_rule_of_the_cluster_is_decided_once_and_read_by_every_kind() -> None:
    asked: list[Facts] = []

    def seven(facts: Facts) -> int:
        asked.append(facts)
        return 7

    rules = [
        rule("shared", seven),
        rule("own", lambda facts: int(facts.number("shared")) + facts.worker.map_slots, Scope.WORKER),
    ]
    settings = decide(rules, facts(), [SMALL, LARGE], [GROUP])
    assert len(asked) == 1
    assert [(one.key, one.value, one.worker) for one in settings] == [
        ("shared", 7, None),
        ("own", 9, "small"),
        ("own", 11, "large"),
    ]
