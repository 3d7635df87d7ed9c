"""The `spacy-deid` command: a module for each command, which calls one plain function."""

from .commands import app

__all__ = ["app"]
