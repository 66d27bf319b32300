"""What can go wrong when a daemon is asked.

ServiceError            a daemon did not answer as it should
├── NotReachable        nobody listens, the name is unknown, or no answer came in time
│   └── NotConnected    it was not even asked: there was no connection to it
├── Refused             it answered with an HTTP error; Hadoop's own exception where it gave one
│   └── NeedsTicket     it asks for Kerberos, and there is no ticket or no library for one
└── Unexpected          it answered with something else than was asked for, such as a page
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from howdah.errors import RunFailed
from howdah.services.addresses import is_lost
from howdah.units import MIB, format_bytes

_NUMBER = re.compile(r"^\[Errno -?\d+\] ")
"""The system's number of an error, which says nothing that its words do not."""
_MOST_BYTES = 256 * MIB
"""The largest answer is fsck's, some 300 bytes for a block: this much tells of nearly a million of them."""
_PACKING = {"content-encoding", "content-length", "transfer-encoding"}


class ServiceError(RunFailed):
    """A daemon did not answer as it should; ``where`` is its URL without what a query may hold."""


class NotReachable(ServiceError):
    """Nobody listens, the name is unknown, or no answer came in time."""


class NotConnected(NotReachable):
    """There was no connection to the daemon: it was not asked, and has done nothing."""


class RefusedByDaemon(ServiceError):
    """The daemon answered with an HTTP error.

    ``status`` is HTTP's, ``exception`` the simple name of Hadoop's own (``AccessControlException``), empty
    where there is none, and ``message`` the first line of what it says.
    """

    def __init__(self, where: str, status: int, exception: str, message: str, hint: str = "") -> None:
        # Hadoop's own exception says more than the number of HTTP's that goes with it.
        words = [exception] if exception else [f"answers {status}"]
        super().__init__(where, ": ".join([*words, message] if message else words), hint)
        self.status = status
        self.exception = exception
        self.message = message


class NeedsTicket(RefusedByDaemon):
    """The daemon asks for Kerberos, and there is no ticket, or no library to use one."""


class Unexpected(ServiceError):
    """The daemon answered with something else than was asked for."""


@contextmanager
def translated_errors(url: str) -> Iterator[None]:
    """Make httpx's errors those of this package; a query is left out, for it may hold a token."""
    where = url.partition("?")[0]
    try:
        yield
    except httpx.ConnectTimeout as error:
        raise NotConnected(where, "cannot be reached in time", "is the daemon running there?") from error
    except httpx.TimeoutException as error:
        if lost := _lost(error):
            raise NotReachable(
                where, f"cannot be reached: {lost.strerror}", "is its host running?"
            ) from error
        raise NotReachable(
            where, "does not answer in time", "is the daemon running, and not overloaded?"
        ) from error
    except (httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
        raise NotReachable(
            where, f"is not an address: {error}", "check the address in the configuration"
        ) from error
    except httpx.DecodingError as error:
        raise Unexpected(where, f"returns data that cannot be decoded: {error}", "") from error
    except httpx.RemoteProtocolError as error:
        raise Unexpected(
            where,
            f"does not answer by HTTP, or broke off: {error}",
            "is this the port of a web server?",
        ) from error
    except httpx.RequestError as error:
        reason = _NUMBER.sub("", str(error))
        kind = NotConnected if isinstance(error, httpx.ConnectError) else NotReachable
        raise kind(where, f"cannot be reached: {reason}", "is the daemon running there?") from error


def _lost(error: BaseException | None) -> OSError | None:
    """What the kernel said of a host that it gave up, where that is behind an error."""
    while error is not None:
        if isinstance(error, OSError) and is_lost(error):
            return error
        # The library that connects raises some of its errors anew from none.
        error = error.__cause__ or error.__context__
    return None


def whole(response: httpx.Response) -> httpx.Response:
    """A response with all of its content; raises Unexpected for more than any answer should have."""
    announced = response.headers.get("Content-Length", "")
    if announced.isdigit() and int(announced) <= _MOST_BYTES and "Content-Encoding" not in response.headers:
        response.read()
        return response
    content = bytearray()
    for chunk in response.iter_bytes():
        content += chunk
        if len(content) > _MOST_BYTES:
            raise Unexpected(
                str(response.url.copy_with(query=None)),
                f"returns more than {format_bytes(_MOST_BYTES)}",
                "is this the port of the daemon's web server?",
            )
    # What the headers say of how it was packed is true no more.
    headers = [pair for pair in response.headers.multi_items() if pair[0].lower() not in _PACKING]
    return httpx.Response(
        response.status_code, headers=headers, content=bytes(content), request=response.request
    )


def is_json(response: httpx.Response) -> bool:
    """Whether an answer says it is JSON."""
    return "json" in response.headers.get("Content-Type", "")


def json_of(response: httpx.Response) -> Any:
    """An answer's JSON; raises Unexpected where it is something else."""
    try:
        return response.json()
    except ValueError as error:
        where = str(response.url.copy_with(query=None))
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        what = "returns truncated or malformed JSON"
        if not is_json(response):
            what = f"returns {kind or 'unlabelled data'}, not JSON"
        raise Unexpected(where, what, "is this the port of the daemon's web server?") from error


def refusal(response: httpx.Response) -> RefusedByDaemon:
    """An HTTP error with Hadoop's own exception, where the answer has one."""
    said: object = None
    if is_json(response):
        try:
            said = response.json()
        except ValueError:
            said = None
    remote = said.get("RemoteException") if isinstance(said, dict) else None
    where = str(response.url.copy_with(query=None))
    if isinstance(remote, dict):
        message = str(remote.get("message") or "").partition("\n")[0]
        return RefusedByDaemon(where, response.status_code, str(remote.get("exception") or ""), message)
    return RefusedByDaemon(where, response.status_code, "", response.reason_phrase)
