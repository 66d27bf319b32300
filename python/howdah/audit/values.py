"""What a daemon reads from a configuration: the property that wins, its variables, the release's default."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from howdah.audit.text import read_kind
from howdah.model.found import FoundConfig, FoundProperty
from howdah.model.plan import Value
from howdah.releases import Release

_VARIABLE = re.compile(r"\$\{([^}$\s]{1,200})\}")
_MOST_EXPANSIONS = 20
"""As often as Hadoop expands; what then still holds a variable goes round in a circle."""
_MOST_TEXT = 100_000


class Reading(NamedTuple):
    """A key's text with its variables replaced, and the property that gave it; none for a default."""

    text: str
    given: FoundProperty | None

    @property
    def is_open(self) -> bool:
        """Whether a variable is left that only the daemon's own machine can replace."""
        return "${" in self.text


class Values(Mapping[str, Value]):
    """Every key that is set or has a default, as a value of the kind that the release says."""

    def __init__(self, config: FoundConfig, releases: tuple[Release, ...]) -> None:
        self._config = config
        self._releases = releases
        self._cache: dict[str, Reading | None] = {}

    @cached_property
    def _set(self) -> dict[str, FoundProperty]:
        """The property that wins for every key, former names taken for today's."""
        winners: dict[str, FoundProperty] = {}
        for one in self._config.properties:
            for name in self._today(one.name):
                if name not in winners or not winners[name].final:
                    winners[name] = one
        return winners

    def _today(self, name: str) -> tuple[str, ...]:
        for release in self._releases:
            if today := release.replacement(name):
                return today
        return (name,)

    def kind(self, key: str) -> str:
        """What the release says the key's value is; ``text`` for a key it does not know."""
        known = next(filter(None, (release.find(key) for release in self._releases)), None)
        return known.kind if known else "text"

    def read(self, key: str) -> Reading | None:
        """The key's text; None if it is neither set nor has a default."""
        if key not in self._cache:
            given = self._set.get(key)
            text = given.text if given else self._default(key)
            self._cache[key] = None if text is None else Reading(self._expanded(text), given)
        return self._cache[key]

    def _default(self, key: str) -> str | None:
        for release in self._releases:
            known = release.find(key)
            if known is not None and known.default is not None:
                return known.default
        return None

    def _expanded(self, text: str) -> str:
        for _ in range(_MOST_EXPANSIONS):
            expanded = _VARIABLE.sub(self._variable, text)
            if expanded == text or len(expanded) > _MOST_TEXT:
                break
            text = expanded
        return text

    def _variable(self, match: re.Match[str]) -> str:
        given = self._set.get(match[1])
        text = given.text if given else self._default(match[1])
        return match[0] if text is None else text

    def __getitem__(self, key: str) -> Value:
        reading = self.read(key)
        if reading is None:
            raise KeyError(key)
        return read_kind(reading.text, self.kind(key))

    def __iter__(self) -> Iterator[str]:
        return iter(self._set)

    def __len__(self) -> int:
        return len(self._set)
