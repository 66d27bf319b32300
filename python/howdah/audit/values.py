"""What a daemon reads from a configuration: the property that wins, its variables, the release's default."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from howdah.audit.names import CONTAINER_EXECUTOR, HADOOP
from howdah.audit.text import read_kind
from howdah.model.found import FoundConfig, FoundProperty
from howdah.model.plan import Value
from howdah.releases import HADOOP_VERSIONS, Property, Release, default_of, hadoop
from howdah.releases.values import expanded

HBASE_SITE = "hbase-site.xml"
"""HBase reads it after Hadoop's own files, and Hadoop does not read it at all."""


class KeyText(NamedTuple):
    """A key's text with its variables replaced, and the property that gave it; none for a default."""

    text: str
    given: FoundProperty | None


class Values(Mapping[str, Value]):
    """Every key that is set or has a default, as a value of the kind that the release says."""

    def __init__(self, config: FoundConfig, releases: tuple[Release, ...]) -> None:
        self._releases = releases
        self._has_core = any(PurePosixPath(file).name == "core-site.xml" for file in config.files)
        of_hadoop = self._winners(entry for entry in config.properties if entry.base_name in HADOOP)
        of_hbase = self._winners(entry for entry in config.properties if entry.base_name == HBASE_SITE)
        # Hive, Spark and others read files of their own, which change nothing for Hadoop.
        of_others = self._winners(
            entry
            for entry in config.properties
            if entry.base_name not in (*HADOOP, HBASE_SITE) and self._property(entry.name) is None
        )
        self._for_executor = self._winners(
            entry for entry in config.properties if entry.base_name == CONTAINER_EXECUTOR
        )
        self._for_hadoop = {**of_others, **of_hbase, **of_hadoop}
        self._for_hbase = {**of_others, **of_hadoop, **of_hbase}

    def _winners(self, properties: Iterable[FoundProperty]) -> dict[str, FoundProperty]:
        """The property that wins for every key, former names taken for today's."""
        winners: dict[str, FoundProperty] = {}
        for entry in properties:
            for name in self._today(entry.name):
                if name not in winners or not winners[name].final:
                    winners[name] = entry
        return winners

    def _today(self, name: str) -> tuple[str, ...]:
        for release in self._releases:
            if today := release.replacement(name):
                return today
        return (name,)

    def kind(self, key: str) -> str:
        """What the release says the key's value is; ``text`` for a key it does not know."""
        known = self._property(key)
        return known.kind if known else "text"

    def file(self, key: str) -> str | None:
        """The file that the key belongs to; None for a key that no release reads."""
        known = self._property(key)
        return known.file if known else None

    def is_unknown(self, key: str) -> bool:
        """Whether only other releases than the one in question read the key, and no file sets it."""
        return (
            key not in self._for_hadoop
            and key not in self._for_hbase
            and self._property(key) is None
            and any(hadoop(version).find(key) is not None for version in HADOOP_VERSIONS)
        )

    def _property(self, key: str) -> Property | None:
        return next(filter(None, (release.find(key) for release in self._releases)), None)

    def read(self, key: str, file: str = "") -> KeyText | None:
        """The key's text for who reads ``file``; None if it is neither set nor has a default."""
        given = {HBASE_SITE: self._for_hbase, CONTAINER_EXECUTOR: self._for_executor}.get(
            file, self._for_hadoop
        )
        text = self._text(key, given)
        return None if text is None else KeyText(self._expanded(text, given), given.get(key))

    def effective(self) -> tuple[FoundProperty, ...]:
        """Every property that is in force, by its name of today and with its variables replaced."""
        return tuple(
            entry.model_copy(update={"name": name, "text": self._expanded(entry.text, self._for_hadoop)})
            for name, entry in self._for_hadoop.items()
        )

    def _text(self, key: str, given: Mapping[str, FoundProperty]) -> str | None:
        return given[key].text if key in given else self.default(key)

    def default(self, key: str) -> str | None:
        """The release's own value, variables unexpanded; None if it has none.

        Where core-site.xml was not given, the directory that others default to may be any.
        """
        if key == "hadoop.tmp.dir" and not self._has_core:
            return None
        return default_of(key, *self._releases)

    def _variable(self, name: str, given: Mapping[str, FoundProperty]) -> str | None:
        """What a variable stands for; former names count as today's."""
        return next(filter(None, (self._text(today, given) for today in self._today(name))), None)

    def _expanded(self, text: str, given: Mapping[str, FoundProperty]) -> str:
        return expanded(text, lambda name: self._variable(name, given))

    def __getitem__(self, key: str) -> Value:
        reading = self.read(key)
        if reading is None:
            raise KeyError(key)
        return read_kind(reading.text, self.kind(key))

    def __iter__(self) -> Iterator[str]:
        return iter(self._for_hadoop)

    def __len__(self) -> int:
        return len(self._for_hadoop)


class Layers(Mapping[str, Value]):
    """Several mappings as one: the first that has a key gives its value."""

    def __init__(self, *layers: Mapping[str, Value]) -> None:
        self._layers = layers

    def __getitem__(self, key: str) -> Value:
        for layer in self._layers:
            if key in layer:
                return layer[key]
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(key for layer in self._layers for key in layer))

    def __len__(self) -> int:
        return sum(1 for _ in self)
