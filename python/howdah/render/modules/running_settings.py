"""What a daemon that runs has been configured with, by its own page, compared with what its files give it."""

from __future__ import annotations

import http.client
from typing import Dict, List, Optional, Tuple
from xml.etree import ElementTree

from howdah.render.modules.changes import Json
from howdah.render.modules.pages import get

HIDDEN = ("<redacted>", "<masked>")
"""Replacement of passwords on the pages of Hadoop and HBase."""
BY_ITSELF = "programmatically"
"""The source of what a daemon has set itself: its own address, for instance, from that of its NameNode."""


class PageClosed(OSError):
    """The page is not shown to howdah."""


def settings_on_page(name: str, port: int) -> Dict[str, Tuple[str, str]]:
    """The value of every key and its source; raises OSError where the page does not show them."""
    status, text = get(name, port, "/conf")
    if status != 200:
        raise PageClosed(f"/conf answers {status}")
    try:
        properties = ElementTree.fromstring(text).iter("property")
    except ElementTree.ParseError as error:
        raise PageClosed(f"/conf is no configuration: {error}") from None
    return {
        entry.findtext("name") or "": (entry.findtext("value") or "", entry.findtext("source") or "")
        for entry in properties
    }


def page_of(name: str, daemon: Json) -> Dict[str, Tuple[str, str]]:
    """The settings that a daemon's page shows; empty for a daemon without a page.

    Raises OSError where the page shows nothing.
    """
    port = daemon["page"]["port"]
    if not daemon.get("expects") or not port or not daemon["page"]["ask"].startswith("/"):
        return {}
    try:
        return settings_on_page(name, port)
    except http.client.HTTPException as error:
        raise PageClosed(f"/conf: {error}") from None


def differences(daemon: Json, shown: Dict[str, Tuple[str, str]]) -> List[Json]:
    """The keys whose value on a daemon's page differs from that in its files, with both values."""
    loaded = {source for _, source in shown.values()}
    return [
        {"key": key, "planned": planned, "running": running}
        for file, settings in (daemon.get("expects") or {}).items()
        # A daemon reads a file that it has not loaded yet in its state at that time.
        if file in loaded
        for key, planned in settings.items()
        for running in [differing(planned, shown.get(key))]
        if running is not None
    ]


def differing(planned: str, shown: Optional[Tuple[str, str]]) -> Optional[str]:
    """The value that a daemon has instead of the planned one; empty for none, None where it is the same."""
    value, source = shown or ("", "")
    if source == BY_ITSELF or value in HIDDEN or value.split() == planned.split():
        return None
    # Some pages show a variable's value.
    return None if "${" in planned and shown else value


def changed_settings(name: str, daemon: Json, former: Json) -> List[Json]:
    """The settings that a running daemon would have another value of once it is started again, with both.

    By its own page where that is shown: the former deployment may have ended before it was restarted.
    Otherwise, and for what is no longer planned, by what was applied before, ``former``.
    """
    try:
        shown = page_of(name, daemon)
    except OSError:
        shown = {}
    changed = differences(daemon, shown)
    if "expects" not in former:
        return changed
    before, after = (_flat(former), _flat(daemon))
    for key in sorted({*before, *after}):
        removed = key not in after and (not shown or shown.get(key, ("", ""))[0] == before[key])
        if removed or (key in after and not shown and before.get(key) != after[key]):
            changed.append({"key": key, "planned": after.get(key, ""), "running": before.get(key, "")})
    return changed


def _flat(daemon: Json) -> Dict[str, str]:
    return {key: value for settings in daemon["expects"].values() for key, value in settings.items()}
