"""The one of several daemons that serves, where they stand in for one another."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from howdah.services.addresses import WebAddress
from howdah.services.errors import NotReachable, RefusedByDaemon, ServiceError, Unexpected

T = TypeVar("T")

_AGAIN_S = 0.5


class Active:
    """Asks the daemon that is active, and looks for it anew once it is not.

    ``what`` is the daemons' name, ``NameNode``; ``state`` reads a daemon's state from its URL, ``active`` in
    small letters for the one that serves; ``key`` is the property that says where they are. For so long as
    ``patience_s`` one is waited for while none is active, as in the middle of a failover.
    """

    def __init__(
        self,
        what: str,
        addresses: Sequence[WebAddress],
        state: Callable[[str], str],
        key: str,
        *,
        patience_s: float = 0.0,
    ) -> None:
        self._what = what
        self._addresses = addresses
        self._state = state
        self._key = key
        self._patience_s = patience_s
        self._url = addresses[0].url if len(addresses) == 1 else None

    def ask(self, question: Callable[[str], T]) -> T:
        """The answer of the active daemon's URL to a question, asked once more after a failover."""
        if len(self._addresses) == 1:
            return self._ask_only(self._addresses[0].url, question)
        if self._url is not None:
            try:
                return question(self._url)
            except ServiceError as error:
                if not _may_be_standby(error):
                    raise
        self._url = self._find()
        return question(self._url)

    def url(self) -> str:
        """The URL of the daemon that was active when it was asked last, or is now if none was asked."""
        if self._url is None:
            self._url = self._find()
        return self._url

    def _ask_only(self, url: str, question: Callable[[str], T]) -> T:
        try:
            return question(url)
        except NotReachable as error:
            # A question may lead on to other daemons, whose address is not this one's.
            if not error.where.startswith(url):
                raise
            hint = f"is it running there? its address is in {self._key}"
            raise NotReachable(f"{self._what} {url}", error.what, hint) from error

    def _find(self) -> str:
        end = time.monotonic() + self._patience_s
        while True:
            try:
                return self._look()
            except NotReachable:
                if time.monotonic() >= end:
                    raise
            time.sleep(_AGAIN_S)

    def _look(self) -> str:
        told: list[str] = []
        for address in self._addresses:
            try:
                state = self._state(address.url)
            except ServiceError as error:
                told.append(f"{address.id} ({address.url}) {error.what}")
                continue
            if state == "active":
                return address.url
            told.append(f"{address.id} is {state}")
        raise NotReachable(
            f"the {self._what}s", f"none is active: {'; '.join(told)}", f"their addresses are in {self._key}"
        )


def _may_be_standby(error: ServiceError) -> bool:
    if isinstance(error, RefusedByDaemon):
        # One that was active, was lost and starts again asks to be asked later, when it is a standby.
        return error.exception in ("StandbyException", "RetriableException")
    # A ResourceManager on standby sends a page where no other is active either.
    return isinstance(error, NotReachable | Unexpected)
