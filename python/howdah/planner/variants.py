"""The same platform with other numbers of tasks at once, and with other block sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.inventory import Inventory
from howdah.model.plan import Breach, Plan
from howdah.model.request import Override, PlanRequest
from howdah.planner.choice import Choice, choose
from howdah.planner.cluster import plan_choice
from howdah.units import MIB, exact_bytes

_SLOTS = (0.75, 1.25)
_BLOCKS = (0.5, 2.0)
_BLOCK_BYTES = range(64 * MIB, 1024 * MIB + 1)
_BLOCK_SIZE = "dfs.blocksize"


class Variant(NamedTuple):
    """A plan that differs in one thing from another one."""

    flag: str
    """What asks for it on the command line."""
    plan: Plan
    """The plan."""
    breaks: tuple[Breach, ...]
    """The rules that it breaks."""


def variants(inventory: Inventory, request: PlanRequest, plan: Plan) -> tuple[Variant, ...]:
    """What is left to the planner varied, one thing at a time; what cannot be planned is left out."""
    return tuple(_variants(inventory, request, plan))


def _variants(inventory: Inventory, request: PlanRequest, plan: Plan) -> Iterator[Variant]:
    if request.slots is None and len(plan.workers) == 1:
        planned = plan.workers[0].map_slots
        for slots in sorted({max(1, round(factor * planned)) for factor in _SLOTS} - {planned}):
            asked = request.model_copy(update={"slots": slots})
            yield from _variant(f"--slots {slots}", inventory, asked, plan)
    given = {one.key for one in request.overrides}
    blocks = next((one.value for one in plan.settings if one.key == _BLOCK_SIZE), None)
    if _BLOCK_SIZE not in given and isinstance(blocks, int):
        for size in (int(factor * blocks) for factor in _BLOCKS):
            if size in _BLOCK_BYTES:
                said = exact_bytes(size)
                override = Override(key=_BLOCK_SIZE, value=said)
                asked = request.model_copy(update={"overrides": (*request.overrides, override)})
                yield from _variant(f"--set {_BLOCK_SIZE}={said}", inventory, asked, plan)


def _variant(flag: str, inventory: Inventory, request: PlanRequest, base: Plan) -> Iterator[Variant]:
    choice = choose(inventory, request)
    (group,) = choice.groups
    weighed = choice.weighed[group.name]
    same = [one for one in weighed if one.platform == base.platform and one.verdict != "refused"]
    if not same:
        return
    others = [one for one in weighed if one not in same]
    try:
        plan = plan_choice(inventory, request, Choice(choice.groups, {group.name: (*same, *others)}))
    except UserError:
        return
    yield Variant(
        flag, plan, tuple({breach.rule: breach for one in plan.settings for breach in one.breaks}.values())
    )
