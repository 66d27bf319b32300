"""A cluster that runs, read from its own daemons; nothing on it is changed."""

from howdah.probe.cluster.survey import survey
from howdah.probe.cluster.work import observe

__all__ = ["observe", "survey"]
