"""Whole plans made by hand, with everything a page or a terminal can be asked to show."""

from __future__ import annotations

from howdah.model.inventory import Inventory
from howdah.model.plan import (
    Advice,
    Breach,
    Candidate,
    Capacity,
    Cluster,
    ClusterPlan,
    Input,
    Judgement,
    Layout,
    Master,
    Placement,
    Rack,
    Role,
    Setting,
    Topology,
    Year,
)
from howdah.model.request import Demand, Growth, Hypervisor, Override, PlanRequest, Protection
from howdah.report.plan.content import Cited, Grounds, RuleText
from howdah.units import GIB
from support.plans import group, kind, setting

GROUNDS = Grounds(
    rules={
        "hdfs.block-size": RuleText("Blocks of 256 MiB.", "The papers' default was 64 MB."),
        "platform.few-disks": RuleText("A DataNode has few disks."),
        "platform.replica-balance": RuleText("Blocks are spread evenly."),
        "masters.places": RuleText("Masters have places of their own."),
        "memory.worker-share": RuleText("Workers share what is not held back."),
    },
    sources={
        "D0 49": Cited("D0 49", "Virtualized Hadoop Performance (2015)", "HDFS block 256 MiB."),
        "X7": Cited("X7", "howdah: where the papers disagree", "Block: 256 MiB."),
    },
)


def _for(rule: str, text: str) -> Judgement:
    return Judgement(rule=rule, verdict="for", text=text)


def _against(rule: str, text: str, weight: float) -> Judgement:
    return Judgement(rule=rule, verdict="against", text=text, weight=-weight)


def _candidate(per_host: int, *judgements: Judgement, best: bool = False) -> Candidate:
    return Candidate(
        group="workers",
        platform="native" if per_host == 1 else f"{per_host} per host",
        verdict="recommended" if best else "possible",
        workers=max(6, 8 * per_host - 4),
        kinds=(kind(per_host=per_host),),
        score=sum(one.weight for one in judgements),
        judgements=judgements,
    )


def _master(name: str, role: Role, shadow: str | None = None) -> Master:
    return Master(
        name=name,
        address=f"w1-{name}.example.com",
        roles=(role,),
        host="w1.example.com",
        takes=("worker",),
        vcpus=10,
        memory_bytes=60 * GIB,
        shadow_host=shadow,
        rule="masters.places",
        reason="has a place to itself",
    )


SETTINGS: tuple[Setting, ...] = (
    Setting(
        key="worker.memory",
        value=60 * GIB,
        reason="241 GiB for workers, shared by 4",
        source="D0 16, D0 20",
        rule="memory.worker-share",
        inputs=(
            Input(name="memory for workers of a host", value=241 * GIB, unit="B"),
            Input(name="workers on a host", value=4),
        ),
    ),
    setting(
        "dfs.blocksize",
        128 * 2**20,
        "hdfs-site.xml",
        reason="given by the user",
        source="command line",
        rule="hdfs.block-size",
        origin="user",
        breaks=(Breach(rule="hdfs.block-size", says="Blocks of 256 MiB. Here: 268435456."),),
    ),
    setting(
        "dfs.replication", 3, "hdfs-site.xml", reason="a lost host leaves two replicas", source="D0 49, X7"
    ),
    setting("mapreduce.map.memory.mb", 2048, "mapred-site.xml"),
    setting("mapreduce.map.java.opts", "-Xmx1600m", "mapred-site.xml"),
    setting("mapreduce.reduce.memory.mb", 3072, "mapred-site.xml"),
    setting("mapreduce.reduce.java.opts", "-Xmx2400m", "mapred-site.xml"),
    setting("yarn.nodemanager.resource.memory-mb", 28672, "yarn-site.xml"),
    setting("yarn.nodemanager.local-dirs", ("/data/01/yarn", "/data/02/yarn"), "yarn-site.xml"),
    setting("YARN_NODEMANAGER_OPTS", "-Xms1600m -Xmx1600m -XX:+UseG1GC", "yarn-env.sh"),
    setting("HDFS_DATANODE_OPTS", "-Xmx1g", "hadoop-env.sh"),
)


def eight_hosts() -> ClusterPlan:
    """Eight hosts of four workers, masters with shadows, a value of the user's, growth beyond the disks."""
    hosts = ("w[1-8].example.com",)
    candidates = (
        _candidate(
            4,
            _for("platform.few-disks", "5 data disks for a DataNode: at most 5 is best"),
            _against("platform.replica-balance", "the fullest holds about 4 % more blocks", 0.0144),
            best=True,
        ),
        _candidate(
            2,
            _against("platform.few-disks", "10 data disks for one DataNode", 0.05),
            _against("platform.replica-balance", "the fullest holds about 3 % more blocks", 0.0102),
        ),
        _candidate(1, _against("platform.hypervisor", "a hypervisor is at hand", 1.0)),
        Candidate(
            group="workers",
            platform="3, 5 per host",
            verdict="refused",
            workers=0,
            kinds=(),
            score=0.0,
            judgements=(
                Judgement(rule="platform.numa-divide", verdict="refused", text="a worker would straddle"),
            ),
        ),
    )
    worker = kind(per_host=4)
    return ClusterPlan(
        platform="4 per host",
        workers=(worker,),
        settings=SETTINGS,
        cluster=Cluster(
            request=PlanRequest(
                workloads=(Demand(kind="terasuite", dataset_bytes=30 * 10**12),),
                hypervisor=Hypervisor.VSPHERE,
                protection=Protection.FT,
                overrides=(Override(key="dfs.blocksize", value="128MiB"),),
                growth=Growth(need_bytes=20 * 10**12, per_year=0.4, years=2),
            ),
            inventory=Inventory(cluster="sample", groups=(group(count=8, hosts=hosts),)),
            layouts=(Layout(group="workers", platform="4 per host", virtual=True, workers=("worker",) * 4),),
            masters=(
                _master("nn1", Role.NAMENODE, "w2.example.com"),
                _master("rm1", Role.RESOURCEMANAGER, "w2.example.com"),
            ),
            topology=Topology(
                placement=Placement.NODE_GROUPS,
                real_racks=False,
                racks=(
                    Rack(name="rack-1", hosts=("w[1-4].example.com",)),
                    Rack(name="rack-2", hosts=("w[5-8].example.com",)),
                ),
                reason="every host is a node group",
            ),
            candidates=candidates,
            capacity=Capacity(
                raw_bytes=84 * 10**12,
                usable_bytes=24 * 10**12,
                bytes_per_host=3 * 10**12,
                years=tuple(
                    Year(
                        year=year,
                        need_bytes=need * 10**12,
                        hosts=hosts_needed,
                        first_full="disks",
                        fill={"disks": need / 24, "NameNode heap": 0.1},
                    )
                    for year, need, hosts_needed in ((0, 20, 7), (1, 28, 10), (2, 39, 14))
                ),
                hosts_needed=14,
                group="workers",
            ),
            advice=(
                Advice(rule="disks.spare", severity="may", text="Keep a spare disk.", source="D0 49"),
                Advice(rule="os.clocks", severity="must", text="Keep all clocks in step.", source="howdah"),
            ),
        ),
    )
