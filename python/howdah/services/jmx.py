"""Beans of a daemon's /jmx."""

from __future__ import annotations

from howdah.services.answer import Object, one_or_many
from howdah.services.web import Web


class JmxReader:
    """Reads beans of one daemon, each asked for by name, for a daemon's whole /jmx is large."""

    def __init__(self, web: Web, url: str) -> None:
        self._web = web
        self._url = f"{url.rstrip('/')}/jmx"

    def bean(self, name: str) -> Object | None:
        """The first bean of a name, in which ``*`` stands for anything; None while there is none."""
        return next(iter(self.beans(name)), None)

    def beans(self, name: str) -> list[Object]:
        """Every bean of a name, ``Hadoop:service=DataNode,name=DataNodeActivity-*``; raises ServiceError."""
        return one_or_many(self._web.get_json(self._url, qry=name), "beans")
