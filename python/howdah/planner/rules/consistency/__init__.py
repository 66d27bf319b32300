"""What the files of one configuration ask of one another: one value for each name, where its readers look."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.consistency import (
    bounds,
    combinations,
    enough_hosts,
    fair,
    features,
    names,
    paths,
    ports,
    queues,
    references,
    services,
    units,
    words,
)

rules: tuple[Rule, ...] = (
    *combinations.rules,
    *queues.rules,
    *names.rules,
    *ports.rules,
    *bounds.rules,
    *services.rules,
    *words.rules,
    *units.rules,
    *features.rules,
    *enough_hosts.rules,
    *references.rules,
    *fair.rules,
    *paths.rules,
)
