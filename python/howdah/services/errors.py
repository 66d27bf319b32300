"""Errors of requests to daemons, and answers as far as they decide between them."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import httpx

from howdah.errors import RunFailed
from howdah.units import MIB, format_bytes

_NUMBER = re.compile(r"^\[Errno -?\d+\] ")  # The system's number of an error, which its text makes redundant.
_MOST_BYTES = 256 * MIB  # The largest answer is fsck's, some 300 bytes for each of a million blocks.
_LOST = {errno.ETIMEDOUT, errno.EHOSTUNREACH, errno.ENETUNREACH}
_PACKING = {"content-encoding", "content-length", "transfer-encoding"}


class ServiceError(RunFailed):
    """A daemon's answer is missing or wrong; ``where`` is the URL without its query."""


class NotReachable(ServiceError):
    """Nothing listens there, the name is unknown, or no answer came in time."""


class NotConnected(NotReachable):
    """There was no connection to the daemon, so the request was not sent."""


class RefusedByDaemon(ServiceError):
    """An HTTP error, with Hadoop's own ``exception`` (``AccessControlException``) if it is known."""

    def __init__(self, where: str, status: int, exception: str, message: str, hint: str = "") -> None:
        # Hadoop's own exception is more precise than HTTP's status.
        words = [exception] if exception else [f"answers {status}"]
        super().__init__(where, ": ".join([*words, message] if message else words), hint)
        self.status = status
        self.exception = exception
        self.message = message


class NeedsTicket(RefusedByDaemon):
    """The daemon requires Kerberos, and there is no ticket, or no library to use one."""


class Unexpected(ServiceError):
    """The daemon's answer has an unexpected form."""


def is_lost(error: OSError) -> bool:
    """Whether the kernel could not reach a host; a retry at once would take as long again."""
    return error.errno in _LOST


_CHECK = "check the address in the configuration"
_REQUEST_ERRORS: tuple[tuple[type[Exception], type[ServiceError], str, str], ...] = (
    (httpx.ConnectTimeout, NotConnected, "cannot be reached in time", "is the daemon running there?"),
    (httpx.TimeoutException, NotReachable, "does not answer in time",
     "is the daemon running, and not overloaded?"),
    (httpx.UnsupportedProtocol, NotReachable, "is not an address: {}", _CHECK),
    (httpx.InvalidURL, NotReachable, "is not an address: {}", _CHECK),
    (httpx.DecodingError, Unexpected, "returns data that cannot be decoded: {}", ""),
    (httpx.RemoteProtocolError, Unexpected, "does not answer by HTTP, or broke off: {}",
     "is this the port of a web server?"),
    (httpx.ConnectError, NotConnected, "cannot be reached: {}", "is the daemon running there?"),
    (httpx.RequestError, NotReachable, "cannot be reached: {}", "is the daemon running there?"),
)  # fmt: skip
"""Errors of httpx, the first that fits; what each becomes, the problem with its reason, and the hint."""


@contextmanager
def translated_errors(url: str) -> Iterator[None]:
    """Replace httpx's errors by those of this package, without queries, which may contain a token."""
    where = url.partition("?")[0]
    try:
        yield
    except (httpx.RequestError, httpx.InvalidURL) as error:
        kind, problem, hint = next(row[1:] for row in _REQUEST_ERRORS if isinstance(error, row[0]))
        late = isinstance(error, httpx.TimeoutException) and kind is NotReachable
        cause: BaseException | None = error if late else None
        while cause is not None and not (isinstance(cause, OSError) and is_lost(cause)):
            # The HTTP library raises some errors without a cause.
            cause = cause.__cause__ or cause.__context__
        if isinstance(cause, OSError):
            problem, hint = f"cannot be reached: {cause.strerror}", "is its host running?"
        raise kind(where, problem.format(_NUMBER.sub("", str(error))), hint) from error


def whole(response: httpx.Response) -> httpx.Response:
    """Return a response with all of its content; raise Unexpected if it is too large."""
    announced = response.headers.get("Content-Length", "")
    if announced.isdigit() and int(announced) <= _MOST_BYTES and "Content-Encoding" not in response.headers:
        response.read()
        return response
    content = bytearray()
    for chunk in response.iter_bytes():
        content += chunk
        if len(content) > _MOST_BYTES:
            where = str(response.url.copy_with(query=None))
            problem = f"returns more than {format_bytes(_MOST_BYTES)}"
            raise Unexpected(where, problem, "is this the port of the daemon's web server?")
    # The content is decoded now: its headers no longer apply.
    headers = [pair for pair in response.headers.multi_items() if pair[0].lower() not in _PACKING]
    status, request = response.status_code, response.request
    return httpx.Response(status, headers=headers, content=bytes(content), request=request)


def is_json(response: httpx.Response) -> bool:
    return "json" in response.headers.get("Content-Type", "")


def json_of(response: httpx.Response) -> Any:
    """Return an answer's JSON; raise Unexpected if it is something else."""
    try:
        return response.json()
    except ValueError as error:
        where = str(response.url.copy_with(query=None))
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        problem = "returns truncated or malformed JSON"
        if not is_json(response):
            problem = f"returns {kind or 'unlabelled data'}, not JSON"
        raise Unexpected(where, problem, "is this the port of the daemon's web server?") from error


def refusal(response: httpx.Response) -> RefusedByDaemon:
    """Return the error of an HTTP error, with Hadoop's own exception if the answer has one."""
    content: object = None
    if is_json(response):
        with suppress(ValueError):
            content = response.json()
    remote = content.get("RemoteException") if isinstance(content, dict) else None
    where = str(response.url.copy_with(query=None))
    if isinstance(remote, dict):
        message = str(remote.get("message") or "").partition("\n")[0]
        return RefusedByDaemon(where, response.status_code, str(remote.get("exception") or ""), message)
    return RefusedByDaemon(where, response.status_code, "", response.reason_phrase)
