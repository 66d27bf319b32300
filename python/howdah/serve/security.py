"""Who may ask for what: the host that is asked, the visitor, the token, and how much is taken in.

On the loopback address everybody on this machine may read, but only pages of this very server may compute
(a header that no page of another site can send), and only who has the token may change anything. A browser
keeps the token in its storage for this server's port alone, where a cookie would be sent to every other port
of the machine, too. Elsewhere one has to sign in to read: then a cookie stands for having shown the token or
the password, and pages of this server, shown by their header, may change things with it.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from enum import Enum, auto
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from howdah.model.hostname import split_address

TOKEN_HEADER: Final = "x-howdah-token"
PAGE_HEADER: Final = "x-howdah-page"  # Any value shows that a page of this server asks: no other can.
COOKIE: Final = "howdah"
MOST_BODY_BYTES: Final = 1 * 2**20
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_SIGNING_IN: Final = "/api/v1/session"
_OPEN: Final = ("/assets/", "/sign-in/", _SIGNING_IN)  # What one needs in order to sign in.
_COMPUTING: Final = ("/api/v1/inventory/", "/api/v1/plan", "/api/v1/what-if")
"""What is asked with a body and changes nothing."""
_WRONG_S: Final = 1.0  # A wrong secret is answered so late, one after the other.

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'"
)  # What pages may do; styles are allowed inline because Vega sets them.


class RequestNeed(Enum):
    """What a request does, which decides who may send it."""

    READ = auto()
    COMPUTE = auto()
    CHANGE = auto()
    SIGN_IN = auto()


def need_of(method: str, path: str) -> RequestNeed:
    """What a request does."""
    if path == _SIGNING_IN:
        return RequestNeed.SIGN_IN
    if method in _READING:
        return RequestNeed.READ
    return RequestNeed.COMPUTE if path.startswith(_COMPUTING) else RequestNeed.CHANGE


SCHEMES: Final = {
    "token": {"type": "apiKey", "in": "header", "name": TOKEN_HEADER, "description": "The server's token."},
    "page": {"type": "apiKey", "in": "header", "name": PAGE_HEADER, "description": "Any value."},
    "signed-in": {"type": "apiKey", "in": "cookie", "name": COOKIE, "description": "See /api/v1/session."},
}  # What a request may have to carry, as an OpenAPI document describes it.


def carried(need: RequestNeed, *, loopback: bool) -> list[dict[str, list[str]]]:
    """The ways in which a request may carry what it needs, as an OpenAPI document lists them."""
    if need is RequestNeed.CHANGE:
        return [{"token": []}] if loopback else [{"token": []}, {"page": [], "signed-in": []}]
    page: dict[str, list[str]] = {"page": []} if need is RequestNeed.COMPUTE else {}
    if loopback or need is RequestNeed.SIGN_IN:
        return [page] if page else []
    return [{**page, "signed-in": []}, {**page, "token": []}]


class Keys:
    """The token of this server, and what else opens it."""

    def __init__(self, *, token: str | None = None, password: str | None = None) -> None:
        self.token = token or secrets.token_urlsafe(24)
        self._password = password
        self._key = secrets.token_bytes(32)
        self._one_wrong_at_a_time = asyncio.Lock()

    @property
    def by_password(self) -> bool:
        """Whether there is a password, too."""
        return self._password is not None

    @property
    def cookie(self) -> str:
        """What the cookie of a visitor says who has signed in; worthless once the server has ended."""
        return hmac.new(self._key, b"reading", hashlib.sha256).hexdigest()

    def has_token(self, headers: Headers) -> bool:
        """Whether a request carries the token."""
        return _same(headers.get(TOKEN_HEADER, ""), self.token)

    def signed_in(self, headers: Headers) -> bool:
        """Whether a request comes from somebody who has signed in."""
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return cookie is not None and _same(cookie.value, self.cookie)

    async def opens(self, secret: str) -> bool:
        """Whether somebody's secret is the token or, where there is one, the password; slow to say no."""
        expected = self._password if self._password is not None else self.token
        if _same(secret, expected) or _same(secret, self.token):
            return True
        async with self._one_wrong_at_a_time:
            await asyncio.sleep(_WRONG_S)
        return False


def _same(shown: str, expected: str) -> bool:
    return hmac.compare_digest(shown.encode(), expected.encode())


class Guard:
    """Looks at every request before anything else does, and at every answer after."""

    def __init__(self, app: ASGIApp, *, keys: Keys, loopback: bool, read_only: bool) -> None:
        self._app = app
        self._keys, self._loopback, self._read_only = keys, loopback, read_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        begun = False
        if scope["method"] == "HEAD":
            # Every page and every answer has one: that of GET without its body.
            scope, send = {**scope, "method": "GET"}, _headers_only(send)

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                _protect(MutableHeaders(scope=message), secure=not self._loopback)
            await send(message)

        refused = self._refused(scope, Headers(scope=scope))
        if refused is not None:
            await refused(scope, receive, guarded)
            return
        try:
            await self._app(scope, _limited(receive), guarded)
        except asyncio.CancelledError:
            # Nothing but the end of the server cancels a request.
            if not begun:
                await _no(503, "the server has ended", "start it again")(scope, receive, guarded)

    def _refused(self, scope: Scope, headers: Headers) -> Response | None:  # noqa: PLR0911 - one a reason
        path, method = scope["path"], scope["method"]
        need = need_of(method, path)
        if self._loopback and not _of_this_machine(headers.get("host", "")):
            # A name of somebody's own that leads to this address would make this server part of their site.
            return _no(421, "this server answers to localhost only", "open http://localhost instead")
        if not self._loopback and not self._allowed(path, headers):
            if method in _READING and not path.startswith("/api/"):
                return RedirectResponse(f"/sign-in/?then={quote(path)}", status_code=303)
            return _no(401, "sign in first", "send the token or the password to /api/v1/session")
        if need in (RequestNeed.READ, RequestNeed.SIGN_IN):
            return _too_large(headers)
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return _no(403, "asked by a page of another site", "open a page of this server")
        if need is RequestNeed.COMPUTE:
            return _too_large(headers) if PAGE_HEADER in headers else _lacking(PAGE_HEADER, "any value")
        if self._read_only:
            return _no(403, "this server is read-only", "start it without --read-only")
        if not self._keys.has_token(headers) and not self._signed_page(headers):
            return _lacking(TOKEN_HEADER, "the token: changes need it")
        return _too_large(headers)

    def _signed_page(self, headers: Headers) -> bool:
        """Whether a page of this server asks for somebody who has signed in."""
        return not self._loopback and PAGE_HEADER in headers and self._keys.signed_in(headers)

    def _allowed(self, path: str, headers: Headers) -> bool:
        return path.startswith(_OPEN) or self._keys.signed_in(headers) or self._keys.has_token(headers)


def _of_this_machine(host: str) -> bool:
    return split_address(host)[0].lower() in ("localhost", "127.0.0.1", "::1")


def _too_large(headers: Headers) -> Response | None:
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length[:20]) > MOST_BODY_BYTES:
        return _no(413, f"larger than {MOST_BODY_BYTES:,} bytes", "send less")
    return None


def _lacking(header: str, content: str) -> Response:
    return _no(403, "is missing or wrong", f"send {content}", where=f"header {header}")


def _no(status: int, problem: str, hint: str = "", where: str = "") -> Response:
    return JSONResponse({"where": where, "what": problem, "hint": hint}, status_code=status)


def _protect(headers: MutableHeaders, *, secure: bool) -> None:
    headers["Content-Security-Policy"] = f"{POLICY}; frame-ancestors 'none'"
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "no-referrer"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers.setdefault("Cache-Control", "no-store")
    if secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"


def _headers_only(send: Send) -> Send:
    async def headers_only(message: Message) -> None:
        if message["type"] == "http.response.start":
            await send(message)
            # A stream would otherwise go on for as long as its listener listens.
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    return headers_only


class BodyTooLarge(HTTPException):
    """A request went on for longer than it may."""

    def __init__(self) -> None:
        super().__init__(413)


def _limited(receive: Receive) -> Receive:
    """What is received, up to the most that is taken in: a request need not say how long it is."""
    remaining = MOST_BODY_BYTES

    async def limited() -> Message:
        nonlocal remaining
        message = await receive()
        remaining -= len(message.get("body", b""))
        if remaining < 0:
            raise BodyTooLarge
        return message

    return limited
