"""Regions of HBase 2.6.4 as its RegionServer tells of them."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from pathlib import Path

from howdah.services.web import Web
from howdah.telemetry.daemons import region_source
from support.serving import Answer, serving

BEAN = Path(__file__).parents[2] / "data/hbase-2.6.4/regions.json"
PLACE = "Namespace_default_table_usertable_region_{}_metric_{}RequestCount"
FIRST, OPENED = "66d0a81a814be72071ffeceaabcf252c", "0123456789abcdef0123456789abcdef"


def test_rows_are_counted_by_region_and_those_opened_later_from_zero() -> None:
    bean = json.loads(BEAN.read_text())

    def answer(_path: str, query: dict[str, str]) -> Answer:
        beans = [bean] if fnmatchcase(bean["name"], query["qry"]) else []
        return Answer(json.dumps({"beans": beans}))

    with serving(answer) as port, Web(silence_s=1.0) as web:
        source = region_source("w1", f"http://127.0.0.1:{port}", web)
        (device,) = source.devices
        device.start()
        first = dict(device.tick())
        bean[PLACE.format(FIRST, "read")] += 30
        bean[PLACE.format(FIRST, "write")] += 12
        bean[PLACE.format(OPENED, "write")] = 7
        last = dict(device.tick())
    assert source.interval_s == 10
    assert set(first.values()) == {0.0}
    assert len(first) == 5, "HBase's own tables are left out"
    assert last["region/usertable 66d0a81a/requests"] == 42
    assert last["region/usertable 01234567/requests"] == 7
    assert device.label == "the regions of the RegionServer"
