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

LOOKS: tuple[tuple[Scheme, int], ...] = (("light", 1200), ("dark", 360), ("light", 2560))
NAMES = tuple(WholeSite(Path(), ("a", "b"), "", "", "", "").addresses())
ABSENT = "nothing"

PRINTED = "the run that is printed, the plan and the list"


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
