"""How far a job is, asked with as few questions as will do."""

from __future__ import annotations

import logging
from typing import NamedTuple

from howdah.services.app_master import AppMaster, JobProgress
from howdah.services.errors import ServiceError
from howdah.services.resourcemanager import AppFacts, ResourceManager

_LOG = logging.getLogger(__name__)


class Word(NamedTuple):
    """What is told of an application at one moment."""

    app: AppFacts | None
    """What the ResourceManager said of it last; None where it does not know it, or does not answer."""
    job: JobProgress | None
    """How far its master says it is; None before the master answers, and once it has gone."""
    silence: str | None = None
    """Why the ResourceManager, which is to know the application, does not tell of it."""


class Asking:
    """Asks a job's own master once that runs, and the ResourceManager only while the master says nothing.

    A silence now and then does no harm: a master may have come no further than its own start, or have ended.
    """

    def __init__(self, manager: ResourceManager) -> None:
        self._manager = manager
        self._app: AppFacts | None = None
        self.master: AppMaster | None = None
        """The master that answered last; None before any has, and after it stopped."""

    def ask(self, application: str) -> Word:
        """The latest word of the application."""
        if self.master is not None:
            try:
                return Word(self._app, self.master.job())
            except ServiceError:
                self.master = None
        try:
            self._app = self._manager.app(application)
        except ServiceError as error:
            _LOG.info("%s", error)
            return Word(None, None, str(error))
        if self._app is None or self._app.state != "RUNNING":
            return Word(self._app, None)
        try:
            master = self._manager.app_master(application)
            job = master.job()
        except ServiceError:
            return Word(self._app, None)
        self.master = master
        return Word(self._app, job)
