"""The beans and the logs of a real HBase, stand-alone: its master and its RegionServer in one process."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from howdah.installation.java_programs import gc_log_option
from howdah.services.web import Web
from howdah.telemetry.beans import beans_of
from howdah.telemetry.daemons import daemon_source, pauses, region_events, region_source
from howdah.telemetry.device import Away, Device
from support.daemons import FETCH, HBASE_LIB, ROOT, Daemons, bean, change_properties
from support.ports import free_ports

CLIENT = ROOT / "tests/data/hbase/PutGetScan.java"
pytestmark = pytest.mark.skipif(not HBASE_LIB.exists(), reason=f"HBase's jars are not there: {FETCH}")

ROWS = 500
READY = "masterFinishedInitializationTime"


def _configured(root: Path) -> tuple[Path, dict[str, int]]:
    """A configuration below ``root``, and its ports."""
    conf = root / "conf"
    conf.mkdir()
    keys = (
        *("hbase.master.info.port", "hbase.master.port", "hbase.regionserver.port"),
        *("hbase.regionserver.info.port", "hbase.zookeeper.property.clientPort"),
    )
    port = dict(zip(keys, free_ports(len(keys)), strict=True))
    change_properties(
        conf / "hbase-site.xml",
        {
            "hbase.rootdir": f"file://{root}/hbase",
            "hbase.tmp.dir": f"{root}/tmp",
            "hbase.zookeeper.property.dataDir": f"{root}/zookeeper",
            "hbase.wal.provider": "filesystem",
            "hbase.unsafe.stream.capability.enforce": "false",
            # Without this a RegionServer of the same process has no page of its own.
            "hbase.localcluster.assign.random.ports": "false",
            **{key: str(number) for key, number in port.items()},
        },
    )
    (conf / "hadoop-metrics2-hbase.properties").write_text("*.period=1\n")
    return conf, port


def _is_ready(port: int) -> bool | None:
    master: dict[str, Any] = bean(port, "name=Master,sub=Server") or {}
    return True if master.get(READY, 0) > 0 and master.get("numRegionServers") else None


def _device(daemon: str, port: int, web: Web) -> Device:
    (device,) = daemon_source("w1", daemon, f"http://127.0.0.1:{port}", web).devices
    device.start()
    return device


def _numbers(device: Device) -> dict[str, float]:
    """The numbers of one daemon; none where it does not answer in time."""
    try:
        return dict(device.tick())
    except Away:
        return {}


def _every_number(*devices: Device) -> dict[str, float] | None:
    """The numbers of these daemons, once they have all of them and no others.

    HBase registers a bean before it makes its numbers, and until ``*.period`` is over Hadoop shows a bean
    as it was when it was registered.
    """
    numbers = {metric: value for device in devices for metric, value in _numbers(device).items()}
    expected = {
        number.metric for device in devices for bean in beans_of(device.name) for number in bean.numbers
    }
    return numbers if set(numbers) == expected else None


def test_a_real_hbase_has_every_number_and_tells_what_it_did(tmp_path: Path) -> None:
    conf, port = _configured(tmp_path)
    log = tmp_path / "gc.log"
    page = port["hbase.master.info.port"]
    options = ["-Xmx512m", "-Xss512k", "-XX:+UseG1GC", gc_log_option(str(log))]
    start_epoch_s = time.time()
    with Daemons(conf, tmp_path / "logs", lib=HBASE_LIB) as hbase, Web(silence_s=5.0) as web:
        hbase.start("hbase", "org.apache.hadoop.hbase.master.HMaster", "start", options=options)
        hbase.wait("HBase", lambda: _is_ready(page))
        master, server = _device("hmaster", page, web), _device("regionserver", page, web)
        first = hbase.wait("every number", lambda: _every_number(master, server))
        (regions,) = region_source("w1", f"http://127.0.0.1:{page}", web).devices
        regions.tick()
        assert f"got value {ROWS // 2}" in hbase.run(str(CLIENT), str(ROWS))

        def grown() -> dict[str, float] | None:
            now = _numbers(server)
            return (
                now
                if now.get("regionserver/flushes") and now["regionserver/mutate_requests"] >= ROWS
                else None
            )

        last = hbase.wait("the numbers", grown)
        # The one region of the client's table was made after the first look.
        (rows,) = hbase.wait("the region", lambda: [one.value for one in regions.tick()] or None)
    assert rows >= ROWS
    assert first["hmaster/live_regionservers"] == 1
    assert ROWS <= last["regionserver/mutate_requests"] <= ROWS + 20
    # The tables of regions, and the master's own store in the same process, are written to as well.
    assert ROWS <= last["regionserver/wal_appends"] <= ROWS + 100
    assert last["regionserver/wal_written_bytes"] > ROWS * 10
    assert last["regionserver/regions"] >= 2
    told = list(pauses(log.read_text().splitlines(), "w1", "regionserver", start_epoch_s))
    assert told
    assert all(0 < event.start_s <= event.end_s < time.time() - start_epoch_s for event in told)
    lines = (tmp_path / "logs/hbase.log").read_text(errors="replace").splitlines()
    flushes = [
        one for one in region_events(lines, "w1", "regionserver", start_epoch_s) if one.kind == "flush"
    ]
    assert any((one.bytes or 0) > ROWS * 10 for one in flushes)
