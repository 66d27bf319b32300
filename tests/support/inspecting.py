"""What a page shows that is opened once for all tests that only look at it."""

from __future__ import annotations

import re
import time
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

from support.browsing import DESKTOP, Scheme, Visitor
from support.patience import PATIENCE_S

WIDTHS = (768, 2200)
PHONE = ViewportSize(width=360, height=800)

TOO_WIDE = """() => {
  const page = document.documentElement.scrollWidth - innerWidth;
  const charts = [...document.querySelectorAll(".live")].filter((place) => {
    const inner = place.querySelector("svg, canvas");
    if (place.matches(".scroll")) return false;
    return inner && inner.getBoundingClientRect().right > place.getBoundingClientRect().right + 1;
  });
  return [...(page > 0 ? [`the page, by ${page} px`] : []), ...charts.map((place) => place.id)];
}"""
SHOWN = """() => {
  const marks = (place) => {
    if (place.dataset.drawn !== "yes") return 0;
    const canvas = place.querySelector("canvas");
    if (canvas) {
      const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      return new Set(new Uint32Array(pixels.buffer)).size - 1;
    }
    return [...place.querySelectorAll(".data_marks path")].filter((mark) => {
      const box = mark.getBoundingClientRect();
      return box.width > 0.2 && box.height >= 0;
    }).length;
  };
  const size = (picture) => {
    const box = picture.getBoundingClientRect();
    return [box.width, box.height];
  };
  const all = (what) => [...document.querySelectorAll(what)];
  return {
    heading: document.querySelector("h1").innerText,
    text: document.querySelector("main").textContent,
    clipped: all(".live:not(.scroll) svg text")
      .filter((word) => word.textContent.endsWith("…") && getComputedStyle(word).opacity !== "0")
      .map((word) => word.textContent),
    figures: all("figure").length,
    marks: Object.fromEntries(all(".live").map((place) => [place.id, marks(place)])),
    pictures: all(".drawing svg[role=img]").map(size),
    levels: all("h1, h2, h3, h4").map((heading) => Number(heading.tagName[1])),
  };
}"""


class Inspected(NamedTuple):
    """What was seen of a page in one look: light on a desktop, or dark on a phone."""

    heading: str
    text: str
    """Every word of it, folded ones too."""
    clipped: list[str]
    """The words of charts that end in an ellipsis."""
    figures: int
    marks: dict[str, int]
    """Marks that are drawn, by the place of each chart."""
    pictures: list[list[float]]
    """Width and height of each drawing that is no chart."""
    levels: list[int]
    """Levels of the headings, in order."""
    messages: list[str]
    """Everything on the console."""
    requests: list[str]
    too_wide: dict[int, list[str]]
    """What is wider than it may be, by the window's width in pixels."""
    violations: dict[str, list[str]]
    passes: int

    @property
    def leftovers(self) -> list[str]:
        """What is of use to this project alone: unrendered code, and abbreviations of what rules cite."""
        return re.findall(r"`|\bGrounds\b|\bD[0-4] \d+", self.text)

    @property
    def skips_levels(self) -> bool:
        """Whether a heading is two levels below the one before it, or no heading is above all others."""
        below = any(after - before > 1 for before, after in pairwise(self.levels))
        return below or self.levels[0] != 1 or self.levels.count(1) != 1


class Inspector:
    """Inspects each page once in each scheme."""

    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor
        self._known: dict[tuple[Path | str, Scheme], Inspected] = {}

    def __call__(self, address: Path | str, scheme: Scheme, *, ready: str = "h1") -> Inspected:
        """What a page shows in a scheme; ``ready`` is a selector of what it shows last."""
        key = address, scheme
        if key not in self._known:
            self._known[key] = _inspect(self._visitor, address, scheme, ready)
            self._visitor.end()
        return self._known[key]


def _inspect(visitor: Visitor, address: Path | str, scheme: Scheme, ready: str) -> Inspected:
    view = PHONE if scheme == "dark" else DESKTOP
    visit = visitor(color_scheme=scheme, viewport=view)
    page = visit.load(address)
    page.wait_for_selector(ready)
    shown = page.evaluate(SHOWN)
    # What is laid out only once it is looked at is laid out now.
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    axe = Axe().run(page).response
    too_wide = {width: beyond for width in (PHONE["width"], *WIDTHS) if (beyond := _too_wide(page, width))}
    return Inspected(
        **shown,
        messages=list(visit.said),
        requests=list(visit.asked),
        too_wide=too_wide,
        violations={rule["id"]: [node["html"] for node in rule["nodes"]] for rule in axe["violations"]},
        passes=len(axe["passes"]),
    )


def _too_wide(page: Page, width: int) -> list[str]:
    """The page and its charts that are wider than they may be in a window, once charts have followed it."""
    page.set_viewport_size({"width": width, "height": 800})
    end_s = time.monotonic() + PATIENCE_S
    while (beyond := list(map(str, page.evaluate(TOO_WIDE)))) and time.monotonic() < end_s:
        page.wait_for_timeout(50)
    return beyond
