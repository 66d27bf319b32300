"""Forty inventories of 2012 to 2026, of one host to two thousand, mixed and hostile ones among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from howdah.model.inventory import Inventory
from howdah.model.request import Demand, PlanRequest, Protection, WorkKind


class Hosts(NamedTuple):
    """Some hosts that are alike, as an administrator would tell a colleague of them."""

    many: int
    sockets: int
    cores: int
    """Of a socket."""
    threads: int
    """Of a core."""
    memory: str
    disks: tuple[tuple[int, str, str], ...]
    """How many for data, of which kind and size."""
    network: str = "10GbE"
    racks: int = 0
    serves: str = "any"


class Case(NamedTuple):
    """One cluster to be planned."""

    name: str
    year: int
    hosts: tuple[Hosts, ...]
    work: tuple[WorkKind, ...] = ("mapreduce",)
    protection: Protection = Protection.NONE
    secure: bool = False
    mean_file_bytes: int | None = None
    refused: str = ""
    """Words of the refusal, where an expert would not plan it at all."""

    @property
    def inventory(self) -> Inventory:
        """The hosts as `howdah plan` reads them."""
        groups = [_group(number, hosts) for number, hosts in enumerate(self.hosts, start=1)]
        return Inventory.model_validate({"howdah": 1, "cluster": "exam", "groups": groups})

    @property
    def request(self) -> PlanRequest:
        """What is asked for."""
        return PlanRequest(
            workloads=tuple(Demand(kind=kind) for kind in self.work),
            protection=self.protection,
            secure=self.secure,
            realm="EXAMPLE.COM" if self.secure else None,
            file_bytes=self.mean_file_bytes,
        )


def _group(number: int, hosts: Hosts) -> dict[str, Any]:
    disks: list[dict[str, Any]] = [
        {"count": count, "kind": kind, "size": size, "role": "data"} for count, kind, size in hosts.disks
    ]
    group: dict[str, Any] = {
        "name": f"g{number}",
        "count": hosts.many,
        "hosts": [f"g{number}-[0001-{hosts.many:04d}].example.com"],
        "cpu": {
            "sockets": hosts.sockets,
            "cores_per_socket": hosts.cores,
            "threads_per_core": hosts.threads,
        },
        "memory": hosts.memory,
        "disks": [*disks, {"count": 2, "kind": "ssd", "size": "480GB", "role": "system"}],
        "nics": [{"count": 1, "speed": hosts.network}],
        "serves": hosts.serves,
    }
    if hosts.racks:
        group["racks"] = [f"r{rack}" for rack in range(1, hosts.racks + 1)]
    return group


def _hdd(count: int, size: str) -> tuple[tuple[int, str, str], ...]:
    return ((count, "hdd", size),)


def _nvme(count: int, size: str) -> tuple[tuple[int, str, str], ...]:
    return ((count, "nvme", size),)


_MIB = 1024**2
_HBASE: tuple[WorkKind, ...] = ("ycsb",)
_ALL: tuple[WorkKind, ...] = ("mapreduce", "spark", "tez", "ycsb")
_2012 = Hosts(20, 2, 4, 2, "48GiB", _hdd(12, "2TB"), "1GbE")
_2015 = Hosts(40, 2, 10, 2, "256GiB", _hdd(12, "4TB"), racks=2)
_2018 = Hosts(60, 2, 16, 2, "384GiB", _hdd(12, "8TB"), "25GbE", racks=3)
_2022 = Hosts(48, 2, 32, 2, "768GiB", _hdd(24, "16TB"), "25GbE", racks=4)
_2024 = Hosts(12, 2, 32, 2, "512GiB", _nvme(24, "7.68TB"), "100GbE")
_2026 = Hosts(16, 2, 96, 2, "1536GiB", _nvme(16, "15.36TB"), "100GbE", racks=4)

CASES: Sequence[Case] = (
    Case("a rack of 2012", 2012, (_2012,)),
    Case("a rack of 2012 with HBase", 2012, (_2012,), _HBASE),
    Case("dual quad-cores with 24 GiB", 2012, (Hosts(8, 2, 4, 1, "24GiB", _hdd(6, "1TB"), "1GbE"),)),
    Case("old hosts with four disks", 2013, (Hosts(100, 2, 6, 2, "64GiB", _hdd(4, "3TB"), racks=5),)),
    Case("two racks of 2015", 2015, (_2015,)),
    Case("two racks of 2015, redundant", 2015, (_2015,), protection=Protection.HA),
    Case("two racks of 2015 for Spark", 2015, (_2015,), ("spark",)),
    Case(
        "dense storage of 2016", 2016, (Hosts(30, 2, 8, 2, "128GiB", _hdd(36, "8TB"), racks=3),), ("storage",)
    ),
    Case("three racks of 2018", 2018, (_2018,), protection=Protection.HA),
    Case("three racks of 2018, everything", 2018, (_2018,), _ALL, Protection.HA),
    Case("three racks of 2018 with Kerberos", 2018, (_2018,), protection=Protection.HA, secure=True),
    Case("Hive on three racks of 2018", 2018, (_2018,), ("tez", "mapreduce"), Protection.HA),
    Case("SSDs of 2019", 2019, (Hosts(10, 2, 12, 2, "192GiB", ((8, "ssd", "1.92TB"),), "25GbE"),)),
    Case("SSDs of 2019 with HBase", 2019, (Hosts(10, 2, 12, 2, "192GiB", ((8, "ssd", "1.92TB"),)),), _HBASE),
    Case("one socket of 2020", 2020, (Hosts(24, 1, 32, 2, "256GiB", _hdd(12, "14TB"), "25GbE", racks=2),)),
    Case("one socket without SMT", 2021, (Hosts(24, 1, 80, 1, "512GiB", _nvme(8, "3.84TB"), "100GbE"),)),
    Case("four racks of 2022", 2022, (_2022,), protection=Protection.HA),
    Case("four racks of 2022 with HBase and Spark", 2022, (_2022,), ("spark", "ycsb"), Protection.HA),
    Case(
        "four racks of 2022, small files", 2022, (_2022,), protection=Protection.HA, mean_file_bytes=8 * _MIB
    ),
    Case(
        "four racks of 2022, large files",
        2022,
        (_2022,),
        protection=Protection.HA,
        mean_file_bytes=512 * _MIB,
    ),
    Case("NVMe of 2024", 2024, (_2024,)),
    Case("NVMe of 2024 with HBase", 2024, (_2024,), _HBASE, Protection.HA),
    Case("NVMe of 2024 for Spark", 2024, (_2024,), ("spark",), Protection.HA),
    Case("NVMe of 2026", 2026, (_2026,), protection=Protection.HA),
    Case("NVMe of 2026 for everything", 2026, (_2026,), _ALL, Protection.HA),
    Case("NVMe of 2026 with HBase alone", 2026, (_2026,), _HBASE, Protection.HA),
    Case("one host", 2020, (Hosts(1, 1, 16, 2, "128GiB", _hdd(4, "8TB")),)),
    Case("two hosts", 2020, (Hosts(2, 2, 8, 2, "128GiB", _hdd(8, "4TB")),)),
    Case("three hosts", 2020, (Hosts(3, 2, 8, 2, "128GiB", _hdd(8, "4TB")),)),
    Case(
        "three hosts, redundant",
        2020,
        (Hosts(3, 2, 8, 2, "128GiB", _hdd(8, "4TB")),),
        protection=Protection.HA,
    ),
    Case(
        "five hosts with HBase", 2020, (Hosts(5, 2, 8, 2, "128GiB", _hdd(8, "4TB")),), ("mapreduce", "ycsb")
    ),
    Case("seven hosts", 2011, (Hosts(7, 2, 6, 2, "96GiB", _hdd(10, "500GB")),)),
    Case("five hundred hosts", 2018, (_2018._replace(many=500, racks=25),), protection=Protection.HA),
    Case("two thousand hosts", 2018, (_2018._replace(many=2000, racks=50),), protection=Protection.HA),
    Case(
        "hosts for masters apart",
        2022,
        (
            _2022._replace(serves="workers"),
            Hosts(3, 2, 16, 2, "384GiB", ((4, "ssd", "1.92TB"),), "25GbE", racks=3, serves="masters"),
        ),
        protection=Protection.HA,
    ),
    Case(
        "old and new hosts",
        2022,
        (_2015._replace(many=20), _2022._replace(many=20)),
        protection=Protection.HA,
    ),
    Case("one disk a host", 2019, (Hosts(12, 1, 8, 2, "64GiB", _hdd(1, "12TB")),)),
    Case(
        "twelve hosts on 1GbE with 24 disks", 2014, (Hosts(12, 2, 8, 2, "128GiB", _hdd(24, "4TB"), "1GbE"),)
    ),
    Case(
        "hosts without memory for a task",
        2010,
        (Hosts(6, 1, 2, 1, "4GiB", _hdd(2, "1TB")),),
        refused="memory",
    ),
    Case(
        "nobody may serve as a master",
        2020,
        (Hosts(6, 1, 8, 2, "64GiB", _hdd(4, "4TB"), serves="workers"),),
        refused="masters",
    ),
)
