"""Signing in, where the server can be reached from elsewhere."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from howdah.model.base import Model
from howdah.serve.routes.answers import Declined, Here, JsonRoute, html
from howdah.serve.security import COOKIE

router = APIRouter(route_class=JsonRoute)


class Secret(Model):
    """The token, or the password where there is one."""

    secret: str


class Opened(Model):
    """What changes are asked for with."""

    token: str
    """To be sent in the header ``X-Howdah-Token``."""


@router.get("/sign-in/", include_in_schema=False)
def sign_in(request: Request, site: Here) -> Response:
    """The page that asks for the token or the password."""
    return html(site.page("sign-in.html.j2", request.url.path, by_password=site.keys.by_password))


@router.post("/api/v1/session", response_model=Opened)
async def session(given: Secret, site: Here) -> Response:
    """Show the token or the password: a cookie stands for it where pages are read."""
    if not await site.keys.opens(given.secret):
        wrong = Declined(
            where="secret", what="is wrong", hint="howdah serve printed which file holds the token"
        )
        return JSONResponse(wrong.model_dump(), status_code=401)
    answer = JSONResponse({"token": site.keys.token})
    if not site.settings.loopback:
        answer.set_cookie(COOKIE, site.keys.cookie, httponly=True, secure=True, samesite="strict", path="/")
    return answer
