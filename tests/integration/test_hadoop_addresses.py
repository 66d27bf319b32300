"""What Hadoop's own code makes of a pair's addresses, as rendered and as others write them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from howdah.audit.audit import audit
from howdah.audit.folder import Releases, read_folders
from howdah.model.existing import CheckVerdict
from howdah.model.inventory import Inventory
from howdah.model.request import Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.render.cluster import render
from howdah.session.plan_checks import write_rendered
from support.daemons import FETCH, LIB, ROOT
from support.patience import PATIENCE_S
from support.plans import group

pytestmark = [
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
    pytest.mark.skipif(shutil.which("javac") is None, reason="there is no JDK here"),
]

RESOLVED = ROOT / "tests/data/hadoop/Resolved.java"
HOSTS = {f"h{number}.example.com": f"10.77.0.{number}" for number in (1, 2, 3)}
PAIR = tuple(HOSTS)[:2]
PAGES = {False: ("http", 8088, 9870, 19888), True: ("https", 8090, 9871, 19890)}


def rendered(folder: Path, *, secure: bool) -> Path:
    """HADOOP_CONF_DIR of three hosts with two masters of each kind."""
    plan = plan_cluster(
        Inventory(cluster="trio", groups=(group(count=3, hosts=["h[1-3].example.com"]),)),
        PlanRequest(
            hypervisor=Hypervisor.NONE,
            protection=Protection.HA,
            secure=secure,
            realm="EXAMPLE.COM" if secure else None,
        ),
    )
    write_rendered(render(plan), folder / "rendered", force=False)
    return folder / "rendered/hadoop"


def ask_hadoop(conf: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the program on a configuration, on a machine that knows the hosts' names."""
    names = folder / "names"
    names.write_text("".join(f"{address} {host}\n" for host, address in HOSTS.items()))
    return subprocess.run(
        ["java", f"-Djdk.net.hosts.file={names}", "-cp", f"{conf}:{LIB}/*", str(RESOLVED)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@pytest.mark.parametrize("secure", [False, True], ids=["without-tls", "secure"])
def test_every_address_of_a_pair_is_that_of_its_host(tmp_path: Path, secure: bool) -> None:
    done = ask_hadoop(rendered(tmp_path, secure=secure), tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    told = dict(line.split("\t") for line in done.stdout.splitlines())
    scheme, manager, namenode, history = PAGES[secure]
    pages = "yarn.resourcemanager.webapp" + (".https.address" if secure else ".address")
    ports = {
        "address": 8032,
        "scheduler.address": 8030,
        "admin.address": 8033,
        "resource-tracker.address": 8031,
    }
    expected = {
        **{
            f"yarn.resourcemanager.{key}.rm{number}": f"{host}:{port}"
            for number, host in enumerate(PAIR, start=1)
            for key, port in ports.items()
        },
        **{f"{pages}.rm{number}": f"{host}:{manager}" for number, host in enumerate(PAIR, start=1)},
        **{f"NameNode nn{number}": f"{host}:8020" for number, host in enumerate(PAIR, start=1)},
        **{f"NameNode's pages nn{number}": f"{host}:{namenode}" for number, host in enumerate(PAIR, start=1)},
        "ResourceManager": f"{scheme}://{PAIR[0]}:{manager}",
        "JobHistoryServer": f"{scheme}://{PAIR[1]}:{history}",
        "AM_PROXY_FILTER PROXY_HOSTS": ",".join(PAIR),
        "AM_PROXY_FILTER PROXY_URI_BASES": ",".join(
            f"{scheme}://{host}:{manager}/proxy/application" for host in PAIR
        ),
        "AM_PROXY_FILTER RM_HA_URLS": ",".join(f"{host}:{manager}" for host in PAIR),
    }
    assert told == expected


@pytest.mark.parametrize("secure", [False, True], ids=["without-tls", "secure"])
def test_what_ends_an_application_master_fails_a_check(tmp_path: Path, secure: bool) -> None:
    conf = rendered(tmp_path, secure=secure)
    site = conf / "yarn-site.xml"
    key = "yarn.resourcemanager.webapp" + (".https.address" if secure else ".address")
    # As many write it: the hosts alone, of which Hadoop makes every address but this one.
    tree = ElementTree.parse(site)
    root = tree.getroot()
    for one in [one for one in root.iter("property") if one.findtext("name", "").startswith(f"{key}.")]:
        root.remove(one)
    tree.write(site)
    done = ask_hadoop(conf, tmp_path)
    assert f"{key}.rm1\t{PAIR[0]}:" in done.stdout
    assert done.returncode != 0
    assert "AmFilterInitializer.initFilter" in done.stderr
    failed = {
        check.about: check
        for check in audit(read_folders([conf]), [], None, Releases()).checks
        if check.verdict is CheckVerdict.FAIL
    }
    assert {f"{key}.rm1", f"{key}.rm2"} == failed.keys()
    assert f"set {key}.rm2 to {PAIR[1]}:{PAGES[secure][1]}" in failed[f"{key}.rm2"].fix
