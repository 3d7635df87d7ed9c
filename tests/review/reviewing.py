"""Review servers in a thread of this process, over real HTTP."""

from __future__ import annotations

from running import running

from spacy_deid.http.settings import HttpSettings, token_digest
from spacy_deid.review.results import Desk
from spacy_deid.review.server import create_review_app
from spacy_deid.review.store import READ

TOKEN = "correct-horse-battery"


def reviewing(store, reader="anna", role=READ):
    """A server for a reader; gives its address."""
    settings = HttpSettings(tokens={token_digest(TOKEN): reader})
    return running(create_review_app(Desk(store, reader, role), settings))
