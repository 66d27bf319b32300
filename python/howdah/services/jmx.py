"""Beans of a daemon's /jmx."""

from __future__ import annotations

from typing import Any, Protocol

from howdah.services.answer import Object, one_or_many


class Asker(Protocol):
    """What asks: a Web, or a Line for the same few questions again and again."""

    def get_json(self, url: str, **params: str | int) -> Any:
        """What a daemon answers, which must be JSON; raises ServiceError."""


class JmxReader:
    """Reads beans of one daemon, each asked for by name, for a daemon's whole /jmx is large."""

    def __init__(self, asker: Asker, url: str) -> None:
        self._asker = asker
        self._url = f"{url.rstrip('/')}/jmx"

    def bean(self, name: str) -> Object | None:
        """The first bean of a name, in which ``*`` stands for anything; None while there is none."""
        return next(iter(self.beans(name)), None)

    def beans(self, name: str) -> list[Object]:
        """Every bean of a name, ``Hadoop:service=DataNode,name=DataNodeActivity-*``; raises ServiceError."""
        return one_or_many(self._asker.get_json(self._url, qry=name), "beans")
