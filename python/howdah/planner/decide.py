"""Setting rules put to work: each decides its value, or keeps the user's and says what it breaks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from howdah.model.inventory import HostGroup
from howdah.model.plan import Breach, Setting, Value, Worker
from howdah.model.value import value_text
from howdah.planner.facts import Facts
from howdah.planner.override import typed
from howdah.planner.rule import Decision, FamilyRule, Scope, SettingRule


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
            by_group = (
                _setting(rule, replace(facts, known_group=group), group=group.name) for group in groups
            )
            settings += _said_once(list(filter(None, by_group)), alike=len(groups))
        elif rule.scope is Scope.WORKER:
            decided: list[Setting] = []
            for name, known in by_kind.items():
                if setting := _setting(rule, known, worker=name):
                    by_kind[name] = known.deciding(rule.key, setting.value)
                    decided.append(setting)
            apart = any(setting.key == rule.needs and setting.worker for setting in settings)
            settings += decided if apart else _said_once(decided, alike=len(kinds))
        # No rule of the cluster asks for a kind of worker, so the first one's facts are as good as any.
        elif setting := _setting(rule, by_kind[kinds[0].name]):
            by_kind = {name: known.deciding(rule.key, setting.value) for name, known in by_kind.items()}
            settings.append(setting)
    return tuple(settings)


def _said_once(decided: list[Setting], alike: int) -> Iterable[Setting]:
    if len(decided) == alike and len({setting.value for setting in decided}) == 1:
        return [decided[0].model_copy(update={"worker": None, "group": None})]
    return decided


def _setting(
    rule: SettingRule, facts: Facts, *, worker: str | None = None, group: str | None = None
) -> Setting | None:
    given = next((override for override in facts.request.overrides if override.key == rule.key), None)
    if not rule.holds(facts) or not (rule.written or given):
        return None
    decision = rule.decide(facts)
    setting = rule.setting(rule.key, decision, file=rule.file, worker=worker, group=group)
    if given is None:
        return setting
    value = typed(given, decision.value)
    return _given(setting, value, _breaches(rule, value, decision, facts))


def _members(rule: FamilyRule, facts: Facts) -> Iterable[Setting]:
    if not rule.holds(facts):
        return
    for key, decision in rule.members(facts).items():
        setting = rule.setting(key, decision, file=rule.file)
        given = next((override for override in facts.request.overrides if override.key == key), None)
        yield setting if given is None else _given(setting, typed(given, decision.value))


def _given(setting: Setting, value: Value, breaks: tuple[Breach, ...] = ()) -> Setting:
    return setting.model_copy(
        update={
            "value": value,
            "origin": "user",
            "reason": "given by the user",
            "source": "command line",
            "breaks": breaks,
        }
    )


def _breaches(rule: SettingRule, value: Value, decision: Decision, facts: Facts) -> tuple[Breach, ...]:
    if rule.accepts(value, decision, facts):
        return ()
    wanted = value_text(decision.value)
    says = f"{rule.says} Here: {wanted}, because {decision.because}"
    return (Breach(rule=rule.id, says=says, severity=rule.severity.value),)
