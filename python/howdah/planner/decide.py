"""Values of settings: what each rule decides, or the user's own with `--set KEY=VALUE` and what it breaks."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from howdah.errors import UserError
from howdah.hadoop.readers import intended_key
from howdah.model.inventory import HostGroup
from howdah.model.plan import Breach, Setting, Value, Worker, value_text
from howdah.model.request import DEFAULT_HADOOP, Override, PlanRequest
from howdah.planner.facts import Facts
from howdah.planner.rule import FamilyRule, Scope, SettingRule, with_user_value
from howdah.releases import catalogue
from howdah.releases.values import read_bool, read_int, read_list, read_size, whole_seconds
from howdah.units import KIB, MIB, listed, parse_bytes

_CLOSE = 0.8  # Similarity of two keys, of 1, from which one may be meant for the other.
_SMALLEST_SIZE = 64 * KIB
"""What a rule counts in bytes is at least this; what it counts otherwise takes no unit of bytes."""
_COUNTED_IN = {"mb": MIB, "kb": KIB, "kbytes": KIB}
"""The unit of a key, in bytes, by the last word of its name."""
_COUNTED_IN_MIB = {"hbase.bucketcache.size", "memSize", "sched.mem.min", "numa.memory.gransize"}
"""Keys that count in MiB without showing it in their names."""


def decide(
    rules: Sequence[SettingRule | FamilyRule],
    facts: Facts,
    kinds: Sequence[Worker],
    groups: Sequence[HostGroup],
) -> tuple[Setting, ...]:
    """The settings of a plan, in the rules' order; later rules see the values of earlier ones.

    A rule for workers or hosts decides for every kind or group, and is said once where all agree.
    Raises UserError for a user's value that its key cannot take.
    """
    settings: list[Setting] = []
    group_of = {group.name: group for group in groups}
    by_kind = {
        worker.name: replace(facts, known_worker=worker, known_group=group_of[worker.group or ""])
        for worker in kinds
    }
    for rule in rules:
        if isinstance(rule, FamilyRule):
            settings += _members(rule, facts)
        elif rule.scope is Scope.HOST:
            facts_of = {group.name: replace(facts, known_group=group) for group in groups}
            by_group = (_setting(rule, own, group=name) for name, own in facts_of.items())
            settings += _once_if_equal(list(filter(None, by_group)), count=len(groups))
        elif rule.scope is Scope.WORKER:
            decided: list[Setting] = []
            for name, kind_facts in by_kind.items():
                if setting := _setting(rule, kind_facts, worker=name):
                    by_kind[name] = kind_facts.deciding(rule.key, setting.value)
                    decided.append(setting)
            apart = any(setting.key == rule.needs and setting.worker for setting in settings)
            settings += decided if apart else _once_if_equal(decided, count=len(kinds))
        # No rule of the cluster asks for a kind of worker, so the first one's facts are as good as any.
        elif setting := _setting(rule, by_kind[kinds[0].name]):
            key, value = rule.key, setting.value
            by_kind = {name: kind_facts.deciding(key, value) for name, kind_facts in by_kind.items()}
            settings.append(setting)
    return tuple(settings)


def _once_if_equal(decided: list[Setting], count: int) -> Iterable[Setting]:
    if len(decided) == count and len({setting.value for setting in decided}) == 1:
        return [decided[0].model_copy(update={"worker": None, "group": None})]
    return decided


def _setting(
    rule: SettingRule, facts: Facts, *, worker: str | None = None, group: str | None = None
) -> Setting | None:
    own_value = _own_value(rule.key, facts)
    if not rule.holds(facts) or not (rule.written or own_value):
        return None
    decision = rule.decide(facts)
    setting = rule.setting(rule.key, decision, file=rule.file, worker=worker, group=group)
    if own_value is None:
        return setting
    value = typed(own_value, decision.value)
    if rule.accepts(value, decision, facts):
        return with_user_value(setting, value)
    sentence = f"{rule.says} Here: {value_text(decision.value)}, because {decision.because}"
    breach = Breach(rule=rule.id, says=sentence, severity=rule.severity.value)
    return with_user_value(setting, value, (breach,))


def _own_value(key: str, facts: Facts) -> Override | None:
    return next((override for override in facts.request.overrides if override.key == key), None)


def _members(rule: FamilyRule, facts: Facts) -> Iterable[Setting]:
    if not rule.holds(facts):
        return
    for key, decision in rule.members(facts).items():
        setting = rule.setting(key, decision, file=rule.file)
        own_value = _own_value(key, facts)
        yield setting if own_value is None else with_user_value(setting, typed(own_value, decision.value))


def typed(override: Override, like: Value) -> Value:
    """The user's text as a value of the same type as the rule's; raise UserError where it is none.

    A size may be written with its unit, ``128MiB`` or as Hadoop does ``128m``, also where the key counts
    in MiB; a duration as Hadoop reads it, ``2m``.
    """
    where = f"--set {override.key}"
    text = override.value.strip()
    if isinstance(like, bool):
        truth = read_bool(text)
        if truth is None:
            hint = f"the rule gives {str(like).lower()}"
            raise UserError(where, f"{text!r} is neither true nor false", hint)
        return truth
    if isinstance(like, int):
        return _whole(text, like, override.key, where)
    if isinstance(like, float):
        try:
            return float(text)
        except ValueError as error:
            raise UserError(where, f"{text!r} is not a number", f"the rule gives {like}") from error
    if isinstance(like, tuple):
        return read_list(text)
    return text


def _whole(text: str, like: int, key: str, where: str) -> int:
    if (number := read_int(text.replace("_", ""))) is not None:
        return number
    if is_period(key):
        seconds = whole_seconds(text)
        if seconds is None:
            hint = f"90, 90s or 2m for instance; the rule gives {like}"
            raise UserError(where, f"{text!r} is not a whole number of seconds", hint)
        return seconds
    unit = MIB if key in _COUNTED_IN_MIB else _COUNTED_IN.get(re.split(r"[._-]", key)[-1].lower())
    if unit is None and like < _SMALLEST_SIZE:
        raise UserError(where, f"{text!r} is not a whole number", f"give one; the rule gives {like}")
    size = read_size(text) if text[-1:].isalpha() else None
    size = parse_bytes(text, where) if size is None or size < 0 else size
    if size % (unit or 1):
        name = "MiB" if unit == MIB else "KiB"
        raise UserError(where, f"{text} is not a whole number of {name}", f"the rule gives {like} {name}")
    return size // (unit or 1)


def is_period(key: str) -> bool:
    """Whether Hadoop reads a key as a duration: all those that rules give a number for count in seconds."""
    definition = catalogue.hadoop(DEFAULT_HADOOP).find(key)
    return definition is not None and definition.kind == "duration"


def beyond_rules(request: PlanRequest, decided: Sequence[Setting]) -> Iterator[Setting]:
    """The user's values for keys that no rule decided but the planned release reads.

    Raises UserError for a key that it does not read, with the nearest that it does or a rule decided,
    for a value that the key cannot take, and for numbers of the plan itself, which flags insist on.
    """
    file_of = {setting.key: setting.file for setting in decided}
    products = catalogue.hadoop(request.hadoop), catalogue.hbase(request.hbase)
    for override in request.overrides:
        where = f"--set {override.key}"
        if override.key in file_of:
            if file_of[override.key] is None:
                hint = "--slots" if override.key.endswith("_slots") else "--workers-per-host and --overcommit"
                raise UserError(where, "is not a setting: the plan derives it from the hosts", f"see {hint}")
            continue
        release = next((product for product in products if product.find(override.key)), None)
        definition = release.find(override.key) if release else None
        if release is None or definition is None:
            raise _unknown(override.key, where, products, file_of)
        if misfit := release.misfit(override.key, override.value):
            raise UserError(where, f"{override.value!r} {misfit}", f"the default is {definition.default!r}")
        yield Setting(
            key=override.key,
            value=override.value,
            reason="given by the user; no rule decides it",
            source="command line",
            origin="user",
            file=definition.file,
        )


def _unknown(
    key: str, where: str, products: tuple[catalogue.Release, ...], decided: Collection[str]
) -> UserError:
    for release in products:
        if now := release.replacement(key):
            return UserError(where, "is a former name of older releases", f"set {listed(now)} instead")
        if key in release.gone:
            return UserError(where, "is not read by any release that howdah plans for", release.gone[key])
    near = next(iter(difflib.get_close_matches(key, decided, n=1, cutoff=_CLOSE)), None)
    near = near or next((nearest for release in products if (nearest := intended_key(key, release))), None)
    names = " nor ".join(release.title for release in products)
    hint = f"did you mean {near}?" if near else "see `howdah plan explain PLAN` for all keys of a plan"
    return UserError(where, f"neither {names} reads this key", hint)
