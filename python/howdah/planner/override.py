"""Values that the user insists on: ``--set KEY=VALUE``."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from howdah import releases
from howdah.errors import UserError
from howdah.model.plan import Setting, Value
from howdah.model.request import Override, PlanRequest
from howdah.units import parse_bytes

_TRUTHS = {"true": True, "false": False}


def typed(given: Override, like: Value) -> Value:
    """The user's text as a value of the same type as the rule's; raise UserError where it is none.

    A whole number may be written with a unit of bytes where the rule's value is a size: ``128MiB``.
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
        return _whole(text, like, where)
    if isinstance(like, float):
        try:
            return float(text)
        except ValueError as error:
            raise UserError(where, f"{text!r} is not a number", f"the rule gives {like}") from error
    if isinstance(like, tuple):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return text


def _whole(text: str, like: int, where: str) -> int:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        float(text)
    except ValueError:
        return parse_bytes(text, where)
    raise UserError(where, f"{text} is not a whole number", f"Hadoop wants one here; the rule gives {like}")


def beyond_rules(request: PlanRequest, decided: Collection[str]) -> Iterator[Setting]:
    """The user's values for keys that no rule decided but the planned release reads.

    Raises UserError for a key that it does not read, with the nearest that it does, and for a value
    that the key cannot take.
    """
    products = releases.hadoop(request.hadoop), releases.hbase(request.hbase)
    for given in request.overrides:
        if given.key in decided:
            continue
        where = f"--set {given.key}"
        release = next((one for one in products if one.find(given.key)), None)
        known = release.find(given.key) if release else None
        if release is None or known is None:
            raise _unknown(given.key, where, products)
        if misfit := release.misfit(given.key, given.value):
            raise UserError(where, f"{given.value!r} {misfit}", f"the default is {known.default!r}")
        yield Setting(
            key=given.key,
            value=given.value,
            reason="given by the user; no rule of howdah's decides it",
            source="command line",
            origin="user",
            file=known.file,
        )


def _unknown(key: str, where: str, products: tuple[releases.Release, ...]) -> UserError:
    for release in products:
        if now := release.replacement(key):
            return UserError(where, "is the name of an older release", f"set {' and '.join(now)} instead")
        if key in release.gone:
            return UserError(where, "is no longer read by any release howdah plans for", release.gone[key])
    near = next((found for release in products if (found := release.nearest(key))), None)
    names = " nor ".join(f"{release.product} {release.version}" for release in products)
    hint = f"did you mean {near}?" if near else "see `howdah plan explain PLAN` for the keys that are decided"
    return UserError(where, f"neither {names} reads this key", hint)
