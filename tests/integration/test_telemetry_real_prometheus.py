"""A real Prometheus with a real node_exporter, where Debian's packages are installed."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

import pytest

from howdah.services.web import Web
from howdah.telemetry.importers.prometheus import parse_query, read_prometheus
from howdah.telemetry.importers.stretch import Machines, Window, onto_run
from support.patience import PATIENCE_S
from support.ports import free_ports

pytestmark = pytest.mark.skipif(
    not (shutil.which("prometheus") and shutil.which("prometheus-node-exporter")),
    reason="prometheus and prometheus-node-exporter are not installed",
)

_CONFIGURATION = """\
global:
  scrape_interval: 1s
scrape_configs:
- job_name: node
  static_configs:
  - targets: ['127.0.0.1:{exporter}']
    labels: {{instance: 'w1.example.com:9100'}}
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a server that has scraped a few times."""
    exporter, port = free_ports(2)
    (tmp_path / "prometheus.yml").write_text(_CONFIGURATION.format(exporter=exporter))
    commands = (
        ["prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{exporter}"],
        [
            "prometheus",
            f"--config.file={tmp_path / 'prometheus.yml'}",
            f"--storage.tsdb.path={tmp_path / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
        ],
    )
    with ExitStack() as stack:
        for command in commands:
            log = stack.enter_context((tmp_path / f"{command[0]}.log").open("wb"))
            process = subprocess.Popen(command, stdout=log, stderr=log)
            stack.callback(process.wait, 20)
            stack.callback(process.terminate)
        url = f"http://127.0.0.1:{port}"
        _wait_for_scrapes(url, 4)
        yield url


def _wait_for_scrapes(url: str, count: int) -> None:
    query = quote("max(count_over_time(node_uname_info[10m]))")
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"{url}/api/v1/query?query={query}", timeout=5) as answer:
                result = json.load(answer)["data"]["result"]
        except OSError:
            result = []
        if result and int(result[0]["value"][1]) >= count:
            return
        time.sleep(0.3)
    raise AssertionError(f"no {count} scrapes at {url} in 60 s")


def test_what_a_server_scraped_is_what_the_kernel_says(server: str) -> None:
    window = Window(time.time() - 300, 300.0)
    with Web() as web:
        imported = read_prometheus(
            server,
            [parse_query('namenode/blocks=up{job="node"}')],
            web,
            Machines(("w1.example.com", "w2.example.com")),
            window,
        )
    assert {one.machine for one in imported.stretches} == {"w1.example.com"}
    samples = onto_run(imported.stretches, window)
    cpus = {row.metric.split("/")[1] for row in samples if row.metric.startswith("cpu/")}
    lines = Path("/proc/stat").read_text().splitlines()
    assert cpus == {line.split()[0][3:] for line in lines if line[:3] == "cpu" and line[3] != " "}
    # Every CPU's times add up to the time between the first scrape and the last, kernel's ticks aside.
    times = sorted({row.time_s for row in samples if row.metric == "cpu/0/idle_s"})
    last = {row.metric: row.value for row in samples}
    used = sum(value for metric, value in last.items() if metric.startswith("cpu/0/"))
    assert used == pytest.approx(times[-1] - times[0], rel=0.2, abs=0.5)
    assert last["memory/available_bytes"] > 0
    assert last["namenode/blocks"] == 1
