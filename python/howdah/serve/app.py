"""The application: its routes, what guards them, and what goes on beside them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from starlette.responses import PlainTextResponse, Response

import howdah
from howdah.serve.routes import compare, jobs, plans, predictions, runs, signing, starts, studies
from howdah.serve.routes.answers import REFUSED, Declined, Here, refusal
from howdah.serve.security import SCHEMES, Guard, carried, need_of
from howdah.serve.site import Site

_FOREVER = "public, max-age=31536000, immutable"


_DECLINED = {
    400: "The body is not JSON.",
    401: "Sign in first.",
    403: "The request lacks its token or header.",
    404: "Nothing has that name.",
    409: "The request cannot be fulfilled; the command line would refuse it for the same reason.",
    413: "The request is too large.",
    422: "The request does not match this description.",
    503: "The server is busy or ending.",
}
"""Why requests are declined, whatever they are for."""


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
        site.beside(site.watch.follow())
        if site.settings.allow_runs:
            site.beside(site.starter.follow())
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
    for subject in (runs, compare, studies, plans, predictions, jobs, starts, signing):
        app.include_router(subject.router)
    app.get("/assets/{name}", include_in_schema=False)(_asset)
    for error in REFUSED:
        app.exception_handler(error)(refusal)
    app.exception_handler(500)(refusal)
    app.add_middleware(
        Guard,
        keys=site.keys,
        loopback=site.settings.loopback,
        read_only=site.settings.read_only,
    )
    return app


def _asset(name: str, site: Here) -> Response:
    asset = site.assets.find(name)
    if asset is None:
        return PlainTextResponse("no such file", status_code=404)
    return Response(asset.content, media_type=asset.kind, headers={"Cache-Control": _FOREVER})
