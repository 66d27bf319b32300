"""The application: its routes, what guards them, and what goes on beside them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from starlette.responses import PlainTextResponse, Response

import howdah
from howdah.serve.places import NotServed
from howdah.serve.routes import compare, plans, predictions, runs, signing, starts, studies
from howdah.serve.routes.answers import REFUSED, Here, refusal
from howdah.serve.security import Guard
from howdah.serve.site import Site

_FOREVER = "public, max-age=31536000, immutable"


def application(site: Site) -> FastAPI:
    """The application of a site."""

    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        site.beside(site.watch.follow())
        if site.settings.allow_runs:
            site.beside(site.starter.follow())
        yield
        await site.close()

    app = FastAPI(
        title="howdah",
        version=howdah.__version__,
        openapi_url="/api/v1/openapi.json",
        # The pages that show it are fetched from elsewhere, which pages of howdah's never do.
        docs_url=None,
        redoc_url=None,
        lifespan=running,
    )
    app.state.site = site
    for subject in (runs, compare, studies, plans, predictions, starts, signing):
        app.include_router(subject.router)
    app.get("/assets/{name}", include_in_schema=False)(_asset)
    for error in REFUSED:
        app.exception_handler(error)(refusal)
    app.exception_handler(404)(_nothing)
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


async def _nothing(request: Request, error: Exception) -> Response:
    return refusal(request, NotServed(request.url.path))
