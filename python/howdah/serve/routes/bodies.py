"""Bodies of requests, read strictly: what is no JSON is refused before anything works with it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from pydantic_core import from_json
from starlette.exceptions import HTTPException
from starlette.responses import Response


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
