"""Every page of a server in a browser: quiet, for every eye and every width, by keyboard and on paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from support.browsing import Scheme, Visitor
from support.served import Started, started
from support.whole_site import WholeSite, whole_site

LOOKS: tuple[tuple[Scheme, int], ...] = (("light", 1200), ("dark", 360))
NAMES = tuple(WholeSite(Path(), ("a", "b"), "", "", "", "").addresses())
ABSENT = "nothing"


class Seen(NamedTuple):
    """What was seen of a page that was opened once."""

    heading: str
    said: tuple[str, ...]
    hosts: frozenset[str]
    violations: dict[str, list[str]]
    passes: int
    beyond: int
    """Pixels that it is wider than the window."""


See = Callable[[str, Scheme, int], Seen]


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> WholeSite:
    """One of everything, written once."""
    return whole_site(tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module")
def server(everything: WholeSite) -> Iterator[Started]:
    """A server of everything that also may start runs."""
    with started(everything.folder, *everything.arguments, "--allow-runs") as one:
        yield one


@pytest.fixture(scope="module")
def see(chromium: Browser, server: Started, everything: WholeSite) -> See:
    """Opens a page once in each look."""
    addresses = {**everything.addresses(), "start": "start/"}

    @cache
    def seen(name: str, scheme: Scheme, width: int) -> Seen:
        visitor = Visitor(chromium)
        visiting = visitor(color_scheme=scheme, viewport={"width": width, "height": 900})
        page = visiting.go(server.address + addresses[name])
        if name == "planning":
            page.wait_for_selector("#times .time", timeout=60_000)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        # What is laid out only once it is looked at is laid out now.
        axe = Axe().run(page).response
        found = Seen(
            heading=page.locator("h1").first.inner_text(),
            said=tuple(visiting.said),
            hosts=frozenset(urlsplit(asked).netloc for asked in visiting.asked),
            violations={one["id"]: [node["html"] for node in one["nodes"]] for one in axe["violations"]},
            passes=len(axe["passes"]),
            beyond=page.evaluate("document.documentElement.scrollWidth - innerWidth"),
        )
        visitor.close()
        return found

    return seen


every_page = pytest.mark.parametrize("name", [*NAMES, "start"])
every_look = pytest.mark.parametrize(("scheme", "width"), LOOKS)


@every_page
def test_a_page_is_quiet_and_asks_nobody_else(name: str, see: See, server: Started) -> None:
    for look in LOOKS:
        seen = see(name, *look)
        assert seen.heading
        # That a page is not there is an answer too, which Chromium tells on its console.
        told = [line for line in seen.said if not (name == ABSENT and "404" in line)]
        assert told == []
        assert seen.hosts == {urlsplit(server.address).netloc}


@every_page
@every_look
def test_axe_finds_no_violation(name: str, scheme: Scheme, width: int, see: See) -> None:
    seen = see(name, scheme, width)
    assert seen.violations == {}
    assert seen.passes > 10


@every_page
@every_look
def test_nothing_is_beyond_the_edge(name: str, scheme: Scheme, width: int, see: See) -> None:
    assert see(name, scheme, width).beyond <= 0


@pytest.mark.parametrize("name", ["runs", "run", "study", "planning", "predictions", "checks", "start"])
def test_the_keyboard_reaches_everything_that_can_be_used(
    name: str, visit: Visitor, server: Started, everything: WholeSite
) -> None:
    addresses = {**everything.addresses(), "start": "start/"}
    page = visit().go(server.address + addresses[name])
    if name == "planning":
        page.wait_for_selector("#times .time", timeout=60_000)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    count = page.evaluate(
        """() => {
          const used = "a[href], button:enabled, input:enabled, select, textarea, summary, [tabindex='0']";
          const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && one.type !== "hidden";
          window.wanted = [...document.querySelectorAll(used)].filter(seen);
          return window.wanted.length;
        }"""
    )
    assert count > 5
    missed = set(range(count))
    # A field for a date has three stops of its own.
    for _ in range(count + 12):
        place, marked = page.evaluate(
            """() => {
              const here = document.activeElement;
              const around = here.closest(".written") ?? here;
              return [window.wanted.indexOf(here), getComputedStyle(around).outlineStyle !== "none"];
            }"""
        )
        if place >= 0:
            missed.discard(place)
            assert marked, page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
        page.keyboard.press("Tab")
    assert [page.evaluate("at => window.wanted[at].outerHTML.slice(0, 200)", at) for at in missed] == []


@pytest.mark.parametrize("name", ["runs", "run", "comparison", "paper", "plan", "predictions"])
def test_paper_shows_still_pictures_and_nothing_to_press(
    name: str, visit: Visitor, server: Started, everything: WholeSite
) -> None:
    visiting = visit(color_scheme="dark")
    page = visiting.go(server.address + everything.addresses()[name])
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator(".site li").first.is_visible()
    assert not any(one.is_visible() for one in page.locator(".filter, .under-list, .annotate, .live").all())
    stills = page.locator("figure .still").all()
    assert bool(stills) == (name != "runs")
    for still in stills:
        still.scroll_into_view_if_needed()
        assert still.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    assert page.pdf(format="A4").startswith(b"%PDF")
    assert visiting.said == []
