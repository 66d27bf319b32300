"""Rules about high availability: two of each master, three who keep edits and elect, failover by itself."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.ha import (
    connections,
    fencing,
    hmasters,
    journals,
    managers,
    patience,
    places,
    quorums,
    services,
    settings,
    standby,
    state,
    surviving,
    waiting,
)

RULES: tuple[Rule, ...] = (
    *settings.RULES,
    *connections.RULES,
    *waiting.RULES,
    *standby.RULES,
    *services.RULES,
    *journals.RULES,
    *fencing.RULES,
    *quorums.RULES,
    *surviving.RULES,
    *patience.RULES,
    *managers.RULES,
    *state.RULES,
    *hmasters.RULES,
    *places.RULES,
)
