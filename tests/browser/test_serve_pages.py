"""Every page of a server in a browser: quiet, for every eye and every width, by keyboard and on paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from support.browsing import Scheme, Visitor
from support.inspecting import Inspected, Inspector
from support.served import Started, started
from support.whole_site import WholeSite, whole_site

pytestmark = pytest.mark.xdist_group("served pages")

NAMES = (*WholeSite(Path(), ("a", "b"), "", "", "", "").addresses(), "start")
ABSENT = "nothing"
LOOKS: list[tuple[str, Scheme]] = [(name, scheme) for name in NAMES for scheme in ("light", "dark")]
EVERY_CHANGE = {
    *((name, "light") for name in ("runs", "run", "record of another version", "comparison", "study")),
    *((name, "light") for name in ("planning", "predictions", "checks", "start", ABSENT)),
    *((name, "dark") for name in ("run that was killed", "studies", "paper", "plan")),
    *((name, "dark") for name in ("prediction", "prediction and run")),
}
"""Every kind of page once; the exam inspects them all in both schemes."""

AddressOf = Callable[[str], str]
only_exam = pytest.mark.exam("pages")


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
def address_of(server: Started, everything: WholeSite) -> AddressOf:
    """The address of one of the pages by its name."""
    addresses = {**everything.addresses(), "start": "start/"}
    return lambda name: server.address + addresses[name]


every_look = pytest.mark.parametrize(
    ("name", "scheme"),
    [pytest.param(*look, marks=() if look in EVERY_CHANGE else only_exam) for look in LOOKS],
)


def _inspected(name: str, scheme: Scheme, address_of: AddressOf, inspect: Inspector) -> Inspected:
    return inspect(address_of(name), scheme, ready="#times .time" if name == "planning" else "h1")


@every_look
def test_a_page_is_quiet_and_asks_nobody_else(
    name: str, scheme: Scheme, address_of: AddressOf, inspect: Inspector
) -> None:
    page = _inspected(name, scheme, address_of, inspect)
    assert page.heading
    # That a page is not there is an answer too, which Chromium tells on its console.
    told = [line for line in page.messages if not (name == ABSENT and "404" in line)]
    assert told == []
    assert {urlsplit(request).netloc for request in page.requests} == {urlsplit(address_of(name)).netloc}


@every_look
def test_axe_finds_no_violation(name: str, scheme: Scheme, address_of: AddressOf, inspect: Inspector) -> None:
    page = _inspected(name, scheme, address_of, inspect)
    assert page.violations == {}
    assert page.passes > 10


@every_look
def test_nothing_is_beyond_the_edge(
    name: str, scheme: Scheme, address_of: AddressOf, inspect: Inspector
) -> None:
    assert _inspected(name, scheme, address_of, inspect).too_wide == {}


@pytest.mark.parametrize(
    "name",
    [
        *("runs", "start"),
        *(
            pytest.param(name, marks=only_exam)
            for name in ("run", "study", "planning", "predictions", "checks")
        ),
    ],
)
def test_the_keyboard_reaches_everything_that_can_be_used(
    name: str, visit: Visitor, address_of: AddressOf
) -> None:
    page = visit().go(address_of(name))
    if name == "planning":
        page.wait_for_selector("#times .time")
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


@pytest.mark.parametrize(
    "name",
    [
        "runs",
        *(
            pytest.param(name, marks=only_exam)
            for name in ("run", "comparison", "paper", "plan", "predictions")
        ),
    ],
)
def test_paper_shows_still_pictures_and_nothing_to_press(
    name: str, visit: Visitor, address_of: AddressOf
) -> None:
    visiting = visit(color_scheme="dark")
    page = visiting.go(address_of(name))
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator(".site li").first.is_visible()
    assert not any(
        one.is_visible() for one in page.locator(".filter, .under-list, .compare-bar, .annotate, .live").all()
    )
    stills = page.locator("figure .still").all()
    assert bool(stills) == (name != "runs")
    for still in stills:
        still.scroll_into_view_if_needed()
        assert still.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    assert page.pdf(format="A4").startswith(b"%PDF")
    assert visiting.said == []
