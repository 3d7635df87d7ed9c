"""Bodies in JSON, read so that none keeps the server from answering others."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.routing import APIRoute

_MOST_NAMES = 1000
"""Names in an object: each one that is unknown or wrong would be an error of its own."""


class JsonRoute(APIRoute):
    """A route that says what keeps a body from being read."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        handle = super().get_route_handler()

        async def handle_json(request: Request) -> Response:
            return await handle(_JsonRequest(request.scope, request.receive))

        return handle_json


class _JsonRequest(Request):
    async def json(self) -> Any:
        try:
            return json.loads(await self.body(), object_pairs_hook=_object)
        except UnicodeDecodeError:
            raise HTTPException(400, "the body is not valid UTF-8") from None
        except RecursionError:
            raise HTTPException(400, "the body is nested too deeply") from None


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(members) > _MOST_NAMES:
        raise HTTPException(422, f"an object has more than {_MOST_NAMES:,} names")
    return dict(members)
