"""What answers have in common: pages, refusals, streams, and the site that a request belongs to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, cast

from fastapi import Depends, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, StreamingResponse
from starlette.responses import Response

from howdah.errors import HowdahError
from howdah.model.base import Model
from howdah.model.legible import shortened
from howdah.serve.hub import TooManyListeners
from howdah.serve.places import NotServed
from howdah.serve.security import BodyTooLarge
from howdah.serve.site import Busy, Site


class Declined(Model):
    """Why something is not done, as the command line would say it."""

    where: str = ""
    """The file, key or flag at fault."""
    what: str
    """What is wrong."""
    hint: str = ""
    """What would be right."""


def _site(request: Request) -> Site:
    return cast(Site, request.app.state.site)


Here = Annotated[Site, Depends(_site)]
"""The site, as a parameter of a route."""


def html(text: str) -> Response:
    """A page."""
    return HTMLResponse(text)


def svg(text: str) -> Response:
    """A picture, which could be opened by itself: it may run nothing."""
    return Response(text, media_type="image/svg+xml")


def stream(events: AsyncIterator[bytes]) -> Response:
    """Server-sent events."""
    return StreamingResponse(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


def refusal(request: Request, error: Exception) -> Response:
    """The answer to a request that is at fault: a page for a reader, JSON for a program."""
    status, said = _said(error)
    if request.url.path.startswith("/api/") or "text/html" not in request.headers.get("accept", ""):
        return JSONResponse(said.model_dump(), status_code=status)
    page = _site(request).page("refusal.html.j2", request.url.path, said=said, status=status)
    return HTMLResponse(page, status_code=status)


def _said(error: Exception) -> tuple[int, Declined]:
    if isinstance(error, HowdahError):
        return 409, Declined(where=error.where, what=error.what, hint=error.hint)
    if isinstance(error, NotServed):
        return 404, Declined(
            what="There is nothing of that name here.", hint=error.reason or "It may have been removed."
        )
    if isinstance(error, Busy | TooManyListeners):
        return 503, Declined(what="The server is busy.", hint="Ask again in a few seconds.")
    if isinstance(error, BodyTooLarge):
        return 413, Declined(what="The request is too large.", hint="")
    if isinstance(error, RequestValidationError):
        return 422, _unfit(error)
    return 500, Declined(
        what="This page cannot be made: that is a defect of howdah's.",
        hint="What went wrong is told where howdah serve was started.",
    )


def _unfit(error: RequestValidationError) -> Declined:
    """What is wrong with the first part of a request that does not fit; no part of it is repeated."""
    fault = error.errors()[0]
    part, *keys = map(str, fault["loc"])
    what = str(fault["msg"]).replace("Input should", "should")
    hint = "correct the address" if part in ("query", "path") else "correct the request"
    return Declined(where=shortened(".".join(keys)), what=shortened(what), hint=hint)


REFUSED = (HowdahError, NotServed, Busy, TooManyListeners, BodyTooLarge, RequestValidationError)
"""What is answered with a refusal."""
