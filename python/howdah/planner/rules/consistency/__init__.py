"""How the files of a configuration must agree: one value for each name, in files that its readers read."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.consistency import (
    bounds,
    combinations,
    enough_hosts,
    features,
    names,
    paths,
    ports,
    queues,
    references,
    services,
    units,
)

rules: tuple[Rule, ...] = (
    *combinations.rules,
    *queues.rules,
    *names.rules,
    *ports.rules,
    *bounds.rules,
    *services.rules,
    *units.rules,
    *features.rules,
    *enough_hosts.rules,
    *references.rules,
    *paths.rules,
)
