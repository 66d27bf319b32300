"""Which platform comes first, and what speaks for and against each."""

from __future__ import annotations

import pytest

from howdah.model.inventory import HostGroup
from howdah.model.plan import Candidate
from howdah.model.request import Demand, Hypervisor, PlanRequest, Profile, Protection
from howdah.planner.platforms.candidates import weigh
from support.hosts import host_group

YCSB = (Demand(kind="ycsb"),)
STUDY = PlanRequest(weigh_virtual=True, profile=Profile.PAPER)
"""What the studies measured holds for what they measured: spinning disks, in their releases."""
VSPHERE = PlanRequest(hypervisor=Hypervisor.VSPHERE)


@pytest.mark.parametrize(
    ("hosts", "request_", "first"),
    [
        pytest.param(host_group(), STUDY, "4 per host", id="vsphere6"),
        pytest.param(
            host_group(count=24, cores=4, memory="72GiB", disks=12),
            PlanRequest(protection=Protection.FT),
            "4 per host",
            id="fault-tolerance",
        ),
        pytest.param(
            host_group(count=7, cores=6, memory="96GiB", disks=10), VSPHERE, "2 per host", id="seven-nodes"
        ),
        pytest.param(
            host_group(sockets=4, memory="512GiB", disks=40), STUDY, "8 per host", id="four-sockets"
        ),
        pytest.param(
            host_group(sockets=4, memory="512GiB", disks=24),
            STUDY,
            "8 per host",
            id="four-sockets-24",
        ),
        pytest.param(host_group(count=31, memory="384GiB", disks=24), STUDY, "4 per host", id="24-disks"),
        pytest.param(
            host_group(cores=8, memory="128GiB", disks=13),
            STUDY,
            "3 small + 1 large per host",
            id="13-disks",
        ),
        pytest.param(
            host_group(cores=8, memory="128GiB", disks=7), VSPHERE, "1 small + 1 large per host", id="7-disks"
        ),
        pytest.param(
            host_group(cores=64, memory="1TiB", disks=8, kind="nvme"), PlanRequest(), "native", id="nvme"
        ),
        pytest.param(
            host_group(sockets=1, cores=8, memory="64GiB", disks=4), PlanRequest(), "native", id="small"
        ),
        pytest.param(host_group(), PlanRequest(hypervisor=Hypervisor.NONE), "native", id="no-hypervisor"),
        pytest.param(
            host_group(cores=6, memory="80GiB", disks=6),
            PlanRequest(workloads=YCSB, hypervisor=Hypervisor.VSPHERE),
            "1 per host",
            id="hbase-vsphere",
        ),
        pytest.param(
            host_group(cores=6, memory="80GiB", disks=6),
            PlanRequest(workloads=YCSB, weigh_virtual=True),
            "native",
            id="hbase-undecided",
        ),
    ],
)
def test_first(hosts: HostGroup, request_: PlanRequest, first: str) -> None:
    best = weigh(hosts, request_)[0]
    assert (best.platform, best.verdict) == (first, "recommended")


# Table 2 of the vSphere 6 paper: TeraSort of 30 TB, seconds.
TERASORT_S = {"native": 3825, "1 per host": 4292, "2 per host": 3568, "4 per host": 3355}


@pytest.mark.parametrize("platform", TERASORT_S)
def test_scores_add_up_to_what_table_2_measured(platform: str) -> None:
    scores = {one.platform: one.score for one in weigh(host_group(), STUDY)}
    measured = TERASORT_S[platform] / TERASORT_S["4 per host"] - 1
    assert scores["4 per host"] - scores[platform] == pytest.approx(measured, abs=0.03)


def said(candidate: Candidate, verdict: str) -> dict[str, str]:
    return {one.rule: one.text for one in candidate.judgements if one.verdict == verdict}


def test_the_best_says_what_speaks_for_it_with_its_numbers() -> None:
    best = weigh(host_group(), STUDY)[0]
    told = said(best, "for")
    assert told["platform.fits-numa-node"] == "fits a NUMA node: 10 of 20 threads, 60.25 GiB of 128 GiB"
    assert told["platform.few-disks"] == "5 data disks for a DataNode: at most 5 is best"
    assert told["platform.workers-per-socket"] == "4 workers on 2 sockets: 2 to 10 are good, 4 the best"


def test_the_others_say_what_speaks_against_them() -> None:
    against = {one.platform: said(one, "against") for one in weigh(host_group(), STUDY)}
    assert "50 % of its memory is remote" in against["native"]["platform.fits-numa-node"]
    assert "20 data disks" in against["native"]["platform.few-disks"]
    assert "12 % longer than native" in against["1 per host"]["platform.one-vm"]
    assert "only with preferHT: 20 vCPUs, 10 cores" in against["2 per host"]["platform.prefer-ht"]
    assert "25 % more than the mean" in against["4 small + 4 large per host"]["platform.alike"]
    assert "one slot" in against["20 per host"]["platform.slots-to-tune"]
    assert "about 8.9 % more blocks" in against["20 per host"]["platform.replica-balance"]
    assert "2 vCPUs and 12.05 GiB" in against["20 per host"]["platform.master-place"]


def test_kvm_binds_where_vsphere_prefers_threads() -> None:
    candidates = weigh(host_group(), PlanRequest(hypervisor=Hypervisor.KVM))
    two = next(one for one in candidates if one.platform == "2 per host")
    assert "only bound to it" in said(two, "against")["platform.prefer-ht"]


def test_a_score_is_the_sum_of_its_weights() -> None:
    mix = PlanRequest(weigh_virtual=True, workloads=(Demand(kind="terasuite"), Demand(kind="ycsb")))
    for candidate in (*weigh(host_group(), STUDY), *weigh(host_group(), mix)):
        assert candidate.score == pytest.approx(sum(one.weight for one in candidate.judgements), abs=1e-4)
