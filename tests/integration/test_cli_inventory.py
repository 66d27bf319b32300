"""``howdah inventory`` as a user runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from howdah.documents.files import inventory_schema, read_host, read_inventory
from support.command import howdah, tree

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "hosts-mixed.yaml"


def test_check_shows_groups_and_totals(tmp_path: Path) -> None:
    done = howdah("inventory", "check", EXAMPLE, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = [re.split(r"  +", line) for line in done.stdout.splitlines()]
    assert lines[1][:5] == ["old", "12", "2 × 8 × 2", "128 GiB", "12 × 4.00 TB hdd"]
    assert lines[3][:6] == ["in all", "20", "1,152 threads", "4.5 TiB", "336", "2.11 PB"]
    assert tree(tmp_path) == set()


def test_check_says_what_to_look_at_twice(tmp_path: Path) -> None:
    path = tmp_path / "hosts.yaml"
    path.write_text(EXAMPLE.read_text().replace("128GiB", "128GB"))
    done = howdah("inventory", "check", path, cwd=tmp_path)
    assert done.returncode == 0
    assert "notice  old: memory is 119.2 GiB, but modules come in whole GiB" in done.stdout


def test_check_prints_json(tmp_path: Path) -> None:
    done = howdah("inventory", "check", "--json", EXAMPLE, cwd=tmp_path)
    content = json.loads(done.stdout)
    assert content["inventory"]["groups"][1]["disks"][0]["size"] == "8TB"
    assert content["totals"] == {
        "hosts": 20,
        "threads": 12 * 32 + 8 * 96,
        "memory_bytes": (12 * 128 + 8 * 384) * 2**30,
        "data_disks": 12 * 12 + 8 * 24,
        "data_bytes": 12 * 12 * 4 * 10**12 + 8 * 24 * 8 * 10**12,
    }
    assert content["notices"] == []


def test_every_error_is_a_line_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "hosts.yaml"
    path.write_text(EXAMPLE.read_text().replace("128GiB", "128").replace("sockets: 2", "sockets: 0"))
    done = howdah("inventory", "check", "hosts.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        "error: hosts.yaml:10:20: groups[0].cpu.sockets: 0 is too small",
        "       at least 1; leave the key out if there is none",
        "       hosts.yaml:11:13: groups[0].memory: 128 has no unit (write, for example, 256GiB or 600GB)",
        "       hosts.yaml:21:20: groups[1].cpu.sockets: 0 is too small"
        " (at least 1; leave the key out if there is none)",
    ]


@pytest.mark.parametrize("form", [["--output", "probe.out"], ["--json", "--output", "probe.out"]])
def test_this_machine_becomes_an_inventory(tmp_path: Path, form: list[str]) -> None:
    assert howdah("probe", *form, cwd=tmp_path).returncode == 0
    name = "w1.example.com"
    probe = tmp_path / "probe.out"
    own = read_host(probe).name
    probe.write_text(re.sub(rf'(name"?: "?){re.escape(own)}', rf"\g<1>{name}", probe.read_text(), count=1))
    shown = howdah("inventory", "add", probe, "--group", "lab", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "lab: 1 host in a new group" in shown.stderr

    kept = howdah("inventory", "add", probe, "--group", "lab", "-o", "hosts.yaml", cwd=tmp_path)
    assert kept.returncode == 0, kept.stderr
    assert kept.stdout == ""
    assert (tmp_path / "hosts.yaml").read_text() == shown.stdout
    (group,) = read_inventory(tmp_path / "hosts.yaml").groups
    assert group.names == (name,)

    before = (tmp_path / "hosts.yaml").read_bytes()
    again = howdah("inventory", "add", probe, "-o", "hosts.yaml", cwd=tmp_path)
    assert again.returncode == 2
    assert f"host {name!r} is in group lab already" in again.stderr
    assert (tmp_path / "hosts.yaml").read_bytes() == before

    probe.write_text(probe.read_text().replace(name, "w2.example.com"))
    more = howdah("inventory", "add", probe, "-o", "hosts.yaml", cwd=tmp_path)
    assert "lab: 1 host more" in more.stderr
    assert read_inventory(tmp_path / "hosts.yaml").groups[0].hosts == ("w[1-2].example.com",)
    assert tree(tmp_path) == {"probe.out", "hosts.yaml"}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["check", "none.yaml"], "none.yaml: no such file"),
        (["check", "."], ".: is a directory"),
        (["add", str(EXAMPLE)], "is an inventory, not the probe of a host"),
        (["add", "empty.json"], "empty.json:1:1: cpu is missing"),
        (["add", "broken.json"], "broken.json:2:"),
        (["schema", "-o", "none/x.json"], "cannot be written"),
        (["add", str(EXAMPLE), "--serves", "tea"], "--serves: unknown value 'tea'"),
    ],
)
def test_mistakes_are_one_message(tmp_path: Path, arguments: list[str], complaint: str) -> None:
    (tmp_path / "empty.json").write_text('{"name": "w1"}')
    (tmp_path / "broken.json").write_text('{"name": "w1",\n "cpu": ]}')
    before = tree(tmp_path)
    done = howdah("inventory", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert tree(tmp_path) == before


def test_the_schema_is_printed_or_kept(tmp_path: Path) -> None:
    assert howdah("inventory", "schema", cwd=tmp_path).stdout == inventory_schema()
    assert howdah("inventory", "schema", "-o", "s.json", cwd=tmp_path).returncode == 0
    assert (tmp_path / "s.json").read_text() == inventory_schema()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "s.json").symlink_to("real/s.json")
    assert howdah("inventory", "schema", "-o", "s.json", cwd=tmp_path).returncode == 0
    assert (tmp_path / "s.json").is_symlink()
    assert (tmp_path / "real" / "s.json").read_text() == inventory_schema()


def test_the_documentation_names_every_key() -> None:
    text = (ROOT / "docs" / "inventory-keys.md").read_text()
    schema = json.loads(inventory_schema())
    objects = [schema, *(one for one in schema["$defs"].values() if "properties" in one)]
    keys = {key for one in objects for key in one["properties"]}
    assert {key for key in keys if f"`{key}`" not in text} == set()


def test_the_documentations_own_inventory_is_right(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "inventory.md").read_text()
    path = tmp_path / "hosts.yaml"
    path.write_text(text.partition("```yaml\n")[2].partition("```")[0])
    assert read_inventory(path).host_count == 32
