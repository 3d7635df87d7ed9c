"""The review server: the page, and the paths behind it.

One server is for one reader, who sees no other's readings.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from importlib.resources import files
from pathlib import PurePath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from ..annotation.phi import PHI_TYPES
from ..http.errors import HANDLERS, RequestError
from ..http.guard import Guard
from ..http.run import run_app
from ..http.settings import HttpSettings, token_digest
from ..http.usage import Metrics
from .colors import COLORS
from .results import Desk, Result, reader_agreements, result_of
from .state import Event, Mark, ReviewError, State
from .store import ADJUDICATE, READ, DrawnNote

router = APIRouter(prefix="/api")

_MOST_SECONDS = 3_600
_MEDIA = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_CONTENT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_Number = Annotated[int, Path(ge=1, le=2**63 - 1)]  # what SQLite takes

Row = tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)], str, bool]


class EventIn(BaseModel):
    """What a reader did."""

    model_config = ConfigDict(extra="forbid")

    last: int = Field(ge=0, description="Number of the last event that the page knows of.")
    kind: Literal["edit", "done", "reopen", "comment", "time"]
    remove: list[Row] = []
    add: list[Row] = []
    via: Literal["", "undo", "redo"] = Field(default="", description="Whether it undoes another.")
    text: str = Field(default="", max_length=10_000)
    seconds: float = Field(default=0, ge=0, le=_MOST_SECONDS)

    def event(self) -> Event:
        """The event to store."""
        data: dict[str, Any] = {}
        if self.kind == "edit":
            data = {"remove": self.remove, "add": self.add, "via": self.via}
        elif self.kind == "comment":
            data = {"text": self.text}
        return Event(0, self.kind, data, round(self.seconds, 1))


@router.get("/project")
async def project(request: Request) -> dict[str, Any]:
    """The project: its reader, the PHI types, and the notes with their states."""
    desk = _desk(request)
    return {
        "reader": desk.reader,
        "adjudicating": desk.role == ADJUDICATE,
        "types": PHI_TYPES,
        "colors": COLORS,
        "notes": [_summary(note, desk.state(note)) for note in desk.notes()],
        "agreement": _agreements(desk) if desk.role == ADJUDICATE else [],
    }


@router.get("/notes/{number}")
async def note(request: Request, number: _Number) -> dict[str, Any]:
    """A note with its marks."""
    desk = _desk(request)
    found = _note(desk, number)
    return _view(desk, found, desk.state(found))


@router.post("/notes/{number}/events")
async def add_event(request: Request, number: _Number, body: EventIn) -> dict[str, Any]:
    """Store what the reader did; after the end of a look, the answer is the note as it is then."""
    desk = _desk(request)
    found = _note(desk, number)
    try:
        state = desk.add(found, body.event(), body.last)
    except ReviewError as error:
        raise RequestError(409, str(error)) from None
    if body.kind in ("done", "reopen"):
        return _view(desk, found, state)
    return {"last": state.last}


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


def _note(desk: Desk, number: int) -> DrawnNote:
    try:
        return desk.store.note(number)
    except ReviewError as error:
        raise RequestError(404, str(error)) from None


def _summary(note: DrawnNote, state: State) -> dict[str, Any]:
    return {
        "number": note.number,
        "id": note.id,
        "words": len(note.text.split()),
        "state": "done" if state.stage == "done" else "in work" if state.begun else "unread",
        "seconds": round(state.seconds),
        "comment": bool(state.comment),
    }


def _view(desk: Desk, note: DrawnNote, state: State) -> dict[str, Any]:
    held_back = desk.role == READ and state.first is None
    shown = [found for found in note.found if not (found.held and held_back)]
    readings = result_of(desk.store, note) if desk.role == ADJUDICATE else None
    return {
        **_summary(note, state),
        "text": note.text,
        "blind": note.blind and desk.role == READ,
        "stage": state.stage,
        "last": state.last,
        "marks": sorted(state.marks.values()),
        "edits": state.edits,
        "note": state.comment,
        "scores": [[*found.mark[:2], found.score] for found in shown],
        "readings": _readings(readings) if readings else [],
    }


def _readings(result: Result) -> list[dict[str, Any]]:
    return [
        {"reader": name, "marks": [Mark(s.start, s.end, s.type, True) for s in state.spans]}
        for name, state in result.readings.items()
    ]


def _agreements(desk: Desk) -> list[dict[str, Any]]:
    return [
        {"readers": names, **agreement._asdict()}
        for names, agreement in reader_agreements(desk.store).items()
    ]


def create_review_app(desk: Desk, settings: HttpSettings) -> FastAPI:
    """Create the application, an ASGI app, for one reader."""
    app = FastAPI(
        title="spacy-deid review",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        exception_handlers=HANDLERS,
    )
    app.state.desk = desk
    app.include_router(router)
    _add_files(app)
    app.add_middleware(
        Guard,
        settings=settings,
        metrics=Metrics(),
        public=("/", "/static/*"),
        content=_CONTENT,
    )
    return app


def _add_files(app: FastAPI) -> None:
    """Serve the files of the page, which are few and small, from memory."""
    static = files("spacy_deid.review") / "static"
    contents = {file.name: file.read_bytes() for file in static.iterdir()}

    @app.get("/")
    async def page() -> Response:
        return Response(contents["index.html"], media_type=_MEDIA[".html"])

    @app.get("/static/{name}")
    async def file(name: str) -> Response:
        if name not in contents:
            raise RequestError(404, "there is no such file")
        return Response(contents[name], media_type=_MEDIA[PurePath(name).suffix])


def run_review(desk: Desk, port: int, on_start: Callable[[str], None]) -> None:
    """Serve the page to a reader on this machine, until Ctrl-C.

    port (int): Port to listen on; 0 for any that is free.
    on_start (Callable[[str], None]): Called with the address, which holds the token.
    RAISES (RedactionError): If the server cannot start.
    """
    token = secrets.token_urlsafe(24)
    settings = HttpSettings(port=port, tokens={token_digest(token): desk.reader})
    app = create_review_app(desk, settings)
    # What follows "#" is never sent, so that no log and no other server gets the token.
    run_app(app, settings, lambda url: on_start(f"{url}/#{token}"))
