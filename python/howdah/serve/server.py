"""The server: its application, its port, its token, its start and its end."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final, NamedTuple

import uvicorn
from fastapi import APIRouter, FastAPI, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from uvicorn.protocols.http.h11_impl import H11Protocol

import howdah
from howdah.errors import UserError
from howdah.model.base import Model
from howdah.serve.places import ServeSettings
from howdah.serve.routes import jobs, plans, predictions, runs, starts, studies
from howdah.serve.routes.answers import REFUSED, Declined, Here, JsonRoute, own_page, refusal
from howdah.serve.security import COOKIE, SCHEMES, Guard, Keys, carried, need_of
from howdah.serve.site import Site

MOST_CONNECTIONS: Final = 480
MOST_OF_AN_ADDRESS: Final = 64  # Of one address but this machine's, or of one network of IPv6.
ARRIVAL_S: Final = 20.0  # A request must have arrived so soon after its connection, or its first byte.
_HANDSHAKE_S: Final = 10.0
_NETWORK_BYTES: Final = 8  # Who has one IPv6 address has every address of its /64.


class LimitedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 with a time limit for requests, and with room for new connections.

    Where there are too many, the one that has waited for its client for longest is closed: a client that is
    at work sends its request at once, so it is not that one.
    """

    _peer: bytes = b""  # The address, or the beginning of one; empty for this machine's.
    since_s: float = 0.0  # When its last request began to arrive.
    _due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make room for it, and expect its request."""
        super().connection_made(transport)
        self._peer = _peer_of(self.client)
        self._expect()
        peers = [peer for peer in self.connections if isinstance(peer, LimitedProtocol) and peer is not self]
        own = [peer for peer in peers if peer._peer == self._peer]
        if self._peer and len(own) >= MOST_OF_AN_ADDRESS:
            _longest_waiting(own, self).close()
        elif len(peers) >= MOST_CONNECTIONS:
            _longest_waiting(peers, self).close()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request."""
        super().data_received(data)
        if self.waits_for_request:
            if self._due is None:
                self._expect()
        elif self._due is not None:
            self._due.cancel()
            self._due = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing any more."""
        if self._due is not None:
            self._due.cancel()
        super().connection_lost(exc)

    @property
    def waits_for_request(self) -> bool:
        """Whether the whole of a request is yet to arrive."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    @property
    def waits(self) -> bool:
        """Whether the client has to do something: send its request or read its answer."""
        return self.waits_for_request or self.flow.write_paused

    def close(self) -> None:
        """Close it at once; from now on it counts no more."""
        self.connections.discard(self)
        self.transport.abort()

    def _expect(self) -> None:
        self.since_s = self.loop.time()
        self._due = self.loop.call_later(ARRIVAL_S, self.close)


def _longest_waiting(several: list[LimitedProtocol], new: LimitedProtocol) -> LimitedProtocol:
    """The connection that gives way to a new one, which is the new one where all are at work."""
    waiting = [peer for peer in several if peer.waits and not peer.transport.is_closing()]
    return min(waiting, key=lambda peer: peer.since_s, default=new)


def _peer_of(client: tuple[str, int] | None) -> bytes:
    try:
        address = ip_address((client or ("", 0))[0].partition("%")[0])
    except ValueError:
        return b""
    return b"" if address.is_loopback else address.packed[:_NETWORK_BYTES]


class LimitedLoop(asyncio.SelectorEventLoop):
    """An event loop whose servers limit the time of TLS handshakes, which uvicorn leaves at a minute."""

    async def create_server(self, *arguments: Any, **named: Any) -> asyncio.Server:
        """Create a server as asyncio does."""
        if isinstance(named.get("ssl"), ssl.SSLContext):
            named["ssl_handshake_timeout"] = _HANDSHAKE_S
        return await super().create_server(*arguments, **named)


_INDEX = "runs.sqlite"
_LAST_WORDS_S = 0.3  # Answers that are being sent when the server ends may take so long.
_PATIENCE_S = 5  # What has not ended so long after it was cancelled is left.
_FILES = 8192  # Open files, of which each connection is one.


class Certificate(NamedTuple):
    """Files for TLS."""

    chain: Path
    key: Path | None


def serve(
    settings: ServeSettings,
    *,
    port: int,
    password: str | None,
    certificate: Certificate | None,
    report: Callable[[str, str, Path], None],
) -> None:
    """Serve until the user ends it, and report address, token and its file; UserError if it cannot start."""
    listening = _listening(settings.host, port)
    try:
        if certificate is not None:
            _check(certificate)
        keys = Keys(password=password)
        bound = listening.getsockname()[1]
        token_file = _keep_token(settings, keys.token, bound)
        site = Site(settings, keys, index_file=settings.state_dir / _INDEX)
        scheme = "https" if certificate else "http"
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        server = _Server(
            uvicorn.Config(
                application(site),
                log_level="warning",
                # What is asked for is nobody's business, and a mistyped address may hold a secret.
                access_log=False,
                server_header=False,
                date_header=False,
                proxy_headers=False,
                ws="none",
                timeout_graceful_shutdown=_PATIENCE_S,
                timeout_keep_alive=30,
                http=LimitedProtocol,
                h11_max_incomplete_event_size=64 * 2**10,
                ssl_certfile=certificate.chain if certificate else None,
                ssl_keyfile=certificate.key if certificate else None,
            ),
            site,
        )
        _raise_file_limit()
        site.warm()
        try:
            with suppress(KeyboardInterrupt):
                report(f"{scheme}://{host}:{bound}/", keys.token, token_file)
                with asyncio.Runner(loop_factory=LimitedLoop) as runner:
                    runner.run(server.serve(sockets=[listening]))
        finally:
            with suppress(OSError):
                token_file.unlink()
    finally:
        listening.close()


class _Server(uvicorn.Server):
    """Ends streams and work first: they would be waited for."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self._site = site

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._site.hub.close()
        asyncio.get_running_loop().call_later(_LAST_WORDS_S, self._cancel)
        await super().shutdown(sockets)

    def _cancel(self) -> None:
        for task in self.server_state.tasks:
            task.cancel()
        asyncio.get_running_loop().call_later(_LAST_WORDS_S, self._abort)

    def _abort(self) -> None:
        for connection in self.server_state.connections:
            # A client that reads nothing would be waited for.
            connection.transport.abort()


def _raise_file_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        address = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][4]
    except OSError as error:
        hint = "give 0.0.0.0 or one of its addresses"
        raise UserError(f"--listen {host}", "is not an address of this machine", hint) from error
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        # A port that a server had until now is free, though the kernel still remembers its connections.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(256)
    except OSError as error:
        listening.close()
        raise _unusable(host, port, error) from error
    listening.set_inheritable(False)
    return listening


def _unusable(host: str, port: int, error: OSError) -> UserError:
    if error.errno == errno.EADDRINUSE:
        return UserError(
            f"--port {port}", "is used by another program", "give another port, or --port 0 for any free one"
        )
    if error.errno == errno.EACCES:
        return UserError(f"--port {port}", "needs root", "give a port of 1024 or above")
    return UserError(
        f"--listen {host}", f"cannot be used ({error.strerror})", "give 0.0.0.0 or an address of this machine"
    )


def _check(certificate: Certificate) -> None:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate.chain, certificate.key)
    except (OSError, ssl.SSLError) as error:
        problem = f"cannot be used with its key ({error.strerror or error})"
        hint = "give a PEM file with the certificate and its chain, and its key with --key"
        raise UserError(f"--certificate {certificate.chain}", problem, hint) from error


def _keep_token(settings: ServeSettings, token: str, port: int) -> Path:
    """The token in a file that only this user can read: a terminal's lines may be kept by others."""
    path = settings.state_dir / f"token-{port}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(f"{token}\n")
    except OSError as error:
        hint = "set XDG_CACHE_HOME to a directory on a disk with free space"
        raise UserError(str(path), f"cannot be written ({error.strerror})", hint) from error
    return path


signing = APIRouter(route_class=JsonRoute)


class Secret(Model):
    """The token, or the password where there is one."""

    secret: str


class Opened(Model):
    """What changes are asked for with."""

    token: str  # To be sent in the header ``X-Howdah-Token``.


@signing.get("/sign-in/", include_in_schema=False)
def sign_in(request: Request, site: Here) -> Response:
    """The page that asks for the token or the password."""
    return own_page(request, "sign-in.html.j2", by_password=site.keys.by_password)


@signing.post("/api/v1/session", response_model=Opened)
async def session(credentials: Secret, site: Here) -> Response:
    """Show the token or the password: a cookie stands for it where pages are read."""
    if not await site.keys.opens(credentials.secret):
        wrong = Declined(
            where="secret", what="is wrong", hint="howdah serve printed which file holds the token"
        )
        return JSONResponse(wrong.model_dump(), status_code=401)
    answer = JSONResponse({"token": site.keys.token})
    if not site.settings.loopback:
        answer.set_cookie(COOKIE, site.keys.cookie, httponly=True, secure=True, samesite="strict", path="/")
    return answer


_FOREVER = "public, max-age=31536000, immutable"


_DECLINED = {
    400: "The body is not JSON.", 401: "Sign in first.", 403: "The request lacks its token or header.",
    404: "Nothing has that name.",
    409: "The request cannot be fulfilled; the command line would refuse it for the same reason.",
    413: "The request is too large.", 422: "The request does not match this description.",
    503: "The server is busy or ending.",
}  # fmt: skip


class _Application(FastAPI):
    """FastAPI whose description of the API has what the guard wants of each request."""

    def __init__(self, loopback: bool, **named: Any) -> None:
        super().__init__(**named)
        self._loopback = loopback

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document."""
        if self.openapi_schema is None:
            document = super().openapi()
            document["components"]["securitySchemes"] = SCHEMES
            for path, operations in document["paths"].items():
                for method, operation in operations.items():
                    operation["security"] = carried(need_of(method.upper(), path), loopback=self._loopback)
        return super().openapi()


def application(site: Site) -> FastAPI:
    """The application of a site."""

    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        site.spawn(site.watch.follow())
        if site.settings.allow_runs:
            site.spawn(site.starter.follow())
        yield
        await site.close()

    app = _Application(
        site.settings.loopback,
        responses={status: {"model": Declined, "description": why} for status, why in _DECLINED.items()},
        title="howdah",
        version=howdah.__version__,
        openapi_url="/api/v1/openapi.json",
        # The pages that show it are fetched from elsewhere, which pages of howdah's never do.
        docs_url=None,
        redoc_url=None,
        lifespan=running,
    )
    app.state.site = site
    for subject in (runs, studies, plans, predictions, jobs, starts):
        app.include_router(subject.router)
    app.include_router(signing)
    app.get("/assets/{name}", include_in_schema=False)(_asset)
    for error in REFUSED:
        app.exception_handler(error)(refusal)
    app.exception_handler(500)(refusal)
    app.add_middleware(
        Guard, keys=site.keys, loopback=site.settings.loopback, read_only=site.settings.read_only
    )
    return app


def _asset(name: str, site: Here) -> Response:
    asset = site.assets.files.get(name)
    if asset is None:
        return PlainTextResponse("no such file", status_code=404)
    return Response(asset.content, media_type=asset.kind, headers={"Cache-Control": _FOREVER})
