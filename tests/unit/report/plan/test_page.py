"""A plan's page says all of the plan, cites what is there, and is the same every time."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from howdah.model.inventory import Inventory
from howdah.model.plan import Rack
from howdah.model.request import PlanRequest
from howdah.planner.cluster import plan_cluster
from howdah.planner.document import items
from howdah.planner.rules.catalogue import RULES
from howdah.report.plan.content import MOST_RACKS, labels, racks
from howdah.report.plan.page import plan_page
from howdah.session.plans import grounds
from support.plan_samples import GROUNDS, eight_hosts
from support.plans import group, plan


class _Page(HTMLParser):
    """The ids of a page, where its links lead, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words = ""
        self._script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self._script = tag in ("script", "style")
        if named.get("id"):
            self.ids.append(str(named["id"]))
        if tag == "a":
            self.links.append(str(named.get("href")))

    def handle_endtag(self, tag: str) -> None:
        self._script = False

    def handle_data(self, data: str) -> None:
        if not self._script:
            self.words += data


@pytest.fixture(scope="module")
def page() -> _Page:
    return _Page(plan_page(eight_hosts(), GROUNDS))


def test_every_value_is_on_the_page(page: _Page) -> None:
    for setting in eight_hosts().settings:
        assert setting.key in page.words
        assert setting.reason in page.words.replace("\N{NO-BREAK SPACE}", " ")


def test_every_platform_master_and_piece_of_advice_is_on_the_page(page: _Page) -> None:
    cluster = eight_hosts().cluster
    said = page.words.replace("\N{NO-BREAK SPACE}", " ")
    for candidate in cluster.candidates:
        assert candidate.platform in said
        for judgement in candidate.judgements:
            # A per cent sign stands apart from its number, as in every other text.
            assert re.sub(r"(?<=\d)%", " %", judgement.text) in said
    for master in cluster.masters:
        assert master.name in said
        assert master.reason in said
    for advice in cluster.advice:
        assert advice.text in said


def test_a_value_of_the_user_s_is_said_first_with_the_rule_it_breaks(page: _Page) -> None:
    said = page.words
    assert said.index("Yours: dfs.blocksize = 134217728 breaks hdfs.block-size") < said.index("Hosts", 500)


def test_ids_are_unique_and_links_lead_somewhere(page: _Page) -> None:
    assert len(page.ids) == len(set(page.ids))
    assert {f"#{id_}" for id_ in page.ids} >= set(page.links)
    assert "#source-D0-49" in page.links


def test_the_page_tells_how_to_ask_for_the_plan_again(page: _Page) -> None:
    assert (
        "howdah plan hosts.yaml --workload terasuite:30TB --hypervisor vsphere --protect-masters ft "
        "--set dfs.blocksize=128MiB --need 20TB --growth 40%/year --years 2"
    ) in page.words


def test_the_same_plan_gives_the_same_page() -> None:
    assert plan_page(eight_hosts(), GROUNDS) == plan_page(eight_hosts(), GROUNDS)


def test_very_many_racks_are_left_to_the_plan_s_file() -> None:
    hosts = group(count=500)
    made = plan(
        groups=[hosts], racks=[Rack(name=f"r{n}", hosts=(name,)) for n, name in enumerate(hosts.names)]
    )
    rows = racks(made.cluster).rows
    assert len(rows) == MOST_RACKS + 1
    assert rows[-1][1:] == ("300", "300 more racks to /r499, in the plan's file")


def test_of_many_groups_only_the_best_is_shown() -> None:
    inventory = Inventory(groups=tuple(group(f"g{number}", 2) for number in range(40)))
    made = plan_cluster(inventory, PlanRequest())
    text = plan_page(made, GROUNDS)
    page = _Page(text)
    assert len(text) < 2_000_000
    assert "The hosts of 32 more groups are not drawn." in page.words
    assert "28 more kinds of workers in the numbers" in page.words
    platforms = text[text.index('id="choices"') : text.index('id="advice"')]
    assert platforms.count('<details class="strong">') == platforms.count("<details") == 40


def test_every_source_that_rules_cite_is_one_source() -> None:
    # A comma in a source would make two of it.
    for rule in RULES:
        assert labels(rule.source) == rule.sources


def test_the_grounds_of_all_rules_are_known() -> None:
    known = grounds()
    assert set(known.rules) == {rule.id for rule in RULES}
    assert set(known.sources) == set(items())
    cited = {label for rule in RULES for label in rule.sources if re.match(r"D\d \d|X\d", label)}
    assert cited <= set(known.sources)


@pytest.mark.parametrize(
    ("module", "without"),
    [
        ("howdah.report.plan.page", ["pyarrow", "numpy", "howdah.analysis"]),
        ("howdah.report.plan.explained", ["pyarrow", "numpy", "howdah.analysis", "vl_convert", "jinja2"]),
        ("howdah.session.plans", ["pyarrow", "numpy", "howdah.analysis", "vl_convert", "jinja2"]),
        ("howdah.cli.plan", ["pyarrow", "numpy", "howdah.analysis", "vl_convert", "jinja2"]),
    ],
)
def test_planning_starts_without_what_it_does_not_need(module: str, without: list[str]) -> None:
    program = f"import sys, {module}; print([one for one in {without!r} if one in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
