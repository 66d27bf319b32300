"""The page of a plan in a browser: drawn, quiet, readable, usable, and safe whatever a plan holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from howdah.documents.files import read_inventory
from howdah.model.inventory import Inventory
from howdah.model.plan import ClusterPlan
from howdah.model.request import Demand, Growth, Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.session.plans import write_plan_page
from support.browsing import Scheme, Visitor, attribute_of
from support.inspecting import Inspector
from support.plan_samples import eight_hosts
from support.plans import group

pytestmark = pytest.mark.xdist_group("pages")

EXAMPLES = Path(__file__).parents[2] / "examples"

PLANS: dict[str, Callable[[], ClusterPlan]] = {
    "sample": eight_hosts,
    "32 hosts": lambda: _planned(
        "hosts-32", PlanRequest(growth=Growth(need_bytes=60 * 10**12, per_year=0.4, years=3))
    ),
    "7 hosts of a mix": lambda: _planned(
        "hosts-7",
        PlanRequest(
            workloads=(Demand(kind="terasuite"), Demand(kind="ycsb", records=10_000_000)),
            hypervisor=Hypervisor.KVM,
            protection=Protection.HA,
        ),
    ),
    "two kinds": lambda: _planned("hosts-mixed", PlanRequest()),
    "one host": lambda: _of(1),
    "10,000 hosts": lambda: _of(10_000),
}

PageOf = Callable[[str], Path]

LOOKS: tuple[tuple[str, Scheme], ...] = (
    ("sample", "light"),
    ("7 hosts of a mix", "dark"),
    ("10,000 hosts", "light"),
)
MORE: tuple[tuple[str, Scheme], ...] = (
    ("32 hosts", "light"),
    ("7 hosts of a mix", "light"),
    ("two kinds", "light"),
    ("one host", "light"),
)
every_look = pytest.mark.parametrize(
    ("name", "scheme"), [*LOOKS, *(pytest.param(*look, marks=pytest.mark.exam("pages")) for look in MORE)]
)


def _planned(example: str, request: PlanRequest) -> ClusterPlan:
    return plan_cluster(read_inventory(EXAMPLES / f"{example}.yaml"), request)


def _of(count: int) -> ClusterPlan:
    hosts = group(count=count, hosts=[f"w[00001-{count:05d}].example.com"])
    return plan_cluster(Inventory(groups=(hosts,)), PlanRequest())


@pytest.fixture(scope="session")
def page_of(tmp_path_factory: pytest.TempPathFactory) -> PageOf:
    """The page of one of the plans, written once."""
    written: dict[str, Path] = {}

    def write(name: str) -> Path:
        if name not in written:
            written[name] = tmp_path_factory.mktemp("plan") / "plan.html"
            write_plan_page(PLANS[name](), written[name])
        return written[name]

    return write


@every_look
def test_everything_is_drawn_quietly(name: str, scheme: Scheme, page_of: PageOf, inspect: Inspector) -> None:
    path = page_of(name)
    page = inspect(path, scheme)
    assert len(page.marks) + len(page.pictures) == page.figures
    assert len(page.pictures) >= 2
    assert [figure for figure, marks in page.marks.items() if not marks] == []
    assert all(width > 300 and height > 40 for width, height in page.pictures)
    assert page.messages == []
    assert page.requests == [path.as_uri()]
    # What rules and papers say may cite others.
    assert [word for word in page.leftovers if not word.startswith("D")] == []


@every_look
def test_axe_finds_no_violation(name: str, scheme: Scheme, page_of: PageOf, inspect: Inspector) -> None:
    assert inspect(page_of(name), scheme).violations == {}


@every_look
def test_no_width_needs_sideways_scrolling(
    name: str, scheme: Scheme, page_of: PageOf, inspect: Inspector
) -> None:
    assert inspect(page_of(name), scheme).too_wide == {}


@every_look
def test_headings_do_not_skip_a_level(name: str, scheme: Scheme, page_of: PageOf, inspect: Inspector) -> None:
    assert not inspect(page_of(name), scheme).skips_levels


@pytest.mark.parametrize("name", PLANS)
def test_the_file_stays_small(name: str, page_of: PageOf) -> None:
    assert page_of(name).stat().st_size < 3_000_000


def test_every_picture_has_a_name_and_a_description(page_of: PageOf, visit: Visitor) -> None:
    page = visit().open(page_of("32 hosts"))
    for picture in page.locator("figure [role=img]").all():
        named = page.locator(f"#{attribute_of(picture, 'aria-labelledby')}").inner_text()
        described = page.locator(f"#{attribute_of(picture, 'aria-describedby')}").inner_text()
        assert page.get_by_role("img", name=named, exact=True).count() >= 1
        assert len(described) > 20


def _shown(page: Page) -> list[str]:
    """The keys of the settings that can be seen."""
    keys: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("#settings .opening details")]
              .filter((row) => row.checkVisibility())
              .map((row) => row.querySelector("summary > span").textContent)"""
    )
    return keys


def test_settings_are_found_by_any_of_their_words(page_of: PageOf, visit: Visitor) -> None:
    page = visit().open(page_of("sample"))
    assert _shown(page) == []
    find = page.get_by_role("searchbox", name="Find")
    find.fill("block user")
    assert _shown(page) == ["dfs.blocksize"]
    assert page.locator("#found").inner_text() == "1 setting"
    find.fill("YARN-SITE")
    assert _shown(page) == ["yarn.nodemanager.resource.memory-mb", "yarn.nodemanager.local-dirs"]
    find.fill("nowhere")
    assert _shown(page) == []
    assert page.locator("#found").inner_text() == "0 settings"
    find.fill("")
    assert page.locator("#found").inner_text() == ""
    assert page.locator("#settings .file").count() == page.locator("#settings .file:visible").count()


def test_settings_are_filtered_by_file_from_the_keyboard(page_of: PageOf, visit: Visitor) -> None:
    page = visit().open(page_of("sample"))
    page.get_by_role("searchbox", name="Find").focus()
    page.keyboard.press("Tab")
    page.keyboard.type("mapred")
    page.wait_for_function("document.getElementById('found').value === '4 settings'")
    page.get_by_role("searchbox", name="Find").fill(".reduce. opts")
    assert _shown(page) == ["mapreduce.reduce.java.opts"]


def test_enter_in_the_search_box_goes_nowhere(page_of: PageOf, visit: Visitor) -> None:
    visiting = visit()
    page = visiting.open(page_of("sample"))
    page.get_by_role("searchbox", name="Find").fill("block")
    page.keyboard.press("Enter")
    assert _shown(page) == ["dfs.blocksize"]
    assert len(visiting.asked) == 1
    assert visiting.said == []


def test_the_keyboard_opens_a_value_and_follows_its_source(page_of: PageOf, visit: Visitor) -> None:
    page = visit().open(page_of("sample"))
    page.get_by_role("searchbox", name="Find").fill("dfs.replication")
    page.locator("#settings .opening details:visible summary").focus()
    page.keyboard.press("Enter")
    source = page.locator("#settings .opening details:visible a").first
    assert source.inner_text() == "vSphere 6 study, item 49"
    source.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.getElementById('source-D0-49').checkVisibility()")
    assert page.locator("#source-D0-49").is_visible()


def test_the_keyboard_opens_what_speaks_against_a_platform(page_of: PageOf, visit: Visitor) -> None:
    page = visit().open(page_of("sample"))
    page.locator(".choices .strong summary").focus()
    page.keyboard.press("Enter")
    assert page.get_by_text("the fullest holds about 4\u00a0% more blocks").is_visible()


def test_a_reason_can_be_hidden_in_the_chart(page_of: PageOf, visit: Visitor) -> None:
    page = visit().open(page_of("sample"))
    before = page.locator("#live-platforms .data_marks path").count()
    page.get_by_role("button", name="uneven blocks").click()
    page.wait_for_function(
        """before => document.querySelectorAll("#live-platforms .data_marks path").length < before""",
        arg=before,
    )


def test_paper_shows_every_reason_and_every_value(page_of: PageOf, visit: Visitor) -> None:
    page = visit(color_scheme="dark").open(page_of("sample"))
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert len(_shown(page)) == len(eight_hosts().settings)
    assert page.get_by_text("a worker would straddle").is_visible()
    assert page.locator(".still").count() == page.locator(".still:visible").count() > 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert _shown(page) == []
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_without_javascript_everything_can_be_read(page_of: PageOf, visit: Visitor) -> None:
    visiting = visit(java_script_enabled=False)
    visiting.page.goto(page_of("sample").as_uri())
    assert visiting.page.locator(".still:visible").count() == visiting.page.locator(".live").count() > 0
    assert visiting.page.locator("#find").count() == 0
    visiting.page.locator("#settings .file summary").first.click()
    assert visiting.page.get_by_text("worker.memory").first.is_visible()
    assert visiting.said == []


HOSTILE = "</script><script>window.caught=1</script><img src=x onerror='window.caught=2'>\u2028'\"`${1}"


def test_a_plan_s_text_stays_text(visit: Visitor, tmp_path: Path) -> None:
    plan = eight_hosts()
    cluster = plan.cluster
    hostile = plan.model_copy(
        update={
            "settings": tuple(
                one.model_copy(
                    update={
                        "reason": HOSTILE,
                        "value": HOSTILE,
                        "key": f"{one.key}{HOSTILE}",
                        "rule": HOSTILE,
                    }
                )
                for one in plan.settings
            ),
            "cluster": cluster.model_copy(
                update={
                    "masters": tuple(one.model_copy(update={"name": HOSTILE}) for one in cluster.masters),
                    "advice": tuple(one.model_copy(update={"text": HOSTILE}) for one in cluster.advice),
                    "candidates": tuple(
                        one.model_copy(update={"platform": HOSTILE}) for one in cluster.candidates
                    ),
                    "topology": cluster.topology.model_copy(update={"reason": HOSTILE}),
                }
            ),
        }
    )
    path = tmp_path / "plan.html"
    write_plan_page(hostile, path)
    visiting = visit()
    page = visiting.open(path)
    assert page.evaluate("window.caught") is None
    assert page.locator("img:not(.still)").count() == 0
    assert visiting.said == []
    assert visiting.asked == [path.as_uri()]


def test_the_page_forbids_reaching_anything(page_of: PageOf, visit: Visitor) -> None:
    page = visit().open(page_of("sample"))
    blocked = page.evaluate(
        """async () => {
          const seen = [];
          document.addEventListener("securitypolicyviolation", (one) => seen.push(one.effectiveDirective));
          await fetch("http://127.0.0.1:9/").catch(() => {});
          const script = document.createElement("script");
          script.textContent = "window.ran = 1";
          document.body.append(script);
          await new Promise((done) => setTimeout(done, 200));
          return [seen.sort(), window.ran ?? null];
        }"""
    )
    assert blocked == [["connect-src", "script-src-elem"], None]
