"""Logs of containers from their NodeManager or from the history server."""

from __future__ import annotations

import re
from typing import NamedTuple

from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.web import Web

MOST_BYTES = 64 * 1024
"""The end of a log is enough to find the reason of a failure."""

_CONTENTS = "\nLogContents:\n"
_END = re.compile(r"\n*End of LogType:.*\Z", re.DOTALL)


class TaskContainer(NamedTuple):
    """A container and its NodeManager."""

    id: str
    """``container_1700000000000_0001_01_000002``."""
    node_web: str
    """``HOST:PORT`` of its NodeManager's web server."""


class TaskLogs:
    """Reads the ends of containers' logs."""

    def __init__(self, web: Web, conf: ClientConf) -> None:
        self._web = web
        self._conf = conf

    def tail(self, container: TaskContainer, name: str) -> str:
        """Return the end of a log, ``syslog``, ``stderr`` or ``stdout``; empty if no server has it."""
        for url in (
            f"{self._conf.nodemanager_url(container.node_web)}"
            f"/ws/v1/node/containers/{container.id}/logs/{name}",
            f"{self._conf.history().url}/ws/v1/history/containerlogs/{container.id}/{name}",
        ):
            try:
                text = self._web.get_text(url, size=-MOST_BYTES)
            except ServiceError:
                continue
            return contents(text)
        return ""


def contents(answer: str) -> str:
    """Return a log without the lines that servers add; empty if the answer contains no log."""
    _, begins, text = answer.rpartition(_CONTENTS)
    return _END.sub("", text)[-MOST_BYTES:] if begins else ""
