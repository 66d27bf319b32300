"""`howdah run network` on hosts of one's own: real links and iperf3, a slow port, a dead one."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from howdah.model.run import Outcome
from howdah.store.reader import read_run
from support.command import HOWDAH, environment, howdah
from support.findings import found
from support.network import can_build
from support.own_hosts import HOSTS, NOMINAL, SLOW, OwnHosts, own_hosts
from support.patience import PATIENCE_S

pytestmark = [
    pytest.mark.skipif(not can_build(), reason="needs root and network namespaces"),
    pytest.mark.skipif(shutil.which("iperf3") is None, reason="needs iperf3: apt-get install iperf3"),
]

PAIRS = len(HOSTS) * (len(HOSTS) - 1)
"""Each way counts."""


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnHosts]:
    """Four hosts, of which one has a slow port."""
    with own_hosts(tmp_path_factory.mktemp("hosts"), slow="h3") as built:
        yield built


def arguments(hosts: OwnHosts, *more: str) -> list[str | Path]:
    return ["run", "network", "--plan", hosts.plan_file, "--reach", hosts.reach, "--seconds", "1", *more]


def test_every_pair_is_measured_and_the_slow_port_named(hosts: OwnHosts, tmp_path: Path) -> None:
    done = howdah(*arguments(hosts, "--pairs-at-once", "2"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (path,) = (tmp_path / "runs").glob("2*")
    run = read_run(path)
    (result,) = run.record.workloads
    ways = {
        how: [link for link in result.links if link.how == how]
        for how in ("one way", "both ways", "all at once")
    }
    assert {how: len(links) for how, links in ways.items()} == {
        "one way": PAIRS,
        "both ways": PAIRS,
        "all at once": len(HOSTS),
    }
    assert all(link.nominal_bits_per_s == NOMINAL for link in result.links)
    for link in ways["one way"]:
        slow = "h3" in (link.source, link.target)
        most = SLOW if slow else NOMINAL
        # A busy machine may carry less; of a second, what waits in queues is a good part.
        assert 0.3 * most < link.bits_per_s < 1.3 * most, link
    primary = result.primary
    assert primary is not None
    assert primary.unit == "bit/s"
    assert primary.better == "higher"
    assert [metric.name for metric in result.metrics][:3] == ["one way", "both ways", "all at once"]
    (warning,) = (one for one in found(run, "slow-pair") if "one way" in one.text)
    assert "all that h3 sends or receives is slow" in warning.text
    assert "the slow pair is" in done.stdout
    timed = run.latencies.to_pylist()
    assert {row["operation"] for row in timed} == {"round trip, idle", "round trip, all at once"}
    assert {row["host"] for row in timed} == set(HOSTS)
    page = (path / "report.html").read_text()
    assert 'id="links-network-one-way"' in page
    assert 'id="latencies-network"' in page
    assert hosts.at_work() == []


def test_a_port_that_is_dead_fails_the_run_and_is_named(hosts: OwnHosts, tmp_path: Path) -> None:
    hosts.port("h2", "down")
    try:
        # One round contains every host, so a dead port costs the fewest timeouts.
        done = howdah(*arguments(hosts, "--rounds", "1", "--pairs-at-once", "2"), cwd=tmp_path)
    finally:
        hosts.port("h2", "up")
    assert hosts.at_work() == []
    assert done.returncode == 1
    assert "nothing goes from" in done.stderr
    assert "h2" in done.stderr
    (path,) = (tmp_path / "runs").glob("2*")
    (result,) = read_run(path).record.workloads
    broken = [link for link in result.links if link.error is not None]
    assert all("h2" in (link.source, link.target) for link in broken)
    # What the others carry was measured all the same.
    assert len([link for link in result.links if link.how == "one way" and link.error is None]) == 2


def test_runs_are_compared_by_what_they_carry(hosts: OwnHosts, tmp_path: Path) -> None:
    for streams in ("1", "8"):
        one = ("--rounds", "1", "--streams", streams, "--pairs-at-once", "2")
        assert howdah(*arguments(hosts, *one), cwd=tmp_path).returncode == 0
    compared = howdah("compare", *sorted(path.name for path in (tmp_path / "runs").glob("2*")), cwd=tmp_path)
    assert compared.returncode == 0, compared.stderr
    assert "one way" in compared.stdout
    assert "streams" in compared.stdout


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_stopped_leaves_a_record_and_no_program(
    hosts: OwnHosts, tmp_path: Path, stop: signal.Signals
) -> None:
    line = [HOWDAH, *arguments(hosts, "--seconds", "20")]
    with subprocess.Popen(line, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE) as process:
        end = time.monotonic() + PATIENCE_S
        while not any("--client" in words for words in hosts.at_work()):
            assert time.monotonic() < end
            time.sleep(0.1)
        process.send_signal(stop)
        process.wait(PATIENCE_S)
    end = time.monotonic() + PATIENCE_S
    while hosts.at_work() and time.monotonic() < end:
        time.sleep(0.1)
    assert hosts.at_work() == []
    (path,) = (tmp_path / "runs").glob("2*")
    assert read_run(path).record.outcome is Outcome.ABORTED


def refused(cwd: Path, *words: str | Path) -> str:
    done = howdah(*words, cwd=cwd)
    assert done.returncode == 2, done.stdout + done.stderr
    assert not (cwd / "runs").exists()
    return done.stderr


def test_what_cannot_be_measured_is_refused(hosts: OwnHosts, tmp_path: Path) -> None:
    plan: list[str | Path] = ["run", "network", "--plan", hosts.plan_file]
    assert "does not contain {host}" in refused(tmp_path, *plan, "--reach", "ssh h1")
    assert "names hosts, but no option gives a command to reach them" in refused(tmp_path, *plan)
    assert "give --plan FILE" in refused(tmp_path, "run", "network", "--reach", "ssh {host}")
    unknown = refused(tmp_path, *plan, "--reach", f"sh {hosts.folder / 'reach.sh'} other-{{host}}")
    assert "host h1: cannot run a command: no such host: other-h1" in unknown
    missing = refused(tmp_path, *plan, "--reach", "env PATH=/nowhere /usr/bin/env {host}")
    assert "host h1" in missing
    assert "--engine local does not run network" in refused(tmp_path, "run", "network", "--engine", "local")


def test_a_host_without_iperf3_is_named(hosts: OwnHosts, tmp_path: Path) -> None:
    bare = tmp_path / "bin"
    bare.mkdir()
    for name in ("timeout", "ping", "sh", "ip", "unshare", "mount", "hostname", "nsenter"):
        where = shutil.which(name)
        assert where is not None
        (bare / name).symlink_to(where)
    reach = f"env PATH={bare} {hosts.reach}"
    said = refused(tmp_path, "run", "network", "--plan", hosts.plan_file, "--reach", reach)
    assert "has no iperf3" in said


def test_it_is_written_as_json(hosts: OwnHosts, tmp_path: Path) -> None:
    done = howdah(*arguments(hosts, "--rounds", "1", "--pairs-at-once", "2", "--json"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)["run"]["workloads"]
    assert result["links"][0]["bits_per_s"] > 0
    assert result["metrics"][0]["unit"] == "bit/s"
