"""The JobHistoryServer, which tells of jobs that have ended."""

from __future__ import annotations

from howdah.services.conf import ClientConf
from howdah.services.jobs import JobReader
from howdah.services.web import Web


class JobHistory(JobReader):
    """The JobHistoryServer of a configuration."""

    def __init__(self, web: Web, conf: ClientConf) -> None:
        self.url = conf.history().url
        """Where it is, ``http://master:19888``."""
        super().__init__(web, f"{self.url}/ws/v1/history/mapreduce")
