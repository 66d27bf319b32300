"""What is wrong with an inventory is said at its line and column, all of it at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.documents.files import parse_inventory, read_inventory, read_plan, write_document
from howdah.errors import UserError
from howdah.model.inventory import Inventory
from howdah.model.plan import WorkerPlan

GOOD = """\
howdah: 1
cluster: lab
groups:
  - name: small
    count: 3
    hosts: ["w[1-3].example.com"]
    cpu: {sockets: 2, cores_per_socket: 10, threads_per_core: 2}
    memory: 256GiB
    disks:
      - {count: 20, kind: hdd, size: 600GB}
      - {count: 2, kind: ssd, size: 480GB, role: system}
    nics:
      - count: 2
        speed: 10Gb/s
"""


def complaint(text: str) -> UserError:
    with pytest.raises(UserError) as caught:
        parse_inventory(text, "hosts.yaml")
    return caught.value


def test_the_good_one_is_good() -> None:
    inventory = parse_inventory(GOOD, "hosts.yaml")
    assert inventory.groups[0].names == ("w1.example.com", "w2.example.com", "w3.example.com")
    assert inventory.groups[0].disks[0].size_bytes == 600 * 10**9


SOCKETS, MEMORY = "groups[0].cpu.sockets", "groups[0].memory"


@pytest.mark.parametrize(
    ("old", "new", "place", "what", "hint"),
    [
        ("count: 3", "cuont: 3", "5:5", "groups[0].cuont: is an unknown key", "do you mean count?"),
        (
            "lab",
            "lab\nzzzz: 1",
            "3:1",
            "zzzz: is an unknown key",
            "known here: howdah, cluster, groups",
        ),
        ("    memory: 256GiB\n", "", "4:5", "groups[0]: memory is missing", "add `memory: 256GiB`"),
        ("    count: 3\n", "", "4:5", "groups[0]: count is missing", "how many hosts there are"),
        ("size: 600GB", "kind2: x", "10:9", "groups[0].disks[0]: size is missing", "size of one of them"),
        ("sockets: 2", "sockets: two", "7:20", f"{SOCKETS}: 'two' is not a whole number", "digits"),
        ("sockets: 2", 'sockets: "2"', "7:20", f"{SOCKETS}: '2' is not a whole number", "digits"),
        ("sockets: 2", "sockets: 1.5", "7:20", f"{SOCKETS}: 1.5 is not a whole number", "digits"),
        ("sockets: 2", "sockets: 2.0", "7:20", f"{SOCKETS}: 2.0 is not a whole number", "digits"),
        ("sockets: 2", "sockets: 0", "7:20", f"{SOCKETS}: 0 is too small", "at least 1"),
        ("sockets: 2", "sockets: -2", "7:20", f"{SOCKETS}: -2 is too small", "at least 1"),
        ("sockets: 2", "sockets: true", "7:20", f"{SOCKETS}: true is not a whole number", "digits"),
        ("sockets: 2", "sockets: ~", "7:20", f"{SOCKETS}: nothing is not a whole number", "digits"),
        ("count: 3", "count: 1000000000", "5:12", "groups[0].count: 1000000000 is too large", "100000"),
        ("256GiB", "256", "8:13", f"{MEMORY}: 256 has no unit", "256GiB or 600GB"),
        ("256GiB", '"256"', "8:13", f"{MEMORY}: 256 has no unit", "256GiB or 600GB"),
        ("256GiB", "-1GiB", "8:13", f"{MEMORY}: -1GiB is negative", "256GiB or 600GB"),
        ("256GiB", "0GiB", "8:13", f"{MEMORY}: 0GiB is nothing", "256GiB or 600GB"),
        ("256GiB", "256 furlongs", "8:13", f"{MEMORY}: '256 furlongs' is not a quantity", "256GiB"),
        ("256GiB", "1.0001kB", "8:13", f"{MEMORY}: '1.0001kB' is not a whole number", "256GiB"),
        ("256GiB", "[1]", "8:13", f"{MEMORY}: is not a quantity", "256GiB"),
        ("256GiB", "9" * 200 + "GiB", "8:13", f"{MEMORY}: is too long for a quantity", "256GiB"),
        ("256GiB", "99999999PB", "8:13", f"{MEMORY}: 99999999PB is too much", "256GiB"),
        (
            "256GiB",
            "256GiB\n    memory_per_numa_node: 1GiB",
            "9:27",
            "groups[0].memory_per_numa_node: memory is given twice",
            "leave out",
        ),
        (
            "256GiB",
            "256GiB\n    memory: 1GiB",
            "9:5",
            "groups[0].memory: is given twice; the first is in line 8",
            "leave one of them out",
        ),
        ("10Gb/s", "10000", "14:16", "groups[0].nics[0].speed: 10000 has no unit", "10Gb/s or 25GbE"),
        ("10Gb/s", "10GB", "14:16", "groups[0].nics[0].speed: '10GB' is not a link speed", "10Gb/s"),
        (
            "kind: hdd",
            "kind: tape",
            "10:27",
            "groups[0].disks[0].kind: 'tape' is unknown here",
            "one of hdd, ssd, nvme",
        ),
        (
            "role: system",
            "role: root",
            "11:50",
            "groups[0].disks[1].role: 'root' is unknown",
            "one of data, system, spare",
        ),
        (
            "name: small",
            "name: Small Ones",
            "4:11",
            "groups[0].name: 'Small Ones' is not a name",
            "lower-case letters",
        ),
        ("count: 3", "count: 4", "6:12", "groups[0].hosts: names 3, but count is 4", "make them equal"),
        (
            "memory: 256GiB",
            "memory: 256GiB\n    racks: [r1, r2]",
            "9:12",
            "groups[0].racks: 3 hosts do not divide evenly over 2 racks",
            "of each rack",
        ),
        (
            "memory: 256GiB",
            "memory: 256GiB\n    racks: [a, b, a]",
            "9:19",
            "groups[0].racks[2]: 'a' is listed twice",
            "once",
        ),
        (
            '["w[1-3].example.com"]',
            '["w[1-2]", W2]',
            "6:12",
            "groups[0].hosts: host 'W2' is listed twice",
            "list each host once",
        ),
        ('["w[1-3].example.com"]', "w1", "6:12", "groups[0].hosts: 'w1' is not a list", "[a, b]"),
        ('["w[1-3].example.com"]', "[w[1-3].example.com]", "6:14", "the list is not closed", "double quotes"),
        ('"w[1-3].example.com"', '"w[3-1]"', "6:13", "groups[0].hosts[0]: 'w[3-1]' runs backwards", "[1-3]"),
        (
            "howdah: 1",
            "howdah: 2",
            "1:9",
            "howdah: format 2 is newer than this howdah supports (1)",
            "newer howdah",
        ),
        ("howdah: 1", "howdah: one", "1:9", "howdah: 'one' is unknown here", "one of 1"),
        ("  - name: small", "\t- name: small", "4:1", "is indented with a tab", "indent with spaces"),
        (
            "cluster: lab",
            "cluster: &a lab",
            "2:10",
            "cluster: an anchor is not allowed",
            "write the value out",
        ),
        ("cluster: lab", "cluster: *a", "2:10", "cluster: an alias is not allowed", "write the value out"),
        (
            "cluster: lab",
            "cluster: !!python/object:os.system lab",
            "2:10",
            "cluster: the tag",
            "leave it out",
        ),
        ("cluster: lab", "cluster: lab: lab", "2:13", "a second `:` in one line", "double quotes"),
        ("10Gb/s", '"10Gb/s', "14:16", "these quotes are not closed", "close them"),
        ("cluster: lab", "cluster: lab\n---\na: 1", "3:1", "a second document begins here", "one document"),
        ("cluster: lab", "? [a]\n: lab", "2:3", "a list or a mapping cannot be a key", "key: value"),
    ],
)
def test_a_fault_is_said_where_it_is(old: str, new: str, place: str, what: str, hint: str) -> None:
    assert old in GOOD
    error = complaint(GOOD.replace(old, new, 1))
    assert error.where == f"hosts.yaml:{place}", str(error)
    assert error.what.startswith(what), str(error)
    assert hint in error.hint
    assert error.exit_code == 2


@pytest.mark.parametrize(
    "name",
    [
        "$(rm -rf /)",
        "`id`",
        "w1;reboot",
        "w1 && w2",
        "w1\\nw2",
        "w\\u0000",
        "../../etc/passwd",
        "w'1",
        "-w1",
        "w1-",
        "w..1",
        "",
        " w1",
        "w_1",
        "\N{CYRILLIC SMALL LETTER ES}w1",
        "w\N{FULLWIDTH DIGIT ONE}",
        "x" * 300,
        "a." * 130 + "a",
        "10.1.2.3",
        "w[1-\N{ARABIC-INDIC DIGIT THREE}]",
        "w[1-3",
        "w[1-99999999999]",
        "w[0-9999999]",
        "w[1-2][1-2]",
        "$([1-3])",
    ],
)
def test_what_is_no_host_name_is_refused(name: str) -> None:
    error = complaint(GOOD.replace("w[1-3].example.com", name))
    assert error.where == "hosts.yaml:6:13"
    assert error.what.startswith("groups[0].hosts[0]: ")
    assert "\n" not in error.what
    assert len(error.what) < 200


def test_all_faults_are_said_at_once_in_their_order() -> None:
    text = GOOD.replace("count: 3", "cuont: 3").replace("256GiB", "256").replace("kind: hdd", "kind: tape")
    error = complaint(text)
    assert str(error) == "hosts.yaml:5:5: groups[0].cuont: is an unknown key"
    places = [line.split(": ")[0] for line in error.hint.splitlines()[1:]]
    assert places == ["hosts.yaml:8:13", "hosts.yaml:10:27"]


def test_what_occurs_twice_is_said_at_the_second() -> None:
    group = GOOD[GOOD.index("  - name") :]
    twice = complaint(GOOD + group)
    assert (twice.where, twice.what) == (
        "hosts.yaml:15:11",
        "groups[1].name: another group is called 'small' too",
    )
    hosts = complaint(GOOD + group.replace("small", "other"))
    assert hosts.where == "hosts.yaml:17:12"
    assert hosts.what == "groups[1].hosts: host 'w1.example.com' is listed twice, in group 'small' too"


@pytest.mark.parametrize(
    ("content", "place", "what"),
    [
        (b"", ":1:1", "is empty"),
        (b"# nothing\n", ":1:1", "is empty"),
        (b"- a\n- b\n", ":1:1", "is a list, not an inventory"),
        (b"hosts\n", ":1:1", "is a single value, not an inventory"),
        (b"groups: []\n", ":1:9", "groups: is an empty list"),
        (b"groups: " + b"[" * 5000, ":1:58", "is nested deeper than 50 levels"),
        (b"a: [*b, *b]\n", ":1:5", "a[0]: an alias is not allowed"),
        (b"platform: x\nworkers: []\nsettings: []\n", ":1:1", "is a plan, not an inventory"),
        (b"cpu: 1\nmemory: 1\nfile_systems: 1\n", ":1:1", "is the probe of a host, not an inventory"),
        (b"a: 1\nb: caf\xe9\n", ":2:7", "byte 0xe9 is not UTF-8"),
        (b"\xff\xfeg\x00", ":1:1", "byte 0xff is not UTF-8"),
        (b"PK\x03\x04\x00\x00", ":1:3", "character U+0003 is not allowed in a text"),
        (b"\x7fELF\x02\x01\x01\x00", ":1:1", "character U+007F is not allowed in a text"),
    ],
)
def test_what_is_no_inventory_at_all(tmp_path: Path, content: bytes, place: str, what: str) -> None:
    path = tmp_path / "hosts.yaml"
    path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        read_inventory(path)
    assert caught.value.where == f"{path}{place}"
    assert caught.value.what.startswith(what)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    for path, what in [
        (tmp_path / "missing.yaml", "no such file"),
        (tmp_path, "is a directory"),
        (tmp_path / ("x" * 300), "cannot be read (File name too long)"),
        (Path("/proc/self/mem"), "cannot be read (Input/output error)"),
        (Path("/dev/zero"), "is larger than 64 MiB"),
    ]:
        with pytest.raises(UserError) as caught:
            read_inventory(path)
        assert (caught.value.where, caught.value.what) == (str(path), what)
        assert "hosts.yaml" in caught.value.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "hosts.yaml"
    path.write_text(GOOD)
    path.chmod(0)
    with pytest.raises(UserError, match="Permission denied"):
        read_inventory(path)


def test_windows_lines_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    path = tmp_path / "hosts.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert read_inventory(path) == parse_inventory(GOOD, "")


def test_a_plan_is_read_as_strictly(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(GOOD)
    with pytest.raises(UserError, match="is an inventory, not a plan"):
        read_plan(path)
    path.write_text(
        "platform: native\nworkers: []\nsettings:\n  - {key: a, value: {b: 1}, reason: r, source: s}\n"
        "cluster: {}\n"
    )
    with pytest.raises(UserError) as caught:
        read_plan(path)
    assert caught.value.where == f"{path}:4:21"
    assert caught.value.what == "settings[0].value: a mapping does not fit"


def test_a_plan_without_a_cluster_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(write_document(WorkerPlan(platform="native", workers=(), settings=())))
    with pytest.raises(UserError) as caught:
        read_plan(path)
    assert str(caught.value) == f"{path}:1:1: has no `cluster`: it is incomplete, or a plan of one machine"
    assert "`howdah plan`" in caught.value.hint


def test_a_misspelt_cluster_is_a_misspelt_key(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text("platform: native\nworkers: []\nsettings: []\nclustr: {}\n")
    with pytest.raises(UserError, match="clustr: is an unknown key") as caught:
        read_plan(path)
    assert caught.value.hint == "do you mean cluster?"


_PIECES = st.sampled_from(
    [*"0-:[]{}#&*!|>'\"%@`?\\ \n\t\x00é", "\n  ", "- ", ": ", "0.5", "-1", "GiB", "null", "{a: b}", "name: x"]
)


@given(st.lists(st.tuples(st.integers(0, len(GOOD)), st.integers(0, 8), _PIECES), min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_whatever_is_written_is_an_inventory_or_one_error(changes: list[tuple[int, int, str]]) -> None:
    text = GOOD
    for at, gone, new in changes:
        text = text[:at] + new + text[at + gone :]
    said: UserError | None = None
    try:
        assert isinstance(parse_inventory(text, "hosts.yaml"), Inventory)
    except UserError as error:
        said = error
    assert said is None or (said.where.startswith("hosts.yaml:") and said.what)
