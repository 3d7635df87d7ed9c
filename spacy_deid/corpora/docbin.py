"""spaCy's own format: docs in a `.spacy` file, the PHI in `doc.ents`.

Entities are whole tokens, while PHI may begin or end inside one. So a doc's user data keep the
note's id and exact spans, which are used unless `doc.ents` was changed. For other docs, the
entities are used, and the number of the doc as id. A doc that has only `doc.spans` is set aside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ..annotation.notes import Note, PhiSpan, doc_from_note, note_from_doc
from ..files import FormatError, replacing
from .base import CorpusFormat, note_files

_SPANS = "spacy_deid_spans"
_ENTS = "spacy_deid_ents"


def entries(path: Path) -> Iterator[tuple[str, tuple[str, Doc] | None]]:
    """The docs of a file, or of each file of a folder, with default ids."""
    count = 0
    for file in note_files(path, ".spacy"):
        try:
            for number, doc in enumerate(DocBin().from_disk(file).get_docs(Vocab()), 1):
                count += 1
                yield f"{file}, doc {number}", (f"doc-{count:06d}", doc)
        except Exception:  # zlib, msgpack and numpy raise errors of their own for invalid files
            yield str(file), None


def load(raw: tuple[str, Doc] | None) -> Note:
    """The note of a doc."""
    if raw is None:
        raise FormatError("it cannot be read as spaCy docs, from here on")
    made_id, doc = raw
    note_id = str(doc.user_data.get("note_id", made_id))
    if _SPANS not in doc.user_data or doc.user_data.get(_ENTS) != _ents(doc):
        _check_annotated(doc)
        return note_from_doc(doc, note_id)
    return Note(note_id, doc.text, _exact_spans(doc.user_data[_SPANS]))


def dump(note: Note) -> Doc:
    """A gold doc that also keeps the note's id and its exact spans."""
    doc = doc_from_note(_blank(), note)
    doc.user_data[_SPANS] = [(span.start, span.end, span.type) for span in note.spans]
    doc.user_data[_ENTS] = _ents(doc)
    return doc


def save(path: Path, dumped: Iterable[Doc]) -> None:
    """Write docs to one file."""
    docs = DocBin(attrs=["ENT_IOB", "ENT_TYPE"], docs=dumped, store_user_data=True)
    with replacing(path) as file:
        file.write(docs.to_bytes())


def _exact_spans(rows: Any) -> tuple[PhiSpan, ...]:
    sound = isinstance(rows, (list, tuple)) and all(
        isinstance(row, (list, tuple)) and [*map(type, row)] == [int, int, str] for row in rows
    )
    if not sound:
        raise FormatError(f'its user data "{_SPANS}" are no list of start, end, label')
    return tuple(PhiSpan(*row) for row in rows)


def _check_annotated(doc: Doc) -> None:
    """Raise a FormatError if a doc has spans and no annotation of entities: PHI would be lost."""
    group = next((name for name, spans in doc.spans.items() if len(spans)), None)
    if group is not None and not doc.has_annotation("ENT_IOB"):
        spans = f"doc.spans[{group!r}]"
        raise FormatError(
            f"it has {spans}, but no doc.ents, which are read; set them with "
            f"doc.set_ents(spacy.util.filter_spans({spans}))"
        )


@lru_cache(maxsize=1)
def _blank() -> Language:
    tokenizer = {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": tokenizer}})
    nlp.max_length = 2**30  # the limit is meant for parsers; this is only a tokenizer
    return nlp


def _ents(doc: Doc) -> tuple[tuple[int, int, str], ...]:
    """The entities as a DocBin keeps them: it reads all lists as tuples."""
    return tuple((ent.start_char, ent.end_char, ent.label_) for ent in doc.ents)


DOCBIN = CorpusFormat("docbin", (".spacy",), False, entries, load, dump, save)
