"""The PHI of many texts at once: what fails is told, all else goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..known.pipe import KNOWN
from ..merger import PHI_GROUP
from ..notes import PhiSpan
from ..redaction import RedactionError
from ..redaction.redacted import find_phi, join_spans
from .errors import ErrorLog, error_handler
from .pieces import LONGEST, cut

Facts = Mapping[str, Sequence[str]]
"""What is known of a note's people: PHI types, each with its values; see `phi_known`."""

_BATCH = 64

Piece = tuple[str, dict[str, Any]]
"""A piece of a text for `nlp.pipe`, with the number of the text, and where the piece begins."""


@dataclass
class Findings:
    """The PHI of a text.

    spans (tuple[PhiSpan, ...]): The PHI, sorted, without overlap.
    sources (Counter[str]): How many of `doc.spans["phi"]` each detector found.
    error (str): Why the text could not be searched; empty if it was.
    """

    spans: tuple[PhiSpan, ...] = ()
    sources: Counter[str] = field(default_factory=Counter)
    error: str = ""


class Search:
    """Runs a pipeline over texts of any length.

    nlp (Language): A pipeline with `phi_merger`.
    """

    def __init__(self, nlp: Language) -> None:
        self.nlp = nlp
        self.log = ErrorLog()

    def find(self, texts: Sequence[str], facts: Sequence[Facts]) -> list[Findings]:
        """Find the PHI of some texts.

        texts (Sequence[str]): The texts.
        facts (Sequence[Facts]): What is known beforehand, for each of them.
        RETURNS (list[Findings]): The PHI of each.
        """
        results = [Findings() for _ in texts]
        pieces: list[Piece] = []
        for number, text in enumerate(texts):
            context: dict[str, Any] = {KNOWN: facts[number]} if facts[number] else {}
            try:
                pieces += (
                    (piece, {**context, "number": number, "start": start})
                    for start, piece in cut(_plain(text), min(self.nlp.max_length, LONGEST))
                )
            except RedactionError as error:
                results[number].error = str(error)
        with error_handler(self.nlp, self.log):
            for (piece, context), doc in self._docs(pieces):
                _add(results[context["number"]], piece, context["start"], doc)
        for result in results:
            result.spans = join_spans(result.spans)
        return results

    def _docs(self, pieces: list[Piece]) -> Iterator[tuple[Piece, Doc | str]]:
        """The doc of each piece, or why there is none.

        `nlp.pipe` leaves out what fails, one text or the whole batch around it. What is missing is
        tried once more, alone.
        """
        missing = {(c["number"], c["start"]): (text, c) for text, c in pieces}
        docs = iter(self.nlp.pipe(pieces, as_tuples=True, batch_size=_BATCH))
        while True:
            try:
                doc, context = next(docs)
            except StopIteration:
                break
            except Exception:  # a pipe without error handling ends the stream
                break
            if context:
                yield missing.pop((context["number"], context["start"])), doc
        for piece in missing.values():
            yield piece, self._retry(piece)

    def _retry(self, piece: Piece) -> Doc | str:
        try:
            ((doc, _),) = self.nlp.pipe([piece], as_tuples=True)
        except Exception as error:
            return self.log.take() or f"the pipeline failed ({type(error).__name__})"
        return doc


def _plain(text: str) -> str:
    """The text as pipelines know it, without byte order mark and CR, every character in place."""
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    return text.replace("\r\n", " \n").replace("\r", "\n")


def _add(result: Findings, piece: str, start: int, doc: Doc | str) -> None:
    """Add what was found in a piece."""
    if isinstance(doc, str):
        result.error = doc
        return
    if doc.text != piece:
        result.error = "the pipeline changed its text"
        return
    try:
        spans = find_phi(doc)
    except RedactionError as error:
        result.error = str(error)
        return
    result.sources.update(_sources(doc, start, result.spans))
    result.spans += tuple(
        PhiSpan(span.start + start, span.end + start, span.type) for span in spans
    )


def _sources(doc: Doc, start: int, known: Sequence[PhiSpan]) -> Iterator[str]:
    """The detectors of each span that was not found in the piece before."""
    group = doc.spans[PHI_GROUP]
    sources = group.attrs.get("sources", ())
    if not known:
        yield from sources
        return
    places = {(span.start, span.end) for span in known}
    for span, source in zip(group, sources, strict=False):
        if (span.start_char + start, span.end_char + start) not in places:
            yield source
