"""A run that is given up ends its applications, and says so where it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from howdah.engines.hadoop import target
from howdah.engines.hadoop.target import HadoopTarget, kill_applications, run_tag
from howdah.installation.installation import Installation
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.resourcemanager import ResourceManager
from howdah.services.web import Web
from support.recorded import Recorded, in_json

TAG = run_tag("/user/me/howdah/run")
APP = "application_1700000000000_0001"
APPS = f"GET /ws/v1/cluster/apps?applicationTags={TAG}"
KILL = f"PUT /ws/v1/cluster/apps/{APP}/state"
REFUSED = in_json({"RemoteException": {"exception": "AuthorizationException", "message": "no"}}, 403)


def apps(state: str) -> dict[str, object]:
    told = {"id": APP, "name": "TeraSort", "user": "me", "queue": "root.default", "state": state}
    times = {"finalStatus": "UNDEFINED", "progress": 0.0, "startedTime": 1, "finishedTime": 0}
    return {"apps": {"app": {**told, **times}}}


class Cluster(NamedTuple):
    """A ResourceManager of recorded answers, and what a client needs to know of it."""

    server: Recorded
    target: HadoopTarget

    def kill(self) -> None:
        """End the run's applications."""
        manager = ResourceManager(self.target.web, self.target.conf)
        kill_applications(self.target, manager, TAG, patience_s=0.2)

    def asked(self) -> list[str]:
        """The methods of what was asked."""
        return [asked.method for asked in self.server.asked]


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    monkeypatch.setattr(target, "_POLL_S", 0.01)
    home = tmp_path / "java"
    (home / "bin").mkdir(parents=True)
    monkeypatch.setenv("JAVA_HOME", str(home))
    with Recorded({KILL: in_json({"state": "KILLED"}, 202)}) as server, Web(user="me") as web:
        (tmp_path / "core-site.xml").write_text(
            "<configuration><property><name>yarn.resourcemanager.webapp.address</name>"
            f"<value>127.0.0.1:{server.port}</value></property></configuration>"
        )
        installation = Installation(tmp_path, "3.5.0", (), None, tmp_path, tmp_path, fetched=True)
        conf = ClientConf.read(tmp_path)
        hadoop = HadoopTarget(installation, tmp_path, conf, web, work_dir="/user/me/howdah", queue="default")
        yield Cluster(server, hadoop)


def java(cluster: Cluster, script: str) -> None:
    """Let the client be a shell's script."""
    program = cluster.target.installation.home / "java/bin/java"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_nothing_is_killed_where_nothing_runs(cluster: Cluster) -> None:
    cluster.server.answers[APPS] = in_json(apps("FINISHED"))
    cluster.kill()
    assert cluster.asked() == ["GET", "GET"]


def test_an_application_that_does_not_end_is_told(cluster: Cluster) -> None:
    cluster.server.answers[APPS] = in_json(apps("RUNNING"))
    with pytest.raises(ServiceError, match=f"{APP}: was killed and has not ended within 0.2 s"):
        cluster.kill()
    assert cluster.asked().count("PUT") == 1


def test_what_the_web_server_refuses_the_client_may_do(cluster: Cluster, tmp_path: Path) -> None:
    cluster.server.answers |= {APPS: in_json(apps("RUNNING")), KILL: REFUSED}
    java(cluster, f'echo "$@" > {tmp_path}/said')
    with pytest.raises(ServiceError, match="has not ended"):
        cluster.kill()
    assert (tmp_path / "said").read_text().endswith(f"application -kill {APP}\n")


def test_a_client_that_hangs_does_not_hold_up_the_end(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(target, "_CLIENT_S", 0.2)
    cluster.server.answers |= {APPS: in_json(apps("RUNNING")), KILL: REFUSED}
    java(cluster, "exec sleep 60")
    with pytest.raises(ServiceError, match="has not ended"):
        cluster.kill()


def test_runs_of_one_name_have_tags_of_their_own() -> None:
    assert run_tag("/user/me/howdah/run") != run_tag("/user/you/howdah/run")
    assert run_tag("/user/me/RUN").islower()
