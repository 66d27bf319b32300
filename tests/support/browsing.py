"""Pages opened in a headless browser, for the tests of the HTML report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, BrowserContext, FloatRect, Locator, Page, ViewportSize

DESKTOP = ViewportSize(width=1200, height=900)

Scheme = Literal["light", "dark"]

ReportOf = Callable[[str], Path]
"""Gives the page of one of the runs by its name; see the browser tests' fixture."""


class Visit:
    """An opened page with everything it said on its console and everything it asked the network for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("request", lambda request: self.asked.append(request.url))

    def open(self, path: Path) -> Page:
        """Load the page and wait until every figure is drawn."""
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready=yes]", timeout=30_000)
        return self.page

    def go(self, address: str) -> Page:
        """Load a page of a server and wait until its scripts have run, and its figures are drawn."""
        self.page.goto(address)
        self.page.wait_for_selector("html[data-served=yes]", timeout=30_000)
        if self.page.locator(".live").count():
            self.page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
        return self.page


class Visitor:
    """Opens pages, each in a context of its own."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.contexts: list[BrowserContext] = []

    def __call__(
        self,
        *,
        viewport: ViewportSize = DESKTOP,
        color_scheme: Scheme | None = None,
        java_script_enabled: bool | None = None,
    ) -> Visit:
        """Open an empty page; the arguments are Playwright's for a context."""
        context = self.browser.new_context(
            viewport=viewport, color_scheme=color_scheme, java_script_enabled=java_script_enabled
        )
        self.contexts.append(context)
        return Visit(context.new_page())

    def close(self) -> None:
        """Close every page."""
        for context in self.contexts:
            context.close()


def box_of(place: Locator) -> FloatRect:
    """Where something stands on the page; what is not drawn there fails the test."""
    box = place.bounding_box()
    assert box is not None, f"{place} is not drawn"
    return box


def attribute_of(place: Locator, name: str) -> str:
    """An element's attribute; one that is not there fails the test."""
    value = place.get_attribute(name)
    assert value is not None, f"{place} has no {name}"
    return value
