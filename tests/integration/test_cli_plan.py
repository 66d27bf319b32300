"""`howdah plan` and `howdah plan explain` as a user runs them."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from howdah.documents.files import read_plan
from howdah.model.plan import ClusterPlan
from howdah.report.plan.content import command
from support.command import HOWDAH, environment, howdah, tree

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A directory with an inventory of 32 hosts."""
    shutil.copy(EXAMPLES / "hosts-32.yaml", tmp_path / "hosts.yaml")
    return tmp_path


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a plan in ``plan.yaml`` that holds a value of the user's."""
    place = tmp_path_factory.mktemp("planned")
    shutil.copy(EXAMPLES / "hosts-32.yaml", place / "hosts.yaml")
    done = howdah(
        *("plan", "hosts.yaml", "--hypervisor", "vsphere", "--no-page", "--set", "dfs.blocksize=128MiB"),
        cwd=place,
    )
    assert done.returncode == 0, done.stderr
    return place


def _value(plan: ClusterPlan, key: str) -> object:
    (value,) = {one.value for one in plan.settings if one.key == key}
    return value


def test_a_plan_and_its_page_are_written_and_the_table_shown(here: Path) -> None:
    done = howdah("plan", "hosts.yaml", "--hypervisor", "vsphere", cwd=here)
    assert done.returncode == 0, done.stderr
    assert tree(here) == {"hosts.yaml", "plan.yaml", "plan.html"}
    lines = done.stdout.splitlines()
    assert lines[0] == "Divide each of 32 hosts into 4 workers of 10 vCPUs, 60.25 GiB and 5 disks."
    assert lines[1].startswith("126 workers run ")
    assert re.search(r"^4 per host +126 +10 +60\.25 GiB +5 +5 \+ 5  recommended: ", done.stdout, re.MULTILINE)
    for head in ("refused", "drawback", "masters", "topology", "capacity", "settings", "must", "next"):
        assert any(line.startswith(head) for line in lines), head
    assert (here / "plan.html").read_text(encoding="utf-8").lstrip().startswith("<!doctype html>")


def test_a_second_cluster_is_planned_on_what_the_first_leaves_and_rendered(here: Path) -> None:
    kvm = ("plan", "hosts.yaml", "--hypervisor", "kvm", "--no-page")
    first = howdah(*kvm, "--share", "50%", "-o", "a.yaml", cwd=here)
    assert first.stdout.startswith(
        "Divide each of 32 hosts into 2 workers of 10 vCPUs, 60 GiB and 5 disks."
    ), first.stderr
    second = howdah(*kvm, "--beside", "a.yaml", "--cluster", "b", "-o", "b.yaml", cwd=here)
    assert second.returncode == 0, second.stderr
    explained = howdah("plan", "explain", "b.yaml", cwd=here)
    assert "it has the data disks 11-20" in re.sub(r"\s+", " ", explained.stdout)
    assert "hosts that it shares with" in re.sub(r"\s+", " ", explained.stdout)
    assert howdah("render", "b.yaml", "-o", "conf", cwd=here).returncode == 0
    assert (
        "host01-b-1.example.com,host01.example.com," in (here / "conf/hypervisor/placement.csv").read_text()
    )
    domain = (here / "conf/hypervisor/worker.xml").read_text()
    assert "DATA-DISK-11" in domain
    assert "DATA-DISK-10" not in domain
    assert "Other clusters have machines on these hosts" in (here / "conf/README.md").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--share", "50%"), "--share 50%: only virtual machines can share a host"),
        (("--share", "half", "--hypervisor", "kvm"), "--share half: is not a part of a host"),
        (("--cluster", "b"), "--cluster b: has no effect"),
        (("--beside", "no.yaml", "--hypervisor", "kvm"), "no.yaml: no such file"),
        (
            ("--beside", "whole.yaml", "--hypervisor", "kvm", "--cluster", "b"),
            "--beside: leaves no host with threads, memory and data disks for a worker",
        ),
        (
            ("--beside", "whole.yaml", "--hypervisor", "kvm"),
            "--beside whole.yaml: has the same cluster name, vsphere6, as this cluster",
        ),
    ],
)
def test_what_cannot_be_shared_is_refused_in_one_message(here: Path, words: list[str], said: str) -> None:
    assert howdah("plan", "hosts.yaml", "--no-page", "-q", "-o", "whole.yaml", cwd=here).returncode == 0
    done = howdah("plan", "hosts.yaml", "--no-page", *words, cwd=here)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {said}")
    assert "Traceback" not in done.stderr
    assert not (here / "plan.yaml").exists()


def test_hosts_are_used_as_they_are_where_nobody_asks_for_virtual_machines(here: Path) -> None:
    done = howdah("plan", "hosts.yaml", "--no-page", cwd=here)
    assert done.stdout.startswith(
        "Make each of 32 hosts a worker of 40 threads, 256 GiB and 20 disks.\n31 workers"
    )
    assert "--weigh-virtual compares" in done.stdout
    weighed = howdah("plan", "hosts.yaml", "--weigh-virtual", "--no-page", cwd=here)
    assert "\n10 per host " in weighed.stdout
    refused = howdah("plan", "hosts.yaml", "--weigh-virtual", "--hypervisor", "none", cwd=here)
    assert refused.returncode == 2
    assert "--weigh-virtual: there are no virtual machines with --hypervisor none" in refused.stderr


def test_hosts_too_small_are_named_with_their_file(here: Path) -> None:
    small = (here / "hosts.yaml").read_text(encoding="utf-8").replace("256GiB", "4GiB")
    (here / "hosts.yaml").write_text(small, encoding="utf-8")
    done = howdah("plan", "hosts.yaml", cwd=here)
    assert done.returncode == 2
    assert done.stderr.startswith("error: hosts.yaml: groups[host].memory: 4 GiB is too little")
    assert tree(here) == {"hosts.yaml"}


def test_quiet_says_where_the_plan_is_and_json_says_all(here: Path) -> None:
    done = howdah("plan", "hosts.yaml", "--quiet", "--no-page", "-o", "a.yaml", cwd=here)
    assert done.stdout == "a.yaml\n"
    told = howdah("plan", "hosts.yaml", "--json", "--no-page", "-o", "a.yaml", cwd=here)
    assert ClusterPlan.model_validate(json.loads(told.stdout)) == read_plan(here / "a.yaml")
    assert tree(here) == {"hosts.yaml", "a.yaml"}


def test_the_same_question_gives_the_same_bytes(here: Path) -> None:
    for name in ("a", "b"):
        assert howdah("plan", "hosts.yaml", "-q", "-o", f"{name}.yaml", cwd=here).returncode == 0
    assert (here / "a.yaml").read_bytes() == (here / "b.yaml").read_bytes()
    assert (here / "a.html").read_bytes() == (here / "b.html").read_bytes()


@pytest.mark.parametrize(
    "flags",
    [
        [],
        ["--workload", "terasuite:30TB", "--hypervisor", "vsphere", "--protect-masters", "ft"],
        [
            "--workload",
            "terasuite",
            "--workload",
            "ycsb:300M",
            "--replication",
            "2",
            "--protect-masters",
            "ha",
        ],
        ["--secure", "--realm", "EXAMPLE.COM", "--hypervisor", "kvm", "--hadoop", "3.4.2"],
        ["--profile", "paper", "--workers-per-host", "2", "--slots", "9", "--overcommit"],
        ["--set", "dfs.blocksize=128MiB", "--set", "HDFS_DATANODE_OPTS=-Xmx2g -Da='b c'"],
        ["--need", "300TB", "--growth", "12.5%/year", "--years", "4"],
    ],
)
def test_a_plan_knows_the_command_that_asks_for_it_again(here: Path, flags: list[str]) -> None:
    done = howdah("plan", "hosts.yaml", *flags, "-q", "--no-page", cwd=here)
    assert done.returncode == 0, done.stderr
    cluster = read_plan(here / "plan.yaml").cluster
    again = shlex.split(command(cluster.request))[1:]
    assert howdah(*again, "-q", "--no-page", "-o", "again.yaml", cwd=here).returncode == 0
    assert (here / "again.yaml").read_bytes() == (here / "plan.yaml").read_bytes()


def test_a_value_of_the_user_s_is_kept_marked_and_judged(here: Path) -> None:
    done = howdah("plan", "hosts.yaml", "--no-page", "--set", "dfs.blocksize=64MiB", cwd=here)
    assert _value(read_plan(here / "plan.yaml"), "dfs.blocksize") == 64 * 2**20
    assert re.search(
        r"^yours +dfs\.blocksize = 67108864 breaks hdfs\.block-size \(doubtful\): ",
        done.stdout,
        re.MULTILINE,
    )


def test_growth_is_answered_in_hosts(here: Path) -> None:
    done = howdah(
        "plan", "hosts.yaml", "--no-page", "--need", "300TB", "--growth", "40%/year", "--years", "3", cwd=here
    )
    assert re.search(r"^ +823 TB in 3 years need \d+ hosts in all\n +first full: ", done.stdout, re.MULTILINE)


def test_only_a_plan_is_replaced(here: Path) -> None:
    (here / "plan.yaml").write_text("mine: true\n", encoding="utf-8")
    refused = howdah("plan", "hosts.yaml", cwd=here)
    assert refused.returncode == 2
    assert "plan.yaml: exists and is not a plan" in refused.stderr
    assert (here / "plan.yaml").read_text(encoding="utf-8") == "mine: true\n"
    assert not (here / "plan.html").exists()
    (here / "plan.yaml").unlink()
    for slots in ("5", "6"):
        done = howdah("plan", "hosts.yaml", "--slots", slots, "-q", cwd=here)
        assert done.returncode == 0, done.stderr
    assert _value(read_plan(here / "plan.yaml"), "worker.map_slots") == 6


def test_only_a_page_of_ours_is_replaced(here: Path) -> None:
    (here / "plan.html").write_text("<p>mine</p>", encoding="utf-8")
    refused = howdah("plan", "hosts.yaml", cwd=here)
    assert refused.returncode == 2
    assert "plan.html, which howdah did not write" in refused.stderr
    assert tree(here) == {"hosts.yaml", "plan.html"}
    assert howdah("plan", "hosts.yaml", "--no-page", "-q", cwd=here).returncode == 0
    assert (here / "plan.html").read_text(encoding="utf-8") == "<p>mine</p>"


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["hosts.yml"], "hosts.yml"),
        (["hosts.yaml", "-o", "hosts.yaml"], "--output hosts.yaml: exists and is not a plan"),
        (["hosts.yaml", "-o", "plan.html"], "--output plan.html: is the file of the plan's page"),
        (["hosts.yaml", "-o", "nowhere/plan.yaml"], "--output nowhere/plan.yaml: nowhere is not a directory"),
        (
            ["hosts.yaml", "--workload", "terasort:3TB"],
            "--workload terasort:3TB: 'terasort' is not a workload",
        ),
        (["hosts.yaml", "--workload", "terasuite:3"], "--workload terasuite:3: 3 has no unit"),
        (["hosts.yaml", "--hypervisor", "xen"], "--hypervisor: unknown value 'xen'"),
        (["hosts.yaml", "--protect-masters", "raid"], "--protect-masters: unknown value 'raid'"),
        (["hosts.yaml", "--profile", "fast"], "--profile: unknown value 'fast'"),
        (["hosts.yaml", "--realm", "A.B"], "--realm: has no effect without Kerberos"),
        (["hosts.yaml", "--slots", "0"], "--slots 0: is not a count"),
        (["hosts.yaml", "--replication", "0"], "--replication 0: is not a count"),
        (["hosts.yaml", "--replication", "64"], "replication"),
        (["hosts.yaml", "--replication", "2.5"], "--replication 2.5: is not a whole number"),
        (["hosts.yaml", "--years", "31", "--need", "1TB"], "--years 31: is more than 30"),
        (["hosts.yaml", "--set", "worker.memory=40GiB"], "--set worker.memory: is not a setting"),
        (["hosts.yaml", "--set", "vm.swapines=1"], "did you mean vm.swappiness?"),
        (["hosts.yaml", "--need", "300Tb"], "--need 300Tb: '300Tb' is in bits"),
        (["hosts.yaml", "--workers-per-host", "3"], "--workers-per-host 3: impossible"),
        (["hosts.yaml", "--growth", "40%/year"], "--growth: needs the amount of data"),
        (["hosts.yaml", "--need", "300"], "--need 300: 300 has no unit"),
        (["hosts.yaml", "--set", "dfs.blocksize"], "--set dfs.blocksize: is not of the form KEY=VALUE"),
        (["hosts.yaml", "--set", "dfs.blocksiz=1"], "did you mean dfs.blocksize?"),
        (["hosts.yaml", "--set", "dfs.replication=many"], "--set dfs.replication"),
        (["hosts.yaml", "--hadoop", "1.2.1"], "1.2.1"),
    ],
)
def test_a_user_s_mistake_is_one_message_and_leaves_nothing(here: Path, flags: list[str], says: str) -> None:
    done = howdah("plan", *flags, cwd=here)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("error: ")
    assert tree(here) == {"hosts.yaml"}


def test_a_value_is_explained_down_to_the_paper(planned: Path) -> None:
    done = howdah("plan", "explain", "plan.yaml", "dfs.blocksize", cwd=planned)
    assert done.returncode == 0, done.stderr
    said = done.stdout
    assert said.startswith("dfs.blocksize = 134217728 (128MiB)\n")
    assert re.search(r"^set by +you$", said, re.MULTILINE)
    assert re.search(r"^rule +hdfs\.block-size: ", said, re.MULTILINE)
    assert re.search(r"^default +134217728 \(128MiB\) in the release$", said, re.MULTILINE)


def test_a_number_is_explained_by_the_numbers_that_went_in(planned: Path) -> None:
    said = howdah("plan", "explain", "plan.yaml", "worker.memory", cwd=planned).stdout
    assert re.search(r"^  memory for workers of a host +241 GiB$", said, re.MULTILINE)
    assert re.search(r"^  vSphere 6 study, item 16 +\w", said, re.MULTILINE)
    assert "Virtualized Hadoop Performance with VMware vSphere 6" in said


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("native", r"^against +--hypervisor vsphere was requested"),
        ("2 per host", r"^2 per host on \w+: possible, 62 workers$"),
        ("3 per host", r"^refused +the 2 NUMA nodes"),
        ("nn1", r"^runs +NameNode"),
    ],
)
def test_platforms_and_masters_are_explained_too(planned: Path, name: str, says: str) -> None:
    done = howdah("plan", "explain", "plan.yaml", name, cwd=planned)
    assert done.returncode == 0, done.stderr
    assert re.search(says, done.stdout, re.MULTILINE), done.stdout


def test_without_a_key_all_values_are_listed_by_file(planned: Path) -> None:
    said = howdah("plan", "explain", "plan.yaml", cwd=planned).stdout
    plan = read_plan(planned / "plan.yaml")
    assert all(one.key in said for one in plan.settings)
    assert said.index("the plan itself\n") < said.index("hdfs-site.xml\n") < said.index("sysctl.conf\n")


def test_json_tells_rule_source_and_default(planned: Path) -> None:
    told = json.loads(howdah("plan", "explain", "plan.yaml", "dfs.replication", "--json", cwd=planned).stdout)
    (value,) = told["settings"]
    assert value["value"] == 3
    assert value["default"] == "3"
    assert value["rule"] == "hdfs.replication"
    assert value["says"]
    assert {"label", "title", "says"} == set(value["sources"][0])
    every = json.loads(howdah("plan", "explain", "plan.yaml", "--json", cwd=planned).stdout)
    assert len(every) == len(read_plan(planned / "plan.yaml").settings)
    platform = json.loads(howdah("plan", "explain", "plan.yaml", "native", "--json", cwd=planned).stdout)
    assert platform["platforms"][0]["judgements"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["plan.yaml", "dfs.blocksiz"], "did you mean dfs.blocksize?"),
        (["plan.yaml", "dfs.namenode.decommission.interval"], "the release's default applies: 30"),
        (["plan.yaml", "xyzzy"], "`howdah plan explain plan.yaml` lists all keys, platforms and masters"),
        (["nowhere.yaml"], "nowhere.yaml: no such file"),
        (["hosts.yaml", "dfs.blocksize"], "hosts.yaml"),
    ],
)
def test_what_cannot_be_explained_is_said(planned: Path, words: list[str], says: str) -> None:
    done = howdah("plan", "explain", *words, cwd=planned)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_help_of_planning_mentions_explaining(tmp_path: Path) -> None:
    said = howdah("plan", "--help", cwd=tmp_path).stdout
    assert "--workload" in said
    assert "howdah plan explain" in said
    assert "[[" not in howdah("plan", "explain", "--help", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("howdah plan explain plan.yaml dfs.blocks", "dfs.blocksize"),
        ("howdah plan explain plan.yaml nn", "nn1"),
        ("howdah plan hosts.yaml --protect-masters ", "ft"),
    ],
)
def test_completion_offers_what_can_be_named(planned: Path, line: str, offered: str) -> None:
    asked = {"_HOWDAH_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    done = subprocess.run(
        [HOWDAH], cwd=planned, env={**environment(), **asked}, capture_output=True, text=True, check=False
    )
    assert offered in done.stdout.split()


def test_completion_of_an_unreadable_plan_offers_nothing(planned: Path) -> None:
    line = "howdah plan explain nowhere.yaml dfs"
    asked = {"_HOWDAH_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    done = subprocess.run(
        [HOWDAH], cwd=planned, env={**environment(), **asked}, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == ""
    assert done.stderr == ""


def test_a_narrow_terminal_is_not_overrun(here: Path) -> None:
    screen = {**os.environ, "COLUMNS": "80", "TERM": "xterm", "FORCE_COLOR": "1"}
    done = subprocess.run(
        [HOWDAH, "plan", "hosts.yaml", "--no-page"],
        cwd=here,
        env=screen,
        capture_output=True,
        text=True,
        check=True,
    )
    plain = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    assert max(map(len, plain.splitlines())) <= 80
    assert "\nnative " in plain


def test_a_plan_from_one_that_runs_says_what_changes_and_overwrites_nothing(planned: Path) -> None:
    (planned / "more.yaml").write_text(
        (planned / "hosts.yaml").read_text().replace("count: 32", "count: 34").replace("[01-32]", "[01-34]")
    )
    before = (planned / "plan.yaml").read_bytes()
    done = howdah("plan", "more.yaml", "--from", "plan.yaml", "-o", "new.yaml", "--json", cwd=planned)
    assert done.returncode == 0, done.stderr
    change = json.loads(done.stdout)["change"]
    assert len(change["added"]) == 1
    assert change["removed"] == change["masters"] == []
    assert next(step["what"] for step in change["steps"]) == "add"
    assert any(setting.key == "dfs.blocksize" for setting in read_plan(planned / "new.yaml").settings)
    for words, said in (
        (["-o", "plan.yaml"], "would replace the plan of the running cluster"),
        (
            ["-o", "other.yaml", "--replication", "2"],
            "keeps the options of that plan, and this command gives others",
        ),
        (
            ["-o", "other.yaml", "--rank", "rules"],
            "keeps the options of that plan, and this command gives others",
        ),
    ):
        refused = howdah("plan", "more.yaml", "--from", "plan.yaml", *words, cwd=planned)
        assert refused.returncode == 2
        assert said in refused.stderr
    assert (planned / "plan.yaml").read_bytes() == before
    assert not (planned / "other.yaml").exists()
    same = howdah("plan", "hosts.yaml", "--from", "plan.yaml", "-o", "same.yaml", cwd=planned)
    assert "the cluster matches this plan" in same.stdout
