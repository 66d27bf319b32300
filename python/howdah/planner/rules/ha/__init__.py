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

rules: tuple[Rule, ...] = (
    *settings.rules,
    *connections.rules,
    *waiting.rules,
    *standby.rules,
    *services.rules,
    *journals.rules,
    *fencing.rules,
    *quorums.rules,
    *surviving.rules,
    *patience.rules,
    *managers.rules,
    *state.rules,
    *hmasters.rules,
    *places.rules,
)
