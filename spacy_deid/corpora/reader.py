"""The corpus reader for training: gold examples from any format."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from spacy.language import Language
from spacy.training import Example
from spacy.util import registry

from ..annotation.notes import doc_from_note
from .io import read_notes


class Corpus:
    """Notes as examples for training and evaluation; each call reads them again, one by one.

    path (Path): A file or a folder in any format, recognized by suffix.
    limit (int): Maximum number of notes; 0 for all.
    """

    def __init__(self, path: Path, *, limit: int = 0) -> None:
        self.path = path
        self.limit = limit

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """The examples: the text to predict on, and the gold doc, both tokenized by `nlp`.

        RAISES (ValueError): If nothing is at the path, or at the first invalid note.
        """
        for note in islice(read_notes(self.path), self.limit or None):
            yield Example(nlp.make_doc(note.text), doc_from_note(nlp, note))


@registry.readers("spacy_deid.Corpus.v1")
def create_corpus_reader(path: str | Path | None, limit: int = 0) -> Corpus:
    """Create a corpus reader for a config file; see `Corpus`.

    RAISES (ValueError): If no path is set.
    """
    if path is None:
        raise ValueError("the corpus has no path; set it, as in --paths.train corpus/train.spacy")
    return Corpus(Path(path), limit=limit)
