"""``howdah provision --libvirt`` against libvirt's own test driver, as a user runs it.

The driver forgets everything when howdah ends, so that what is made twice is tested in
tests/unit/provision/kvm/test_provisioner.py, on connections that stay.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from howdah.documents.files import write_plan
from support.command import howdah
from support.libvirt_hosts import HOSTS, NO_HUGE_PAGES, host_text, libvirt_site, needs_libvirt, small_plan

pytestmark = needs_libvirt


@pytest.fixture
def uri(tmp_path: Path) -> str:
    (tmp_path / "plan.yaml").write_text(write_plan(small_plan(NO_HUGE_PAGES)))
    (tmp_path / "site.yaml").write_text(libvirt_site())
    for number, host in enumerate(HOSTS, start=1):
        (tmp_path / f"{host}.xml").write_text(host_text(number))
    return f"test://{tmp_path}/{{host}}.xml"


def test_machines_are_made_and_read_back(tmp_path: Path, uri: str) -> None:
    shown = howdah("provision", "plan.yaml", "--libvirt", uri, "--dry-run", "--json", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    changes = json.loads(shown.stdout)["changes"]
    assert {change["name"] for change in changes} == {
        f"h{host}-{place}.example.com" for host in (1, 2) for place in (1, 2)
    }
    assert {change["doing"] for change in changes} == {"make"}
    done = howdah("provision", "plan.yaml", "--libvirt", uri, "--yes", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "all machines were verified: 0 to make, 0 to change, 4 as planned" in done.stdout
    assert "started h2-2.example.com" in done.stderr


def test_a_check_says_what_is_missing(tmp_path: Path, uri: str) -> None:
    done = howdah("check", "--plan", "plan.yaml", "--libvirt", uri, cwd=tmp_path)
    assert done.returncode == 1
    assert "machine in h1-1.example.com: is missing; expected exists" in done.stdout
    assert "4 fail" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--libvirt", "test:///default"),
            "--libvirt test:///default: names one libvirt, but the plan has 2 hosts",
        ),
        (("--libvirt", "nonsense://{host}/"), "--libvirt nonsense://h1.example.com/: "),
        (("--vcenter", "vc"), "--vcenter: does not fit plan.yaml, which plans machines for kvm"),
        ((), "--libvirt: is missing"),
    ],
)
def test_what_is_given_wrongly_is_one_message(
    tmp_path: Path, uri: str, arguments: tuple[str, ...], said: str
) -> None:
    done = howdah("provision", "plan.yaml", "--yes", *arguments, cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert done.stderr.startswith(f"error: {said}")
    assert "Traceback" not in done.stderr


def test_nobody_is_asked_where_nobody_is(tmp_path: Path, uri: str) -> None:
    done = howdah("provision", "plan.yaml", "--libvirt", uri, cwd=tmp_path)
    assert done.returncode == 2
    assert "4 to make" in done.stdout
    assert done.stderr.startswith("error: --yes: is missing, and there is no terminal to confirm at")
    machine = howdah("provision", "plan.yaml", "--libvirt", uri, "--json", cwd=tmp_path)
    assert machine.returncode == 2
    assert machine.stderr.startswith("error: --json: cannot ask for confirmation")
