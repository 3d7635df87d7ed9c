"""The PHI of many texts at once, of any length; a text that fails stops no other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..annotation.notes import PhiSpan
from ..custom.terms import is_custom
from ..errors import RedactionError
from ..known.data import KnownData
from ..known.pipe import KNOWN
from ..merger import SPARED_GROUP, Origin, mergers_of, read_origins
from ..redaction.redacted import find_phi, join_spans
from ..text.tokens import text_of
from .batches import TEXTS, batches
from .memory import return_freed_memory

Piece = tuple[str, dict[str, Any]]
"""A piece of a text for `nlp.pipe`, with the number of the text, and where the piece begins."""

LONGEST = 100_000
"""Characters of a piece: more takes memory and finds no more."""

_STRUCTURED = "structured"  # the source of PHI that is a whole field
_MARGIN = 2_000
_RETURN_EVERY = 64
"""Texts after which freed memory is returned."""

_KEPT_WORDS = 30_000
"""Words that stay in memory, the first ones: most words of later texts are among them."""


def cut(text: str, longest: int = LONGEST) -> Iterator[tuple[int, str]]:
    """Cut a text at white space into pieces of at most `longest` characters, each with its start.

    Pieces overlap, so that everything near a cut is seen whole, and in context, from one side.

    RAISES (RedactionError): If there is no blank to cut at.
    """
    start, margin = 0, min(_MARGIN, longest // 4)
    while start + longest < len(text):
        end = _last_blank(text, start + 2 * margin, start + longest)
        yield start, text[start:end]
        start = _last_blank(text, start, end - margin)
    yield start, text[start:]


def _last_blank(text: str, start: int, end: int) -> int:
    """One past the last white space in a stretch."""
    for at in range(end, start, -1):
        if text[at - 1].isspace():
            return at
    raise RedactionError("it is too long, and has no spaces to cut it at")


@dataclass
class Detections:
    """The PHI of a text."""

    spans: tuple[PhiSpan, ...] = ()  # the PHI, sorted, without overlap
    origins: dict[int, Origin] = field(default_factory=dict)  # by first character
    spared: dict[int, str] = field(default_factory=dict)  # what the user's terms left out, likewise
    error: str = ""  # why the text could not be searched; empty if it was

    @property
    def sources(self) -> Counter[str]:
        """Number of PHI that each group of agreeing detectors ("a+b") found."""
        return Counter("+".join(origin.sources) for origin in self.origins.values())

    @property
    def terms(self) -> Counter[str]:
        """Number of PHI that the user's terms found or left out, by their `id_`."""
        rules = (origin.rule for origin in self.origins.values())
        return Counter([*filter(is_custom, rules), *self.spared.values()])


def whole(text: str, phi_type: str) -> Detections:
    """A text that is PHI as a whole, without the blanks around it."""
    value = text.strip()
    if not value:
        return Detections()
    start = text.index(value)
    span = PhiSpan(start, start + len(value), phi_type)
    return Detections((span,), {start: Origin((_STRUCTURED,), _STRUCTURED, 1.0)})


class Search:
    """Runs a pipeline with `phi_merger` over texts of any length.

    exclusive (bool): Whether nothing else uses the pipeline. Only then can words leave its
        vocabulary when a batch is done, so that memory does not grow: docs that were made meanwhile
        would point to them.
    """

    def __init__(self, nlp: Language, *, exclusive: bool = False) -> None:
        self.nlp = nlp
        self.exclusive = exclusive
        self.count = 0  # texts since freed memory was last returned

    def find(self, texts: Sequence[str], known: Sequence[KnownData]) -> list[Detections]:
        """Find the PHI of texts, with known patient data for each of them."""
        frees_words = self.exclusive and len(self.nlp.vocab.strings) >= _KEPT_WORDS
        with self.nlp.memory_zone() if frees_words else nullcontext():
            results = self._find(texts, known)
        self.count += len(texts)
        if self.count >= _RETURN_EVERY:
            return_freed_memory()
            self.count = 0
        return results

    def _find(self, texts: Sequence[str], known: Sequence[KnownData]) -> list[Detections]:
        results = [Detections() for _ in texts]
        pieces: list[Piece] = []
        for number, text in enumerate(texts):
            context: dict[str, Any] = {KNOWN: known[number]} if known[number] else {}
            try:
                pieces += (
                    (piece, {**context, "number": number, "start": start})
                    for start, piece in cut(_plain(text), min(self.nlp.max_length, LONGEST))
                )
            except RedactionError as error:
                results[number].error = str(error)
        parts: dict[int, list[tuple[int, Doc]]] = {}
        for batch in batches(pieces, lambda piece: len(piece[0]), max(len(texts), TEXTS)):
            for (piece, context), doc in self._docs(batch):
                number, start = context["number"], context["start"]
                _add(results[number], piece, start, doc)
                if len(piece) < len(texts[number]) and isinstance(doc, Doc):
                    parts.setdefault(number, []).append((start, doc))
        for result in results:
            result.spans = join_spans(result.spans)
        for number, docs in parts.items():
            if not results[number].error:
                self._add_same_names(results[number], docs)
        return results

    def _add_same_names(self, result: Detections, docs: list[tuple[int, Doc]]) -> None:
        """Find the names of one piece of a text in the other pieces, too."""
        merger = next(iter(mergers_of(self.nlp).values()))
        covered = {at for span in result.spans for at in range(span.start, span.end)}
        names = merger.propagate_across([doc for _, doc in docs])
        for (start, _), found in zip(docs, names, strict=True):
            for name in found:
                span = PhiSpan(name.start_char + start, name.end_char + start, name.label_)
                if covered.isdisjoint(range(span.start, span.end)):
                    result.spans += (span,)
                    origin = Origin((merger.name,), "same_name", merger.sure_score)
                    result.origins[span.start] = origin
        result.spans = join_spans(result.spans)

    def _docs(self, pieces: list[Piece]) -> Iterator[tuple[Piece, Doc | str]]:
        """The doc of each piece, or why it has none: what fails is tried again, alone."""
        missing = {(c["number"], c["start"]): (text, c) for text, c in pieces}
        with suppress(Exception):  # a piece that fails ends the stream
            for doc, context in self.nlp.pipe(pieces, as_tuples=True, batch_size=len(pieces)):
                if context:
                    yield missing.pop((context["number"], context["start"])), doc
        for piece in missing.values():
            yield piece, self._alone(*piece)

    def _alone(self, text: str, context: dict[str, Any]) -> Doc | str:
        """The doc of a piece, or the pipe that failed."""
        at = "tokenizer"
        try:
            doc = self.nlp.make_doc(text)
            for name, pipe in self.nlp.pipeline:
                at = name
                if isinstance(doc, Doc):
                    doc._context = context  # a pipe that returns another doc may lose it
                doc = pipe(doc)
        except RedactionError as error:
            return str(error)
        except Exception as error:  # its message may quote the note
            return f"the pipe '{at}' failed ({type(error).__name__})"
        return doc if isinstance(doc, Doc) else f"the pipe '{at}' returned no doc"


def _plain(text: str) -> str:
    """The text without byte order mark and CR; all other characters keep their place."""
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    return text.replace("\r\n", " \n").replace("\r", "\n")


def _add(result: Detections, piece: str, start: int, doc: Doc | str) -> None:
    """Add what was found in a piece."""
    if isinstance(doc, str):
        result.error = doc
        return
    if text_of(doc) != piece:
        result.error = "the pipeline changed its text"
        return
    try:
        spans = find_phi(doc)
    except RedactionError as error:
        result.error = str(error)
        return
    result.spans += tuple(
        PhiSpan(span.start + start, span.end + start, span.type) for span in spans
    )
    for begin, origin in read_origins(doc).items():
        result.origins.setdefault(begin + start, origin)
    for span in doc.spans.get(SPARED_GROUP, ()):
        result.spared[span.start_char + start] = span.id_
