"""The rules' face: explanations, the documentation's pages, the command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from scripts.rule_pages import pages, write
from typer.testing import CliRunner

from howdah.cli.rules import app
from howdah.errors import UserError
from howdah.model.request import Profile
from howdah.planner.document import explain, spell
from howdah.planner.rule import SettingRule, Severity
from howdah.planner.rules.catalogue import RULES, find_rule
from howdah.session import plans as session

COMMITTED = Path(__file__).parents[4] / "docs" / "rules"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.output


def refused(*arguments: str) -> UserError:
    error = CliRunner().invoke(app, arguments).exception
    assert isinstance(error, UserError)
    return error


def test_the_committed_pages_are_current() -> None:
    committed = {path.name: path.read_text() for path in COMMITTED.glob("*.md")}
    assert committed == pages(), "renew them: scripts/rule_pages.py docs/rules"


def test_pages_of_subjects_that_are_gone_go(tmp_path: Path) -> None:
    (tmp_path / "gone.md").write_text("old")
    (tmp_path / "kept.txt").write_text("not a page")
    write(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {*pages(), "kept.txt"}


def test_every_rule_is_on_the_page_of_its_subject() -> None:
    written = pages()
    for rule in RULES:
        assert f"\n## {rule.id}\n" in written[f"{rule.subject}.md"]


def test_every_link_leads_somewhere() -> None:
    written = pages()
    for name, text in written.items():
        anchors = {re.sub(r"[^\w -]", "", head.lower()) for head in re.findall(r"^#+ (.+)$", text, re.M)}
        for page, anchor in re.findall(r"\]\(([\w-]+\.md)?(?:#([\w-]+))?\)", text):
            assert not page or page in written, (name, page)
            assert not anchor or anchor in anchors, (name, anchor)


def test_tables_are_whole() -> None:
    for name, text in pages().items():
        for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
            widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
            assert len(widths) == 1, (name, table)


def test_ids_are_unique_and_begin_with_their_subject() -> None:
    ids = [rule.id for rule in RULES]
    assert len(set(ids)) == len(ids)
    assert [one for one in ids if not re.fullmatch(r"[a-z]+\.[a-z0-9]+(-[a-z0-9]+)*", one)] == []


def test_every_rule_says_something_in_a_sentence() -> None:
    assert [rule.id for rule in RULES if not rule.says.endswith(".")] == []
    assert [rule.id for rule in RULES if rule.today and not rule.today.endswith(".")] == []


def test_a_rule_that_only_the_request_decides_shows_its_value() -> None:
    explained = explain(find_rule("os.swappiness"))
    assert (explained.key, explained.file, explained.value) == ("vm.swappiness", "sysctl.conf", 1)
    assert explained.does == "sets a value"
    assert explained.sources == (spell("D0 27"),)
    assert "swappiness" in explained.sources[0].says


def test_a_rule_that_hosts_decide_says_so() -> None:
    explained = explain(find_rule("disks.make-file-system"))
    assert (explained.value, explained.because) == ("", "depends on the host")


def test_every_rule_can_be_explained() -> None:
    for rule in RULES:
        explained = explain(rule)
        assert explained.because or not isinstance(rule, SettingRule), rule.id
        assert set(explained.profiles) <= set(Profile)


def test_the_list_filters() -> None:
    everything = session.list_rules()
    assert len(everything) == len(RULES)
    must = session.list_rules("os", "must")
    assert {rule.id for rule in must} >= {"os.open-files", "os.kernel"}
    assert all((rule.subject, rule.severity) == ("os", Severity.MUST) for rule in must)
    one_item = session.list_rules(source="d0 27")
    assert {rule.id for rule in one_item} >= {"os.swappiness", "os.open-files"}
    assert all(any(source.label == "D0 27" for source in rule.sources) for rule in one_item)
    assert len(one_item) < len(session.list_rules(source="D0"))


@pytest.mark.parametrize(
    ("arguments", "where", "hint"),
    [
        (("--subject", "oss"), "--subject", "one of "),
        (("--severity", "high"), "--severity", "one of must, should, may"),
        (("--source", "D7"), "--source", "D0, D1"),
        (("--source", "D0 2 7"), "--source", "'D0 49'"),
        (("show", "os.swapiness"), "rule 'os.swapiness'", "did you mean os.swappiness?"),
        (("--subject", "os", "show", "os.swappiness"), "--subject", "leave them out"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], where: str, hint: str) -> None:
    error = refused(*arguments)
    assert error.where.startswith(where)
    assert hint in error.hint


def test_the_command_lists_and_counts() -> None:
    output = run("--subject", "firmware")
    assert "firmware.turbo" in output
    assert "os.swappiness" not in output
    assert "7 rules" in output
    assert run("--subject", "firmware", "--source", "D4") == "no rule matches all filters\n"


def test_the_command_explains() -> None:
    output = run("show", "os.swappiness")
    for text in ("vm.swappiness in sysctl.conf", "D0 27", "Virtualized Hadoop Performance", "today"):
        assert text in output
    shown = run("show", "hdfs.block-size")
    assert "134217728" in shown


def test_json_holds_what_the_page_says() -> None:
    listed = json.loads(run("--json"))
    assert [one["id"] for one in listed] == [rule.id for rule in RULES]
    one = json.loads(run("show", "os.swappiness", "--json"))
    assert (one["key"], one["value"], one["default"]) == ("vm.swappiness", 1, None)
    assert one["sources"][0]["label"] == "D0 27"
    assert json.loads(run("--json", "show", "os.swappiness")) == one
