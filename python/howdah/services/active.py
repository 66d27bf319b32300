"""Requests to the active daemon of a pair, with failover."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from howdah.services.addresses import WebAddress
from howdah.services.errors import NotReachable, RefusedByDaemon, ServiceError, Unexpected

T = TypeVar("T")

_AGAIN_S = 0.5


class Active:
    """Sends requests to the active daemon, and finds it again after a failover.

    ``daemon`` is the daemons' name, ``NameNode``; ``state`` reads a daemon's state from its URL (``active``
    in lower case); ``key`` is the property with their addresses. If none is active, as during a failover,
    requests wait up to ``patience_s``.
    """

    def __init__(
        self,
        daemon: str,
        addresses: Sequence[WebAddress],
        state: Callable[[str], str],
        key: str,
        *,
        patience_s: float = 0.0,
    ) -> None:
        self._daemon = daemon
        self._addresses = addresses
        self._state = state
        self._key = key
        self._patience_s = patience_s
        self._url = addresses[0].url if len(addresses) == 1 else None

    def query(self, request: Callable[[str], T]) -> T:
        """Return the result of a request with the active daemon's URL; retry once after a failover."""
        if len(self._addresses) == 1:
            return self._query_only(self._addresses[0].url, request)
        if self._url is not None:
            try:
                return request(self._url)
            except ServiceError as error:
                if not _may_be_standby(error):
                    raise
        self._url = self._wait_for_active()
        return request(self._url)

    def url(self) -> str:
        """Return the URL of the daemon that was active at the last request, or is active now."""
        if self._url is None:
            self._url = self._wait_for_active()
        return self._url

    def _query_only(self, url: str, request: Callable[[str], T]) -> T:
        try:
            return request(url)
        except NotReachable as error:
            # A request may be redirected to another daemon.
            if not error.where.startswith(url):
                raise
            hint = f"is it running there? its address is in {self._key}"
            raise NotReachable(f"{self._daemon} {url}", error.what, hint) from error

    def _wait_for_active(self) -> str:
        end = time.monotonic() + self._patience_s
        while True:
            try:
                return self._find_active()
            except NotReachable:
                if time.monotonic() >= end:
                    raise
            time.sleep(_AGAIN_S)

    def _find_active(self) -> str:
        states: list[str] = []
        for address in self._addresses:
            try:
                state = self._state(address.url)
            except ServiceError as error:
                states.append(f"{address.id} ({address.url}) {error.what}")
                continue
            if state == "active":
                return address.url
            states.append(f"{address.id} is {state}")
        raise NotReachable(
            f"the {self._daemon}s",
            f"none is active: {'; '.join(states)}",
            f"their addresses are in {self._key}",
        )


def _may_be_standby(error: ServiceError) -> bool:
    if isinstance(error, RefusedByDaemon):
        # A formerly active daemon that starts again answers with RetriableException, then becomes standby.
        return error.exception in ("StandbyException", "RetriableException")
    # A standby ResourceManager sends a page if no other is active either.
    return isinstance(error, NotReachable | Unexpected)
