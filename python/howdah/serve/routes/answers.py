"""What requests and answers have in common: JSON bodies, pages, refusals, streams, and the site."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, StreamingResponse
from fastapi.routing import APIRoute
from pydantic_core import ErrorDetails, from_json
from starlette.exceptions import HTTPException
from starlette.responses import Response

from howdah.errors import HowdahError
from howdah.model.base import Model
from howdah.model.wrong_values import explained
from howdah.serve.hub import TooManyListeners
from howdah.serve.places import NotServed
from howdah.serve.security import MOST_BODY_BYTES, BodyTooLarge
from howdah.serve.site import Shown, Site
from howdah.serve.work import Busy, RequestWork, VisitorLeft


class Malformed(HTTPException):
    """The body of a request is not JSON."""

    def __init__(self, why: str) -> None:
        super().__init__(400, why)


class _JsonRequest(Request):
    """A request whose body is JSON by the standard: no NaN, no lone surrogates, no endless nesting."""

    async def json(self) -> Any:
        """The body's value; raises Malformed where it has none."""
        body = await self.body()
        try:
            return from_json(body, allow_inf_nan=False)
        except ValueError as error:
            raise Malformed(str(error)) from error


class JsonRoute(APIRoute):
    """A route whose requests are read strictly."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        handle = super().get_route_handler()

        async def strict(request: Request) -> Response:
            return await handle(_JsonRequest(request.scope, request.receive))

        return strict


class Declined(Model):
    """Why something is not done, as the command line would say it."""

    where: str = ""
    what: str
    hint: str = ""


_LONGEST = 300


def brief(text: str) -> str:
    """The beginning of a text that a request may have made long."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _site(request: Request) -> Site:
    return cast(Site, request.app.state.site)


Here = Annotated[Site, Depends(_site)]


async def _gone(request: Request) -> None:
    """Wait until the visitor has left, who sends nothing more once the request is there."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _working(request: Request) -> RequestWork:
    return RequestWork(_site(request).workers, lambda: _gone(request))


def _simulating(request: Request) -> RequestWork:
    return RequestWork(_site(request).simulators, lambda: _gone(request))


Working = Annotated[RequestWork, Depends(_working)]
Simulating = Annotated[RequestWork, Depends(_simulating)]


def own_page(request: Request, template: str, here: str = "", **values: Any) -> Response:
    """A page of the server's own, at the address that is requested."""
    return HTMLResponse(_site(request).pages.page(template, request.url.path, here, **values))


def stream(events: AsyncIterator[bytes]) -> Response:
    """Server-sent events."""
    return StreamingResponse(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


def show(router: APIRouter, path: str, find: Callable[..., Shown]) -> None:
    """Serve a page and its still pictures; ``find`` takes the site and the names in the path."""

    async def page(request: Request, site: Here, work: Working) -> Response:
        shown = await asyncio.to_thread(find, site, **request.path_params)
        made = await site.shown.page(shown, work)
        return HTMLResponse(made.html)

    router.get(path, include_in_schema=False)(page)
    show_pictures(router, path, find)


def show_pictures(router: APIRouter, path: str, find: Callable[..., Shown]) -> None:
    """Serve the still pictures of a page, for paper."""

    async def picture(request: Request, site: Here, work: Working) -> Response:
        names = dict(request.path_params)
        figure = names.pop("figure")
        shown = await asyncio.to_thread(find, site, **names)
        drawn = await site.shown.picture(shown, figure, work)
        # A picture could be opened by itself: it may run nothing.
        return Response(drawn, media_type="image/svg+xml")

    router.get(f"{path}figures/{{figure}}.svg", include_in_schema=False)(picture)


def refusal(request: Request, error: Exception) -> Response:
    """The answer to a request that is at fault: a page for a reader, JSON for a program."""
    status, declined = _declined_of(error)
    declined = Declined(where=brief(declined.where), what=brief(declined.what), hint=brief(declined.hint))
    headers = error.headers if isinstance(error, HTTPException) else None
    if request.url.path.startswith("/api/") or "text/html" not in request.headers.get("accept", ""):
        return JSONResponse(declined.model_dump(), status_code=status, headers=headers)
    page = _site(request).pages.page("refusal.html.j2", request.url.path, said=declined, status=status)
    return HTMLResponse(page, status_code=status, headers=headers)


def _wrong(error: RequestValidationError) -> Declined:
    """The first of a request's faults, in the words that faults of files have."""
    detail = error.errors()[0]
    # What comes first says which part of the request it is, and a key may be whatever a client sends.
    steps = [str(step).encode(errors="replace").decode() for step in detail["loc"][1:]]
    where = ".".join(steps) or str(detail["loc"][0])
    if detail["type"] == "missing":
        return Declined(where=where, what="is missing", hint="/api/v1/openapi.json lists what is needed")
    if detail["type"] == "extra_forbidden":
        return Declined(where=where, what="is not known here", hint="/api/v1/openapi.json lists what is")
    what, hint = explained(cast(ErrorDetails, detail))
    return Declined(where=where, what=what, hint=hint)


def _declined_of(error: Exception) -> tuple[int, Declined]:
    match error:
        case RequestValidationError():
            return 422, _wrong(error)
        case HowdahError():
            return 409, Declined(where=error.where, what=error.what, hint=error.hint)
        case NotServed() if error.reason:
            return 404, Declined(what=_NOT_HERE, hint=error.reason)
        case HTTPException() if not isinstance(error, BodyTooLarge) and error.status_code != 404:
            return error.status_code, _declined(error)
    for kinds, status, what, hint in _FIXED:
        if isinstance(error, kinds):
            return status, Declined(what=what, hint=hint)
    return 500, Declined(
        what="howdah could not make this page. That is a bug in howdah.",
        hint="The terminal where howdah serve was started shows the details.",
    )


_NOT_HERE = "There is nothing of that name here."
_FIXED = (
    ((Busy, VisitorLeft, TooManyListeners), 503, "The server is busy.", "Try again in a few seconds."),
    (BodyTooLarge, 413, "The request is too large.", f"It may have {MOST_BODY_BYTES:,} bytes."),
    ((NotServed, HTTPException), 404, _NOT_HERE, "It may have been removed."),
)


def _declined(error: HTTPException) -> Declined:
    if isinstance(error, Malformed):
        return Declined(where="body", what=f"is not JSON: {error.detail}", hint="send JSON in UTF-8")
    allowed = (error.headers or {}).get("Allow")
    return Declined(what=f"{error.detail}.", hint=f"Allowed here: {allowed}." if allowed else "")


REFUSED = (HowdahError, NotServed, Busy, VisitorLeft, TooManyListeners, HTTPException, RequestValidationError)
