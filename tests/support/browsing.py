"""Pages opened in a headless browser: in one tab that tests share, and in others beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    FloatRect,
    Locator,
    Page,
    Request,
    ViewportSize,
)

from support.patience import PATIENCE_MS

DESKTOP = ViewportSize(width=1200, height=900)

Scheme = Literal["light", "dark"]

ReportOf = Callable[[str], Path]
"""Gives the page of one of the runs by its name; see the browser tests' fixture."""


class Visit:
    """An opened page with everything it said on its console and everything it asked the network for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.context.set_default_timeout(PATIENCE_MS)
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", self._add_message)
        page.on("pageerror", self._add_error)
        page.on("request", self._add_request)

    def _add_message(self, message: ConsoleMessage) -> None:
        self.said.append(f"{message.type}: {message.text}")

    def _add_error(self, error: Error) -> None:
        self.said.append(f"error: {error}")

    def _add_request(self, request: Request) -> None:
        self.asked.append(request.url)

    def open(self, path: Path) -> Page:
        """Load the page and wait until every figure is drawn."""
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready=yes]")
        return self.page

    def go(self, address: str) -> Page:
        """Load a page of a server and wait until its scripts have run, and its figures are drawn."""
        self.page.goto(address)
        self.page.wait_for_selector("html[data-served=yes]")
        if self.page.locator(".live").count():
            self.page.wait_for_selector("html[data-ready=yes]")
        return self.page

    def load(self, address: Path | str) -> Page:
        """Load a file's page, or the page at a server's address."""
        return self.open(address) if isinstance(address, Path) else self.go(address)

    def end(self) -> None:
        """Leave the page and everything that it kept."""
        self.page.remove_listener("console", self._add_message)
        self.page.remove_listener("pageerror", self._add_error)
        self.page.remove_listener("request", self._add_request)
        self.page.unroute_all()
        if self.page.url.startswith("http"):
            self.page.evaluate("localStorage.clear(), sessionStorage.clear()")
        self.page.context.clear_cookies()
        self.page.goto("about:blank")
        self.page.mouse.move(0, 0)


class Visitor:
    """Opens a test's first page in a tab that all tests share, and every other in a separate context.

    A new tab takes half the CPU time of opening a page: its process starts, and compiles all scripts again.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._tab = self._new_tab()
        self._in_tab: Visit | None = None
        self._contexts: list[BrowserContext] = []

    def __call__(
        self,
        *,
        viewport: ViewportSize = DESKTOP,
        color_scheme: Scheme | None = None,
        java_script_enabled: bool | None = None,
    ) -> Visit:
        """Open an empty page; the arguments are Playwright's for a context."""
        if self._in_tab is None and java_script_enabled is None:
            self._tab.set_viewport_size(viewport)
            self._tab.emulate_media(media="null", color_scheme=color_scheme or "light")
            self._in_tab = Visit(self._tab)
            return self._in_tab
        context = self._browser.new_context(
            viewport=viewport, color_scheme=color_scheme, java_script_enabled=java_script_enabled
        )
        self._contexts.append(context)
        return Visit(context.new_page())

    def end(self) -> None:
        """Leave every page."""
        for context in self._contexts:
            context.close()
        self._contexts.clear()
        if self._in_tab is not None:
            # A test may have opened tabs beside it.
            for page in self._tab.context.pages:
                if page is not self._tab:
                    page.close()
            try:
                self._in_tab.end()
            except Error:
                # A page that has crashed is left only with its tab.
                self._tab.context.close()
                self._tab = self._new_tab()
            self._in_tab = None

    def _new_tab(self) -> Page:
        return self._browser.new_context(viewport=DESKTOP).new_page()


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
