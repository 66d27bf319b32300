"""The logs of containers, from the NodeManager that ran them or from where they were gathered."""

from __future__ import annotations

import re
from typing import NamedTuple

from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.web import Web

MOST_BYTES = 64 * 1024
"""The end of a log is enough to say why it ends."""

_CONTENTS = "\nLogContents:\n"
_END = re.compile(r"\n*End of LogType:.*\Z", re.DOTALL)


class TaskContainer(NamedTuple):
    """A container and where it ran."""

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
        """The end of a log, ``syslog``, ``stderr`` or ``stdout``; empty where nobody has it."""
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
    """A log without the lines that servers put around it; empty for an answer that holds none."""
    _, begins, text = answer.rpartition(_CONTENTS)
    return _END.sub("", text)[-MOST_BYTES:] if begins else ""
