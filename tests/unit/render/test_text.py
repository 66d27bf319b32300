"""Hostile text in reasons, values and overrides never leaves its comment, its element or its quotes."""

from __future__ import annotations

import subprocess
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howdah.errors import UserError
from howdah.model.plan import Breach, value_text
from howdah.render.hypervisor import domain, vmx_fragment
from howdah.render.text import env_file, setting_text, wrapped, xml_file
from support.plans import kind, setting

HOSTILE = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        [
            "--><property><name>x</name></property><!--",
            "]]>&lt;<!DOCTYPE a [<!ENTITY b 'c'>]>&b;",
            "-----",
            "$(touch /tmp/howdah-was-here) `id` 'quoted' \"double\" \\",
            "one\ntwo\r\nthree\u2028four",
            "\x1b[31mred\x00",
        ]
    ),
)
CARRIED = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Cn"]), max_size=60)


@given(reason=HOSTILE, source=HOSTILE, value=CARRIED, breach=HOSTILE)
def test_xml_reads_back_as_it_was_meant(reason: str, source: str, value: str, breach: str) -> None:
    broken = (Breach(rule="test.other", says=breach),)
    given_by_user = setting("a.b", value, "core-site.xml", reason=reason, origin="user", breaks=broken)
    decided = setting("a.c", 7, "core-site.xml", reason=reason, source=source, rule=source)
    text = xml_file(f"core-site.xml {reason.isprintable()}", [given_by_user, decided])
    root = ElementTree.fromstring(text.encode())
    assert [(one.findtext("name"), one.findtext("value") or "") for one in root] == [
        ("a.b", value),
        ("a.c", "7"),
    ]
    assert xml_file(f"core-site.xml {reason.isprintable()}", [given_by_user, decided]) == text


@given(text=HOSTILE)
def test_a_wrapped_text_has_no_line_breaks_or_control_characters(text: str) -> None:
    for line in wrapped(text):
        assert len(line.splitlines()) <= 1
        assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in line)


@settings(max_examples=25, deadline=None)
@given(reason=HOSTILE, value=st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=60))
def test_a_shell_reads_an_env_file_as_it_was_meant(reason: str, value: str) -> None:
    text = env_file("hadoop-env.sh", [setting("SOME_OPTS", value, "hadoop-env.sh", reason=reason)])
    script = f'{text}printf %s "$SOME_OPTS"\n'
    assert subprocess.run(["bash", "-n"], input=script.encode(), check=False).returncode == 0
    for shell in ("sh", "bash"):
        done = subprocess.run([shell], input=script.encode(), capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, value.encode(), b"")


@pytest.mark.parametrize("key", ["A;B", "1A", "A B", "", "A$(id)", "Ä"])
def test_what_cannot_name_a_variable_is_refused(key: str) -> None:
    with pytest.raises(UserError, match="not the name of a variable"):
        env_file("hadoop-env.sh", [setting(key, "x", "hadoop-env.sh")])


@pytest.mark.parametrize("value", ["a\x00b", "a\x1bb", "a\rb", "a\ud800b", "a\uffffb"])
def test_a_value_that_no_file_can_carry_is_refused(value: str) -> None:
    with pytest.raises(UserError, match="control character"):
        setting_text(setting("dfs.x", value, "hdfs-site.xml").model_copy(update={"value": value}), lines=True)


def test_a_line_break_is_refused_where_a_file_has_lines() -> None:
    fencing = setting("dfs.ha.fencing.methods", "sshfence\nshell(/bin/true)", "hdfs-site.xml")
    assert setting_text(fencing, lines=True).count("\n") == 1
    with pytest.raises(UserError):
        setting_text(fencing)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (False, "false"),
        (64, "64"),
        (0.05, "0.05"),
        (1e-05, "0.00001"),
        (1.0, "1"),
        (0.0, "0"),
    ],
)
def test_values_are_written_as_hadoop_reads_them(value: float | bool, text: str) -> None:
    assert value_text(value) == text
    assert value_text((text, "b")) == f"{text},b"


def test_a_vmx_value_cannot_end_its_quotes() -> None:
    text = vmx_fragment(kind(), [setting("guestinfo.a", 'x" y|', "vsphere.vmx")])
    assert text.endswith('guestinfo.a = "x|22 y|7C"\n')
    with pytest.raises(UserError):
        vmx_fragment(kind(), [setting('a" = "b', 1, "vsphere.vmx")])


@given(reason=HOSTILE, value=CARRIED)
def test_a_domain_reads_back_as_it_was_meant(reason: str, value: str) -> None:
    text = domain(
        kind(),
        [
            setting("cpu.@mode", value, "kvm.xml", reason=reason),
            setting("memoryBacking.hugepages", True, "kvm.xml", reason=reason),
        ],
    )
    root = ElementTree.fromstring(text.encode())
    found = root.find("cpu")
    assert found is not None
    assert found.get("mode") == value
    assert root.find("memoryBacking/hugepages") is not None
