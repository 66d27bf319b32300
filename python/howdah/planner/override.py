"""Values that the user insists on: ``--set KEY=VALUE``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Sequence

from howdah import releases
from howdah.errors import UserError
from howdah.hadoop.misspelt import intended_key
from howdah.model.plan import Setting, Value
from howdah.model.request import Override, PlanRequest
from howdah.units import KIB, MIB, parse_bytes

_TRUTHS = {"true": True, "false": False}

_CLOSE = 0.8
"""How alike two keys are of which one may be meant for the other, of 1."""

_HADOOP_SIZE = re.compile(r"(\d+)([kmgtp])", re.IGNORECASE)
_SMALLEST_SIZE = 64 * KIB
"""What a rule counts in bytes is at least this; what it counts otherwise takes no unit of bytes."""

_COUNTED_IN = {"mb": MIB, "kb": KIB, "kbytes": KIB}
"""The unit of a key, in bytes, by the last word of its name."""
_COUNTED_IN_MIB = {"hbase.bucketcache.size", "memSize", "sched.mem.min", "numa.memory.gransize"}
"""Keys whose names do not say that they count in MiB."""


def typed(given: Override, like: Value) -> Value:
    """The user's text as a value of the same type as the rule's; raise UserError where it is none.

    A size may be written with its unit, ``128MiB`` or as Hadoop does ``128m``, also where the key counts
    in MiB; a duration as Hadoop reads it, ``2m``.
    """
    where = f"--set {given.key}"
    text = given.value.strip()
    if isinstance(like, bool):
        if text.lower() not in _TRUTHS:
            raise UserError(
                where, f"{text!r} is neither true nor false", f"the rule gives {str(like).lower()}"
            )
        return _TRUTHS[text.lower()]
    if isinstance(like, int):
        return _whole(text, like, given.key, where)
    if isinstance(like, float):
        try:
            return float(text)
        except ValueError as error:
            raise UserError(where, f"{text!r} is not a number", f"the rule gives {like}") from error
    if isinstance(like, tuple):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return text


def _whole(text: str, like: int, key: str, where: str) -> int:
    try:
        return int(text)
    except ValueError:
        pass
    if is_period(key):
        return _seconds(text, like, where)
    unit = MIB if key in _COUNTED_IN_MIB else _COUNTED_IN.get(re.split(r"[._-]", key)[-1].lower())
    if unit is None and like < _SMALLEST_SIZE:
        raise UserError(where, f"{text!r} is not a whole number", f"give one; the rule gives {like}")
    size = _bytes(text, where)
    if size % (unit or 1):
        name = "MiB" if unit == MIB else "KiB"
        raise UserError(where, f"{text} is not a whole number of {name}", f"the rule gives {like} {name}")
    return size // (unit or 1)


def is_period(key: str) -> bool:
    """Whether Hadoop reads a key as a duration: all those that rules give a number for count in seconds."""
    known = releases.hadoop(releases.DEFAULT_HADOOP).find(key)
    return known is not None and known.kind == "duration"


def _seconds(text: str, like: int, where: str) -> int:
    seconds = releases.whole_seconds(text)
    if seconds is None:
        hint = f"90, 90s or 2m for instance; the rule gives {like}"
        raise UserError(where, f"{text!r} is not a whole number of seconds", hint)
    return seconds


def _bytes(text: str, where: str) -> int:
    if match := _HADOOP_SIZE.fullmatch(text):
        digits, prefix = match.groups()
        return int(digits) << 10 * (1 + "kmgtp".index(prefix.lower()))
    return parse_bytes(text, where)


def beyond_rules(request: PlanRequest, decided: Sequence[Setting]) -> Iterator[Setting]:
    """The user's values for keys that no rule decided but the planned release reads.

    Raises UserError for a key that it does not read, with the nearest that it does or a rule decided,
    for a value that the key cannot take, and for numbers of the plan itself, which flags insist on.
    """
    file_of = {setting.key: setting.file for setting in decided}
    products = releases.hadoop(request.hadoop), releases.hbase(request.hbase)
    for given in request.overrides:
        where = f"--set {given.key}"
        if given.key in file_of:
            if file_of[given.key] is None:
                raise _worked_out(given.key, where)
            continue
        release = next((product for product in products if product.find(given.key)), None)
        known = release.find(given.key) if release else None
        if release is None or known is None:
            raise _unknown(given.key, where, products, file_of)
        if misfit := release.misfit(given.key, given.value):
            raise UserError(where, f"{given.value!r} {misfit}", f"the default is {known.default!r}")
        yield Setting(
            key=given.key,
            value=given.value,
            reason="given by the user; no rule decides it",
            source="command line",
            origin="user",
            file=known.file,
        )


def _worked_out(key: str, where: str) -> UserError:
    hint = "--slots" if key.endswith("_slots") else "--workers-per-host and --overcommit"
    return UserError(where, "is not a setting: the plan derives it from the hosts", f"see {hint}")


def _unknown(
    key: str, where: str, products: tuple[releases.Release, ...], decided: Collection[str]
) -> UserError:
    for release in products:
        if now := release.replacement(key):
            return UserError(where, "is a former name of older releases", f"set {' and '.join(now)} instead")
        if key in release.gone:
            return UserError(where, "is not read by any release that howdah plans for", release.gone[key])
    near = next(iter(difflib.get_close_matches(key, decided, n=1, cutoff=_CLOSE)), None)
    near = near or next((nearest for release in products if (nearest := intended_key(key, release))), None)
    names = " nor ".join(f"{release.product} {release.version}" for release in products)
    hint = f"did you mean {near}?" if near else "see `howdah plan explain PLAN` for all keys of a plan"
    return UserError(where, f"neither {names} reads this key", hint)
