"""A rendered plan holds against its own rules; what is changed, taken away or added is found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from howdah.audit.audit import audit
from howdah.audit.folder import known_releases, read_folders
from howdah.documents.files import read_inventory
from howdah.model.existing import Check, CheckVerdict
from howdah.model.host import Host
from howdah.model.inventory import Inventory
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.render.cluster import render
from support.faults import Exhibit

EXAMPLES = Path(__file__).parents[3] / "examples"
MIX = (Demand(kind="terasuite"), Demand(kind="ycsb"))

PLANS = {
    "native": ("hosts-32", PlanRequest(hypervisor=Hypervisor.NONE)),
    "vsphere-ha": ("hosts-32", PlanRequest(hypervisor=Hypervisor.VSPHERE, protection=Protection.HA)),
    "kvm-secure": ("hosts-mixed", PlanRequest(hypervisor=Hypervisor.KVM, secure=True, realm="EXAMPLE.COM")),
    "nvme-mix": ("hosts-nvme", PlanRequest(hypervisor=Hypervisor.NONE, workloads=MIX)),
    "hbase": ("hosts-hbase", PlanRequest(hypervisor=Hypervisor.VSPHERE, workloads=(Demand(kind="ycsb"),))),
    "small": ("hosts-7", PlanRequest()),
}


@pytest.fixture(params=PLANS)
def plan(request: pytest.FixtureRequest) -> ClusterPlan:
    return _plan(request.param)


def _plan(name: str) -> ClusterPlan:
    inventory, request = PLANS[name]
    return plan_cluster(read_inventory(EXAMPLES / f"{inventory}.yaml"), request)


def _write(plan: ClusterPlan, folder: Path) -> list[Path]:
    """The rendered files; the directories that hold configurations of Hadoop and HBase."""
    for file in render(plan).files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.content)
    hadoop = sorted(folder.glob("hadoop-*")) or [folder / "hadoop"]
    return [hadoop[0], *([folder / "hbase"] if (folder / "hbase").is_dir() else [])]


def _checks(plan: ClusterPlan, folders: list[Path]) -> tuple[Check, ...]:
    return audit(read_folders(folders), [], plan, known_releases(None, plan, None)).checks


def _drifts(checks: tuple[Check, ...]) -> list[tuple[str, str]]:
    return [(check.rule, check.about) for check in checks if check.rule.startswith("drift.")]


def test_a_rendered_plan_is_sound(plan: ClusterPlan, tmp_path: Path) -> None:
    found = [
        (check.verdict.value, check.rule, check.about, check.found, check.expected)
        for check in _checks(plan, _write(plan, tmp_path))
        if check.verdict in (CheckVerdict.FAIL, CheckVerdict.WARN)
    ]
    assert found == []


def _edit(path: Path, pattern: str, replacement: str) -> None:
    text, count = re.subn(pattern, replacement, path.read_text(), count=1, flags=re.DOTALL)
    assert count == 1
    path.write_text(text)


def test_drift_is_found_with_what_was_planned(tmp_path: Path) -> None:
    plan = _plan("native")
    folders = _write(plan, tmp_path)
    site = folders[0] / "hdfs-site.xml"
    _edit(site, r"<value>268435456</value>", "<value>128m</value>")
    _edit(site, r"<property>\s*<name>dfs.datanode.data.dir</name>.*?</property>", "")
    _edit(
        site,
        r"</configuration>",
        "<property><name>dfs.ls.limit</name><value>77</value></property></configuration>",
    )
    checks = {check.about: check for check in _checks(plan, folders) if check.rule.startswith("drift.")}
    assert checks["dfs.blocksize"].rule == "drift.changed"
    assert (checks["dfs.blocksize"].found, checks["dfs.blocksize"].expected) == ("128m", "268435456")
    assert checks["dfs.blocksize"].verdict is CheckVerdict.FAIL
    assert checks["dfs.datanode.data.dir"].rule == "drift.missing"
    assert checks["dfs.ls.limit"].rule == "drift.extra"
    assert checks["dfs.ls.limit"].verdict is CheckVerdict.WARN
    assert set(checks) == {"dfs.blocksize", "dfs.datanode.data.dir", "dfs.ls.limit"}


def test_what_is_advised_can_be_copied_into_a_shell(tmp_path: Path) -> None:
    plan = _plan("native")
    folders = _write(plan, tmp_path)
    _edit(folders[0] / "mapred-site.xml", r"<value>-Xmx\d+m</value>", "<value>-Xmx1g $(id)</value>")
    _edit(folders[0] / "hdfs-site.xml", r"(dfs.replication</name>\s*)<value>3<", r"\1<value>2<")
    fixes = {one.about: one.fix for one in _checks(plan, folders) if one.rule == "drift.changed"}
    (options,) = [fix for about, fix in fixes.items() if about.endswith("opts")]
    assert re.search(r"--set '[a-z.-]+opts=-Xmx1g \$\(id\)'$", options)
    assert fixes["dfs.replication"].endswith("or plan with --replication 2")


def test_no_flag_is_advised_for_a_value_that_is_none(tmp_path: Path) -> None:
    plan = _plan("native")
    folders = _write(plan, tmp_path)
    _edit(folders[0] / "hdfs-site.xml", r"<value>268435456</value>", "<value>banana</value>")
    fixes = {one.about: one.fix for one in _checks(plan, folders) if one.rule == "drift.changed"}
    assert "--set" not in fixes["dfs.blocksize"]


def test_no_plan_is_advised_with_a_value_that_breaks_a_rule(tmp_path: Path) -> None:
    plan = _plan("native")
    folders = _write(plan, tmp_path)
    key = "yarn.nodemanager.resource.memory-mb"
    _edit(folders[0] / "yarn-site.xml", rf"({key}</name>\s*<value>)\d+<", r"\g<1>300000<")
    fixes = {check.rule: check.fix for check in _checks(plan, folders) if check.about == key and check.fix}
    assert {"drift.changed", "yarn.memory-of-worker"} <= fixes.keys()
    assert not any("plan with" in fix for fix in fixes.values())


def test_one_quantity_written_in_two_ways_is_no_drift(tmp_path: Path) -> None:
    plan = _plan("native")
    folders = _write(plan, tmp_path)
    _edit(folders[0] / "hdfs-site.xml", r"<value>268435456</value>", "<value>256m</value>")
    assert _drifts(_checks(plan, folders)) == []


def test_a_host_with_less_than_planned_is_found() -> None:
    plan = _plan("native")
    sound = Host.model_validate(Exhibit.sound().host)
    weak = sound.model_copy(update={"cpu": sound.cpu.model_copy(update={"threads": 16})})
    report = audit(None, [weak], plan, known_releases(None, plan, None))
    assert [(check.rule, check.about) for check in report.checks if check.rule == "drift.hardware"] == [
        ("drift.hardware", "threads")
    ]


def test_a_folder_is_taken_for_the_kind_whose_values_it_says_not_for_one_with_defaults(
    tmp_path: Path,
) -> None:
    """One disk tolerates no failure, as the release does; HBase says nothing of either kind's disks."""
    hosts = [
        {
            "name": name,
            "count": 1,
            "cpu": {"sockets": 1, "cores_per_socket": 2},
            "memory": "16GiB",
            "disks": [{"count": disks, "kind": "hdd", "size": size}],
            "nics": [{"count": 1, "speed": "1Gb/s"}],
        }
        for name, disks, size in (("old", 1, "600GB"), ("new", 9, "16TB"))
    ]
    request = PlanRequest(workloads=(Demand(kind="ycsb"),))
    plan = plan_cluster(Inventory.model_validate({"groups": hosts}), request)
    _write(plan, tmp_path)
    assert _drifts(_checks(plan, [tmp_path / "hbase-new-worker"])) == []


def test_the_folder_of_masters_and_clients_need_not_have_what_only_workers_have(tmp_path: Path) -> None:
    plan = plan_cluster(read_inventory(EXAMPLES / "hosts-mixed.yaml"), PlanRequest())
    _write(plan, tmp_path)
    found = {
        (check.rule, check.about)
        for check in _checks(plan, [tmp_path / "hadoop"])
        if check.verdict in (CheckVerdict.FAIL, CheckVerdict.WARN)
    }
    assert found == set()


def test_a_worker_without_one_of_its_values_is_still_found(tmp_path: Path) -> None:
    plan = plan_cluster(read_inventory(EXAMPLES / "hosts-mixed.yaml"), PlanRequest())
    _write(plan, tmp_path)
    site = tmp_path / "hadoop-new-worker" / "yarn-site.xml"
    _edit(site, r"<property>\s*<name>yarn.nodemanager.resource.memory-mb</name>.*?</property>", "")
    assert ("drift.missing", "yarn.nodemanager.resource.memory-mb") in _drifts(_checks(plan, [site.parent]))


def _host(name: str, **changes: object) -> Host:
    record = Host.model_validate(Exhibit.sound().host)
    software = record.software.model_copy(update={"java": changes.pop("java", record.software.java)})
    return record.model_copy(update={"name": name, "software": software, **changes})


@pytest.mark.parametrize(("java", "drifts"), [("17.0.13", False), ("11.0.22", True)])
def test_any_patch_of_the_planned_java_and_higher_limits_are_no_drift(java: str, drifts: bool) -> None:
    plan = _plan("native")
    checks = audit(
        None, [_host("host05.example.com", java=java)], plan, known_releases(None, plan, None)
    ).checks
    about = {check.about for check in checks if check.rule == "drift.changed"}
    assert ("java.version" in about) == drifts
    assert not about & {"nofile", "nproc"}


def test_workers_that_are_missing_or_unknown_are_named(tmp_path: Path) -> None:
    plan = _plan("native")
    folders = _write(plan, tmp_path)
    file = tmp_path / "hadoop" / "workers"
    assert not [check for check in _checks(plan, folders) if check.rule == "drift.workers"]
    names = file.read_text().split()
    file.write_text("\n".join([*names[1:], "stranger.example.com"]))
    said = [check.fix for check in _checks(plan, folders) if check.rule == "drift.workers"]
    assert len(said) == 2
    assert any(names[0] in fix for fix in said)
    assert any("stranger.example.com" in fix for fix in said)


def test_hdfs_of_a_secure_hbase_cluster_checked_by_itself_does_not_fail(tmp_path: Path) -> None:
    inventory = read_inventory(EXAMPLES / "hosts-hbase.yaml")
    work = (Demand(kind="ycsb"),)
    request = PlanRequest(workloads=work, secure=True, realm="EXAMPLE.COM", protection=Protection.HA)
    _write(plan_cluster(inventory, request), tmp_path)
    releases = known_releases(None, None, None)
    checks = audit(read_folders([tmp_path / "hadoop"]), [], None, releases).checks
    assert [check.about for check in checks if check.verdict is CheckVerdict.FAIL] == []
