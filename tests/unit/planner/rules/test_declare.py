"""Rules in files: what an entry may have, and which mistakes are refused, with their place."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import pytest

from howdah.model.existing import ExistingSystem
from howdah.model.plan import Input, Value
from howdah.model.request import Demand, PlanRequest, Profile
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation
from howdah.planner.rule import (
    CONDITIONS,
    AdviceRule,
    Decision,
    Inspection,
    Rule,
    Scope,
    SettingRule,
    Severity,
    inputs_of,
)
from howdah.planner.rules.declare import Rules, entries_of

FILE = """
[demo]
file = "hdfs-site.xml"
sources = "howdah, X7"

[demo.fixed]
key = "dfs.permissions.enabled"
value = true
severity = "must"
sentence = "Permissions are checked."
reason = "without the check every user may delete everything"

[demo.decided]
key = "dfs.blocksize"
accepts = "at least"
scope = "worker"
when = "with HBase"
profile = "paper"
sentence = "Blocks are large."

[demo.advice]
sentence = "Disks fail."
advice = "Keep a spare."

[demo.principle]
principle = true
case = "hosts that are divided"
sentence = "Workers fit."
"""
FACTS = Facts(request=PlanRequest(), decided={"dfs.replication": 3})


def _decided(facts: Facts) -> Decision:
    return Decision(1, "one")


def _demo(text: str = FILE) -> Rules:
    rules = Rules("demo.toml", entries_of(tomllib.loads(text)))
    if "[demo.decided]" in text:
        rules.decides("demo.decided")(_decided)
    return rules


def test_the_rules_of_a_file_in_their_order() -> None:
    fixed, decided, advice, principle = _demo()
    assert isinstance(fixed, SettingRule)
    assert (fixed.id, fixed.key, fixed.file) == ("demo.fixed", "dfs.permissions.enabled", "hdfs-site.xml")
    assert (fixed.severity, fixed.sources) == (Severity.MUST, ("howdah", "X7"))
    assert fixed.decide(FACTS) == Decision(True, "without the check every user may delete everything")
    assert isinstance(decided, SettingRule)
    assert (decided.scope, decided.profiles) == (Scope.WORKER, frozenset({Profile.PAPER}))
    assert decided.applies is CONDITIONS["with HBase"]
    assert decided.decide(FACTS) == Decision(1, "one")
    assert isinstance(advice, AdviceRule)
    assert advice.advise(FACTS) == "Keep a spare."
    assert type(principle) is Rule
    assert (principle.condition, principle.holds(FACTS)) == ("hosts that are divided", True)


def test_a_function_is_an_inspection_or_advice() -> None:
    rules = Rules(
        "demo.toml", entries_of({"demo": {"seen": {"sentence": "It is seen.", "sources": "howdah"}}})
    )

    @rules.inspects("demo.seen")
    def _seen(reading: Inspected, facts: Facts) -> Iterator[Observation]:
        yield Observation(True, "it", "seen", "seen")

    (rule,) = rules
    assert isinstance(rule, Inspection)
    assert rule.inspect is _seen


def test_words_of_an_inspection_are_in_the_file_with_what_was_seen() -> None:
    words = {
        "expected": {"few": "at least {least:,}", "none": "any"},
        "fix": "set {key} to {least} in {where}, not {found}",
    }
    entry = {"sentence": "It is seen.", "sources": "howdah", **words}
    rules = Rules("demo.toml", entries_of({"demo": {"seen": entry}}))

    @rules.inspects("demo.seen")
    def _seen(reading: Inspected, facts: Facts) -> Iterator[Observation]:
        yield Observation(False, "a", "1", where="b.xml:2", words="few", values={"least": 2000})
        yield Observation(None, "a", "none", words="none", fix="own words", values={"least": 2000})

    (rule,) = rules
    assert isinstance(rule, Inspection)
    few, none = rule.inspect(Inspected(ExistingSystem()), FACTS)
    assert (few.expected, few.fix) == ("at least 2,000", "set a to 2000 in b.xml:2, not 1")
    assert (none.expected, none.fix) == ("any", "own words")


def test_the_reason_of_a_decision_and_advice_are_in_the_file_with_their_values() -> None:
    reasons = 'reason.one = "{value} of {disks}"\nreason.several = "several"\nsentence = "Blocks'
    text = FILE.replace('sentence = "Blocks', reasons).replace("Keep a spare.", "Keep {spares}.")
    rules = Rules("demo.toml", entries_of(tomllib.loads(text)))
    rules.decides("demo.decided")(lambda facts: Decision(1, words="one", values={"disks": 12}))
    rules.advises("demo.advice")(lambda facts: {"spares": 2} if facts.request.secure else None)
    decided, advice = rules["demo.decided"], rules["demo.advice"]
    assert isinstance(decided, SettingRule)
    assert decided.decide(FACTS).because == "1 of 12"
    assert isinstance(advice, AdviceRule)
    assert advice.advise(FACTS) is None
    assert advice.advise(Facts(request=PlanRequest(secure=True, realm="EXAMPLE.COM"))) == "Keep 2."


CASES = """value.study = false
value.usual = true
reason.study = "as the study ran"
reason.usual = "no user may delete everything"
cases.study = "a study is reproduced"
"""


def test_of_several_values_the_one_whose_case_holds_is_decided_on() -> None:
    file = FILE.replace('reason = "without the check every user may delete everything"\n', "")
    rule = _demo(file.replace("value = true\n", CASES))["demo.fixed"]
    assert isinstance(rule, SettingRule)
    assert rule.decide(FACTS) == Decision(True, "no user may delete everything")
    assert rule.decide(Facts(request=PlanRequest(profile=Profile.PAPER))) == Decision(
        False, "as the study ran"
    )


@pytest.mark.parametrize("line", CASES.splitlines()[2:])
def test_several_values_without_a_reason_or_a_case_are_refused(line: str) -> None:
    file = FILE.replace('reason = "without the check every user may delete everything"\n', "")
    demo = _demo(file.replace("value = true\n", CASES.replace(line, 'today = ""')))
    with pytest.raises(ValueError, match="several values have a reason each"):
        demo["demo.fixed"]


def test_inputs_have_names_and_units() -> None:
    assert inputs_of(("disks", 12), ("memory", 8, "B")) == (
        Input(name="disks", value=12),
        Input(name="memory", value=8, unit="B"),
    )


def test_conditions_that_hold_together() -> None:
    rule = _demo(FILE.replace('"with HBase"', '["with HBase", "with --secure"]'))["demo.decided"]
    assert rule.condition == "with HBase, with --secure"
    request = PlanRequest(workloads=(Demand(kind="ycsb"),), profile=Profile.PAPER)
    assert not rule.holds(Facts(request=request))
    assert rule.holds(Facts(request=request.model_copy(update={"secure": True})))


def test_a_condition_and_an_acceptance_of_the_module() -> None:
    rules = _demo(FILE.replace('"with HBase"', '"on Sundays"').replace('"at least"', '"even numbers"'))
    rules.when("on Sundays", words="it is Sunday")(lambda facts: False)
    rules.accepts("even numbers")(lambda value, decision, facts: int(str(value)) % 2 == 0)
    rule = rules["demo.decided"]
    assert isinstance(rule, SettingRule)
    assert (rule.condition, rule.holds(FACTS)) == ("it is Sunday", False)
    assert rule.accepts(4, Decision(1, ""), FACTS)


@pytest.mark.parametrize(
    ("form", "good", "bad"),
    [
        ('"at least"', (10, 11), (9,)),
        ('"at most"', (10, 9), (11,)),
        ('"at least 5"', (5,), (4,)),
        ('"at most 5"', (5,), (6,)),
        ('"-1 to 1_000"', (-1, 1000), (-2, 1001)),
        ('"0.5 to 2 times"', (5, 20), (4, 21)),
        ('"1 to plan"', (1, 10), (0, 11)),
        ('"plan to 20"', (10, 20), (9, 21)),
        ('"0 or at least 4"', (0, 4), (1, 3)),
        ('"0 or at least 0.5 times"', (0, 5), (1, 4)),
        ('"1 to dfs.replication"', (1, 3), (0, 4)),
        ('"unlimited or at least 4"', ("unlimited", 4), (3,)),
        ('"matches hdfs:.*"', ("hdfs://a/b",), ("file:/b",)),
        ('["a", "b"]', (10, "a"), ("c", 9)),
        ('"not empty"', ("a",), ("",)),
        ('"lasting"', ("/var/lib/x",), ("/tmp/x", "")),
        ('"anything"', ("",), ()),
    ],
)
def test_forms_of_acceptance(form: str, good: tuple[Value, ...], bad: tuple[Value, ...]) -> None:
    rule = _demo(FILE.replace('"at least"', form))["demo.decided"]
    assert isinstance(rule, SettingRule)
    decision = Decision(10, "ten")
    assert all(rule.accepts(value, decision, FACTS) for value in good)
    assert not any(rule.accepts(value, decision, FACTS) for value in bad)


def test_the_realm_of_a_value_is_the_clusters() -> None:
    rules = _demo(FILE.replace("value = true", 'value = "hdfs/_HOST@{realm}"'))
    rule = rules["demo.fixed"]
    assert isinstance(rule, SettingRule)
    assert rule.decide(Facts(request=PlanRequest(secure=True, realm="EXAMPLE.COM"))).value == (
        "hdfs/_HOST@EXAMPLE.COM"
    )


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('key = "dfs.b', 'kee = "dfs.b', "demo.decided: unknown field 'kee'; fields are "),
        ('file = "h', 'fyle = "h', "demo.fixed: unknown field 'fyle'; fields are "),
        ("reason", "advice", "demo.fixed: unknown field 'advice'; fields are "),
        ('"must"', '"high"', "demo.fixed: unknown severity 'high'; one of must, should, may"),
        ('"must"', "true", "demo.fixed: severity is True, which is no str"),
        ("principle = true", 'principle = "yes"', "demo.principle: principle is 'yes', which is no bool"),
        ('"worker"', '"rack"', "demo.decided: unknown scope 'rack'; one of cluster, host, worker"),
        ('"paper"', '"study"', "demo.decided: unknown profile 'study'; one of production, paper"),
        (
            '"with HBase"',
            '"sometimes"',
            "demo.decided: unknown condition 'sometimes'; words ",
        ),
        ('"at least"', '"5 or so"', "demo.decided: accepts '5 or so', which is unknown"),
        ('"at least"', '"x to y"', "demo.decided: accepts 'x to y', which is unknown"),
        ("value = true\n", "", "demo.fixed: has neither a value nor a function"),
        (
            'key = "dfs.blocksize"',
            'key = "dfs.blocksize"\nvalue = 1',
            "demo.decided: has a value and a function",
        ),
        ('sentence = "Disks fail."\n', "", "demo.advice: has no sentence"),
        ('sources = "howdah, X7"\n', "", "demo.fixed: has no sources"),
        ('advice = "Keep a spare."\n', "", "demo.advice: has no function of its kind"),
        (
            'reason = "without the check every user may delete everything"\n',
            "",
            "demo.fixed: a value in the file",
        ),
        ("[demo.decided]", "[demo.moved]", "demo.moved: has neither a value nor a function"),
    ],
)
def test_a_mistake_is_refused_with_its_place(old: str, new: str, problem: str) -> None:
    assert old in FILE
    with pytest.raises(ValueError, match="demo") as refused:
        list(_demo(FILE.replace(old, new, 1)))
    assert str(refused.value).startswith(f"demo.toml: {problem}")


def test_a_function_without_an_entry_is_refused() -> None:
    with pytest.raises(ValueError, match=r"demo\.toml: demo\.gone: has a function and no entry"):
        _demo().decides("demo.gone")(_decided)


def test_a_second_function_is_refused() -> None:
    rules = _demo()
    with pytest.raises(ValueError, match=r"demo\.decided: has two functions"):
        rules.decides("demo.decided")(_decided)
    with pytest.raises(ValueError, match="at least: is accepted by two functions"):
        rules.accepts("at least")(lambda value, decision, facts: True)
    with pytest.raises(ValueError, match="always: is a condition of two functions"):
        rules.when("always")(lambda facts: True)
