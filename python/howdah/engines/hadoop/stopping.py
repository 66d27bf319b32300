"""Ends the applications of a run that is given up, its own and no others."""

from __future__ import annotations

import logging
import posixpath
import subprocess
import time

from howdah.engines.digests import sha256
from howdah.engines.hadoop.target import HadoopTarget
from howdah.installation.command import java_command
from howdah.installation.programs import PROGRAMS
from howdah.services.errors import ServiceError
from howdah.services.resourcemanager import AppFacts, ResourceManager

_LOG = logging.getLogger(__name__)
_ENDED = frozenset({"FINISHED", "FAILED", "KILLED"})
_PATIENCE_S = 30.0
_CLIENT_S = 60.0


def run_tag(path: str) -> str:
    """What every application of the run that works in a path is tagged with; YARN keeps it in small letters.

    Runs of the same minute on several machines have one name, but no two have one directory in HDFS.
    """
    return f"howdah-{posixpath.basename(path)}-{sha256(path)[:8]}".lower()


def kill_applications(target: HadoopTarget, manager: ResourceManager, tag: str) -> list[str]:
    """End every application with a tag and wait until it has; the ids of those that were still at work.

    What the ResourceManager's web server does not let this user end, the client's own protocol may.
    """
    at_work = [app for app in _tagged(manager, tag) if app.state not in _ENDED]
    for app in at_work:
        _LOG.info("killing %s", app.id)
        try:
            manager.kill(app.id)
        except ServiceError as error:
            _LOG.info("%s", error)
            _kill_by_client(target, app.id)
    _await_end(manager, tag)
    return [app.id for app in at_work]


def _kill_by_client(target: HadoopTarget, application: str) -> None:
    command = java_command(
        target.installation, target.conf_dir, PROGRAMS["application"], "application", "-kill", application
    )
    done = subprocess.run(
        [*target.client_prefix, *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_CLIENT_S,
        check=False,
    )
    _LOG.info("%s", done.stderr[-2_000:])


def _await_end(manager: ResourceManager, tag: str) -> None:
    """Wait until no container can write any more: the run's directory is removed next."""
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        if all(app.state in _ENDED for app in _tagged(manager, tag)):
            return
        time.sleep(1.0)


def _tagged(manager: ResourceManager, tag: str) -> list[AppFacts]:
    return manager.apps(applicationTags=tag)
