"""What all routes share: the search of a request's texts, within its limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Request

from ..http.audit import AuditLog
from ..http.errors import RequestError
from ..http.usage import Metrics
from .engine import Engine, Result, Work
from .jobs import Jobs
from .settings import ServeSettings


@dataclass(frozen=True)
class Service:
    """A server's model, settings, jobs, audit log and metrics."""

    engine: Engine
    settings: ServeSettings
    metrics: Metrics
    jobs: Jobs | None
    audit: AuditLog | None

    async def run(self, request: Request, works: Sequence[Work]) -> list[Result]:
        """Search the texts of a request, and count them.

        RAISES (RequestError): If one is too long.
        """
        longest = self.settings.max_text
        for work in works:
            if len(work.input.text) > longest:
                raise RequestError(413, f"a text is longer than {longest:,} characters")
        results = await self.engine.run(works)
        for work, result in zip(works, results, strict=True):
            types = () if result.error else (span.type for span in result.found.spans)
            request.state.usage.add(work.input.text, types, withheld=bool(result.error))
        return results


def service_of(request: Request) -> Service:
    """The service that a request came to."""
    service: Service = request.app.state.service
    return service


def checked(result: Result) -> Result:
    """The result of a request's only text.

    RAISES (RequestError): If its text is withheld: it must not pass for one without PHI.
    """
    if result.error:
        raise RequestError(422, f"the text is withheld: {result.error}")
    return result
