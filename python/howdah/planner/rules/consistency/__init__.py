"""What the files of one configuration ask of one another: one value for each name, where its readers look."""

from __future__ import annotations

from howdah.planner.rule import Rule
from howdah.planner.rules.consistency import (
    bounds,
    combinations,
    directories,
    enough_hosts,
    fair,
    features,
    files,
    formers,
    names,
    needs,
    paths,
    placeholders,
    ports,
    queues,
    refusals,
    services,
    shared,
    units,
    words,
)

RULES: tuple[Rule, ...] = (
    *files.RULES,
    *combinations.RULES,
    *queues.RULES,
    *names.RULES,
    *ports.RULES,
    *needs.RULES,
    *bounds.RULES,
    *refusals.RULES,
    *services.RULES,
    *directories.RULES,
    *formers.RULES,
    *shared.RULES,
    *words.RULES,
    *units.RULES,
    *features.RULES,
    *enough_hosts.RULES,
    *fair.RULES,
    *paths.RULES,
    *placeholders.RULES,
)
