"""clinical_sections: detects the sections of a note by their headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
from spacy.attrs import IDX
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span, SpanGroup

from ..tsv import read_rows
from .tokens import text_of

SPANS_KEY = "sections"
"""Key of the sections in `doc.spans`."""

OTHER = "other"
"""Name of a section whose heading is not in `HEADINGS`."""


def _read_headings(kind: str) -> dict[str, str]:
    """The section of each heading of a kind in `headings.tsv`."""
    return {
        heading: section
        for row_kind, section, headings in read_rows(Path(__file__).with_name("headings.tsv"))
        for heading in headings.split("; ")
        if row_kind == kind
    }


HEADINGS: Mapping[str, str] = _read_headings("heading")
"""The section of each known heading, in lower case."""

KEYWORDS: Mapping[str, str] = _read_headings("keyword")
"""Sections of upper-case headings that are not in `HEADINGS`, by first or last word."""

SUBHEADINGS = frozenset(_read_headings("subheading"))
"""Headings within an examination or a review of systems, which do not start a section."""

# A heading is at the start of a line, before a colon, a dash or the end of the line, or within a
# line between punctuation and a colon. Bounded repeats keep the search linear.
_LINE_HEADING = re.compile(
    r"^[^\S\n]*(?:\d{1,2}[.)][^\S\n]*|[#*=•]{1,6}[^\S\n]*)?"
    r"(?P<heading>[A-Za-z][^\n:]{0,60}?)(?P<mark>[ \t*]{0,8}(?::|\r?$)|[ \t]{1,8}[-–](?=\s))",
    re.MULTILINE,
)
_INLINE_HEADING = re.compile(r"(?<=[.,;:?!)])[ \t]{0,4}(?P<heading>[A-Z][\w ,/&'()-]{0,60}?):")


@Language.factory("clinical_sections", assigns=["doc.spans"])
def make_clinical_sections(nlp: Language, name: str) -> ClinicalSections:
    """Make the section finder."""
    return ClinicalSections(name)


class ClinicalSections(Pipe):
    """Writes the sections of a note to `doc.spans["sections"]`, in order.

    A section extends from its heading to the next one or the end; its `label_` is one of
    those in `headings.tsv` or "other". Text before the first heading is in no section.

    name (str): Name of the pipe.
    """

    def __init__(self, name: str = "clinical_sections") -> None:
        self.name = name

    def __call__(self, doc: Doc) -> Doc:
        """Find the sections of a tokenized doc, and return it."""
        headings = sorted(find_headings(text_of(doc)).items())
        offsets = doc.to_array(IDX)
        chars = [start for start, _ in headings]
        starts = np.searchsorted(offsets, chars, side="right") - 1
        bounds = [*starts.tolist(), len(doc)]
        doc.spans[SPANS_KEY] = SpanGroup(
            doc,
            name=SPANS_KEY,
            spans=[
                Span(doc, start, end, label=section)
                for (start, end), (_, section) in zip(pairwise(bounds), headings, strict=True)
                if start < end
            ],
        )
        return doc


def find_headings(text: str) -> dict[int, str]:
    """The section of each heading in a text, by the heading's first character."""
    headings = {}
    for match in _INLINE_HEADING.finditer(text):
        section = section_of(match["heading"])
        if section is not None:
            headings[match.start("heading")] = section
    headings.update(_find_line_headings(text))
    return headings


def _find_line_headings(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first character and the section of each heading at the start of a line."""
    for match in _LINE_HEADING.finditer(text):
        heading, mark = match["heading"], match["mark"].strip(" \t\r*")
        section = section_of(heading)
        # Without a colon, a known word may also be an item of a list.
        if section is not None and (mark or (heading[0].isupper() and len(heading) > 2)):
            yield match.start("heading"), section
        elif section is None and looks_like_heading(
            heading, mark, text[match.end() : match.end() + 80]
        ):
            yield match.start("heading"), OTHER


def section_of(heading: str) -> str | None:
    """The section of a heading by its words, or None if it is unknown."""
    words = re.sub(r"\s*/\s*", "/", heading.lower().strip(" \t*-,")).split()
    section = HEADINGS.get(" ".join(words))
    if section is None and words and heading.isupper() and heading[-1] not in ".,;":
        return KEYWORDS.get(words[0]) or KEYWORDS.get(words[-1])
    return section


def looks_like_heading(heading: str, mark: str, rest: str) -> bool:
    """Whether the start of a line is in capitals, or alone on its line with a colon.

    mark (str): A colon, a dash or, at the end of the line, nothing.
    rest (str): Text after the mark.
    """
    letters = sum(map(str.isalpha, heading))
    if letters < 4 or len(heading.split()) > 6 or heading.lower() in SUBHEADINGS:
        return False
    if heading.isupper():
        return mark == ":" or (
            not mark and heading[-1] not in ".,;" and letters > 0.8 * len(heading)
        )
    alone = not rest.split("\n", 1)[0].strip(" \t\r*")
    return heading[0].isupper() and mark == ":" and alone
