"""One cause, one finding: of several about a key the most specific one, with one fix and one place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from howdah.model.existing import Check, CheckVerdict, FoundConfig

_PLACEHOLDERS = "consistency.placeholders"
_WRONG = (CheckVerdict.FAIL, CheckVerdict.WARN)
_OF_WRITING = frozenset(
    {
        "consistency.duplicate-property",
        "consistency.one-value",
        "consistency.misplaced-property",
        "consistency.final-overridden",
        "release.deprecated-property",
    }
)
"""Rules about where and how often a key is written, not about its value."""

_GENERAL = frozenset(
    {
        "release.value-type",
        "consistency.bounds",
        "consistency.fatal-bounds",
        "consistency.units",
        "consistency.units-too-small",
        "consistency.threads-for-workers",
        "consistency.plain-paths",
        "consistency.existing-classes",
        "consistency.known-words",
        "consistency.heap-units",
    }
)
"""Rules about a value's form or size, left out if another rule reports why the value is wrong."""

_LIMITS = frozenset({"consistency.bounds", "consistency.fatal-bounds"})
_UNITS = frozenset(
    {"consistency.units", "consistency.units-too-small", "spark.units", "spark.units-too-small"}
)
"""Rules about wrong units, left out if a limit of the key is broken."""

_FOLDED = frozenset(
    {
        "release.deprecated-property",
        "release.gone-property",
        "release.unknown-property",
        "consistency.duplicate-property",
        "consistency.former-variables",
        "ha.manager-pages",
        "jvm.open-ports",
        "security.proxy-users",
        "yarn.least-container",
        "jvm.home-given",
        _PLACEHOLDERS,
    }
)
"""Rules whose findings have one cause: several of one rule are a single one."""


def one_cause(
    settings: Iterable[Check], inspections: Iterable[Check], drift: Iterable[Check]
) -> Iterator[Check]:
    """The results without repetitions.

    A rule's preferred value is not reported for a key whose value does at least as much harm, or differs from
    the plan. If a plan has a value, it is the fix of every broken rule about the key.
    """
    seen, drifted = _most_specific(tuple(inspections)), tuple(drift)
    templates = {check.about for check in seen if check.rule == _PLACEHOLDERS}
    seen = tuple(check for check in seen if check.about not in templates or check.rule == _PLACEHOLDERS)
    planned = {check.about: check for check in drifted if check.verdict in _WRONG}
    wrong = [check for check in seen if check.verdict in _WRONG and check.rule not in _OF_WRITING]
    failed = {check.about for check in wrong if check.verdict is CheckVerdict.FAIL} | planned.keys()
    warned = {check.about for check in wrong} | planned.keys()
    for check in settings:
        repeated = check.about in (failed if check.verdict is CheckVerdict.FAIL else warned)
        if not repeated or check.verdict not in (*_WRONG, CheckVerdict.ADVICE):
            yield check
    for check in seen:
        if check.verdict in _WRONG and check.about in planned:
            yield check.model_copy(update={"fix": planned[check.about].fix})
        else:
            yield check
    yield from drifted


_CHARACTERS = "consistency.plain-characters"


def _without_echoes(checks: tuple[Check, ...]) -> tuple[Check, ...]:
    """The results without fixes that repeat a strange character, if this character is a finding."""
    strange = any(check.rule == _CHARACTERS and check.verdict in _WRONG for check in checks)
    return tuple(
        check
        for check in checks
        if not strange
        or check.rule == _CHARACTERS
        or check.verdict not in _WRONG
        or (check.fix.isascii() and check.found.isascii())
        or "…" in check.fix
    )


def _most_specific(checks: tuple[Check, ...]) -> tuple[Check, ...]:
    """The results without general ones about keys with a more specific one of at least this severity."""
    specific = [
        check
        for check in checks
        if check.verdict in _WRONG and check.rule not in _GENERAL and check.rule not in _OF_WRITING
    ]
    failed = {check.about for check in specific if check.verdict is CheckVerdict.FAIL}
    warned = {check.about for check in specific}
    checks = _without_echoes(checks)
    limits = {(check.about, check.verdict) for check in checks if check.rule in _LIMITS}
    checks = tuple(
        check for check in checks if check.rule not in _UNITS or (check.about, check.verdict) not in limits
    )
    # What fails for its unit is not warned of for its size.
    warned |= {check.about for check in checks if check.verdict is CheckVerdict.FAIL}
    return tuple(
        check
        for check in checks
        if check.rule not in _GENERAL
        or check.about not in (failed if check.verdict is CheckVerdict.FAIL else warned)
    )


def folded(checks: Iterable[Check]) -> Iterator[Check]:
    """The results, with those of one cause joined to one result for each rule."""
    groups: dict[str, list[Check]] = {}
    for check in checks:
        if check.rule in _FOLDED and check.verdict in _WRONG:
            groups.setdefault(check.rule, []).append(check)
        else:
            yield check
    for group in groups.values():
        first = group[0]
        if len(group) == 1:
            yield first
            continue
        names = ", ".join(dict.fromkeys(check.about for check in group))
        fixes = "; ".join(dict.fromkeys(check.fix for check in group))
        yield first.model_copy(update={"about": names, "found": _found_together(group), "fix": fixes})


def _found_together(group: Sequence[Check]) -> str:
    """The existing values of several results of a rule: once if they are the same, otherwise for each key."""
    keys: dict[str, list[str]] = {}
    for check in group:
        keys.setdefault(check.found, []).append(check.about)
    if len(keys) == 1:
        return f"{group[0].found}, {len(group)} times"
    return "; ".join(f"{', '.join(names)}: {text}" for text, names in keys.items())


def in_its_file(check: Check, config: FoundConfig | None) -> Check:
    """The result with the path of the file that was read, for keys that are not set."""
    files = config.files if config is not None else ()
    if check.where in files:
        return check
    path = next((file for file in files if file.rpartition("/")[2] == check.where), None)
    return check if path is None else check.model_copy(update={"where": path})
