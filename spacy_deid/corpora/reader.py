"""The corpus reader for training: gold examples from any format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from spacy.language import Language
from spacy.training import Example
from spacy.util import registry

from ..annotation.notes import doc_from_note
from .io import input_format, read_notes


@registry.readers("spacy_deid.Corpus.v1")
def create_corpus_reader(
    path: str | Path | None, limit: int = 0
) -> Callable[[Language], Iterator[Example]]:
    """Create a corpus reader for a config file; each call of it reads the notes again, one by one.

    path (str | Path | None): A file or a folder in any format, recognized by suffix.
    limit (int): Maximum number of notes; 0 for all.
    RAISES (ValueError): If no path is set, or the limit is negative.
    """
    if path is None:
        raise ValueError("the corpus has no path; set it, as in --paths.train corpus/train.spacy")
    if limit < 0:
        raise ValueError(f"the limit of the corpus is {limit}, but must be 0, for all, or more")
    return partial(_read_examples, Path(path), limit)


def _read_examples(path: Path, limit: int, nlp: Language) -> Iterator[Example]:
    """Pairs of the text to predict on and the gold doc, both tokenized by `nlp`.

    Of PHI that overlap, the longest is kept.
    """
    input_format(path, setting="")
    for note in islice(read_notes(path, overlaps=True), limit or None):
        yield Example(nlp.make_doc(note.text), doc_from_note(nlp, note))
