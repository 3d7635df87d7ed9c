"""clinical_sentencizer: sentence boundaries in notes, from punctuation and layout.

Notes mix prose, lists and forms. Prose is wrapped at some width, so a line break alone means
little; lists and forms have no full stops, so only line breaks separate their items. The
sentencizer therefore examines both sides of each line break, and the full stops within lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple, cast

import numpy as np
from spacy.attrs import SENT_START
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc
from thinc.types import Ints2d

from .tokens import Tokens, read_tokens, text_of

ABBREVIATIONS = frozenset(
    "dr drs mr mrs ms prof st mt ft rev hon sgt lt capt col gen vs approx appt dept tel ext temp "
    "resp wt ht pt pts hx dx rx tx sx fig figs vol pp ref refs etc ie eg cf al esp excl incl inc "
    "ltd co corp univ hosp ave blvd rd apt ste jr sr jan feb mar apr jun jul aug sep sept oct nov "
    "dec mon tue tues wed thu thurs fri sat sun abd neuro lat bilat min mins hr hrs sec wk wks mo "
    "mos yr yrs tab tabs cap caps inj susp soln assoc asst".split()
)
"""Words, in lower case, whose period does not end a sentence."""

OPENERS = frozenset(
    "A An At He Her His I In It No On Patient Pt She The There They This We".split()
)
"""Capitalised words that begin a new sentence even after "M.D."."""

DANGLING = frozenset(
    "a an and are at by dr for from had has her his in is mr mrs ms my of on or per than that the "
    "their to was were who which with".split()
)
"""Words, in lower case, that no line of a list or form ends with."""

_ITEM = r"(?:\d{1,3}|[A-Za-z])\)|\(\w{1,3}\)\s|(?:\d{1,3}|[a-h])\.(?!\d)|[-*•▪◦‣·–—>#+]"
_KEY = r"(?:[A-Z][\w /&'#().,-]{0,40}|\w{1,20}(?: \w{1,20})?):(?!\S)|[A-Z][A-Z/]{1,20}(?:  |\t)"
FRESH_LINE = re.compile(f"{_ITEM}|{_KEY}")
"""Beginning of a line that cannot continue the previous one: list items, "Key: value"."""

COLUMN_MARKS = ("\t", "|")
"""Separators of table cells."""

MIN_WIDTH = 50
"""Minimum width of wrapped prose, in characters."""

WORD, CLOSER, SPACE, LINE_END, BLANK_LINE, STOP, DOTTED = range(7)
_PUNCTUATION = {
    **dict.fromkeys((".", "?", "!", "…", "..."), STOP),
    **dict.fromkeys((")", "]", "}", '"', "'", "”", "’", "»", "''", "*"), CLOSER),
}


class Line(NamedTuple):
    """A line of a doc: its first token and its stripped text."""

    start: int
    text: str


@Language.factory(
    "clinical_sentencizer",
    default_config={"max_tokens": 120},
    assigns=["token.is_sent_start", "doc.sents"],
)
def make_clinical_sentencizer(nlp: Language, name: str, max_tokens: int) -> ClinicalSentencizer:
    """Make the clinical sentencizer; for the settings see `ClinicalSentencizer`."""
    return ClinicalSentencizer(name, max_tokens=max_tokens)


class ClinicalSentencizer(Pipe):
    """Sets `token.is_sent_start` of every token. White space belongs to the sentence before it.

    name (str): Name of the pipe.
    max_tokens (int): Longer sentences are split, after a line break, a semicolon or a comma if
        there is one in the second half.
    RAISES (ValueError): If `max_tokens` is less than 1.
    """

    def __init__(self, name: str = "clinical_sentencizer", *, max_tokens: int = 120) -> None:
        if max_tokens < 1:
            raise ValueError(f"{name}: max_tokens is {max_tokens}, but must be 1 or more")
        self.name = name
        self.max_tokens = max_tokens

    def __call__(self, doc: Doc) -> Doc:
        """Set the sentence starts of a tokenized doc, and return it."""
        if len(doc) > 0:
            tokens = read_tokens(doc)
            kind_of = {word: classify(word) for word in set(tokens.words)}
            kinds = [kind_of[word] for word in tokens.words]
            starts = find_starts(text_of(doc), tokens, kinds)
            cut_long_sentences(tokens, kinds, starts, self.max_tokens)
            # Over a million tokens per second; setting token by token manages a few thousand.
            values = np.where(np.frombuffer(starts, dtype=np.bool_), 1, -1).astype(np.uint64)
            doc.from_array([SENT_START], cast(Ints2d, values.reshape(-1, 1)))
        return doc


def classify(word: str) -> int:
    """The kind of a token: WORD, CLOSER, SPACE, LINE_END, BLANK_LINE, STOP or DOTTED ("q.d.")."""
    if word in _PUNCTUATION:
        return _PUNCTUATION[word]
    if word.isspace():
        line_ends = max(word.count("\n"), word.count("\r"))
        return BLANK_LINE if line_ends > 1 or "\f" in word else LINE_END if line_ends else SPACE
    return DOTTED if word[-1:] == "." and len(word) > 1 else WORD


def find_starts(text: str, tokens: Tokens, kinds: list[int]) -> bytearray:
    """1 for each token that starts a sentence, else 0; sentences of any length."""
    starts = bytearray(len(tokens.words))
    for number, paragraph in enumerate(split_paragraphs(text, tokens, kinds)):
        starts[paragraph[0].start] = number > 0
        width = max(MIN_WIDTH, *(len(line.text) for line in paragraph))
        for previous, line in pairwise(paragraph):
            starts[line.start] = not continues(previous.text, line.text, width)
    starts[0] = 1
    for i, kind in enumerate(kinds):
        if kind >= STOP:
            start = next_word(tokens, kinds, i)
            if start is not None and ends_sentence(tokens, kind, starts, i, start):
                starts[start] = 1
    return starts


def split_paragraphs(text: str, tokens: Tokens, kinds: list[int]) -> Iterator[list[Line]]:
    """Yield the paragraphs of a doc: lists of lines without a blank line in between."""
    paragraph: list[Line] = []
    n_tokens = len(tokens.words)
    line_ends = [i for i, kind in enumerate(kinds) if kind in (LINE_END, BLANK_LINE)]
    start = 0
    for i in [*line_ends, n_tokens]:
        if i > start:
            stop = tokens.offsets[i] if i < n_tokens else len(text)
            paragraph.append(Line(start, text[tokens.offsets[start] : stop].strip()))
        if paragraph and (i == n_tokens or kinds[i] == BLANK_LINE):
            yield paragraph
            paragraph = []
        start = i + 1


def continues(previous: str, line: str, width: int) -> bool:
    """Whether a line of prose continues the sentence of the previous one.

    The previous line must be incomplete ("... seen by the") or full: with the next word, it would
    hardly have fitted into `width`, that of the widest line of the paragraph.
    """
    if not previous or not line:  # only white space
        return not line
    if previous.endswith(":") or FRESH_LINE.match(line):
        return False
    if any(mark in previous or mark in line for mark in COLUMN_MARKS):
        return False
    last = previous[-MIN_WIDTH:].rsplit(maxsplit=1)[-1]
    if last[-1] in ",-/&+" or last.rstrip(".").lower() in DANGLING:
        return True
    first = line[:MIN_WIDTH].split(maxsplit=1)[0]
    # A capital at the start of the line needs stronger evidence, unless the word is all capitals.
    share = 1.0 if first[0].isupper() and not first.isupper() else 0.9
    return len(previous) + 1 + len(first) > share * width


def next_word(tokens: Tokens, kinds: list[int], i: int) -> int | None:
    """The token that would start a sentence if token `i`, a full stop, ended one.

    Closing brackets and quotes right after the stop belong to its sentence, and so does a comma
    without spaces around it: some exports turn a line break into ".,".
    """
    n_tokens = len(tokens.words)
    start = i + 1
    while start < min(n_tokens, i + 4) and not tokens.spaced[start - 1]:
        comma = tokens.words[start] == "," and not tokens.spaced[start]
        if not comma and kinds[start] != CLOSER:
            break
        start += 1
    while start < n_tokens and kinds[start] in (SPACE, LINE_END, BLANK_LINE):
        start += 1
    if start == n_tokens or kinds[start] == STOP:
        return None
    return start


def ends_sentence(tokens: Tokens, kind: int, starts: bytearray, i: int, start: int) -> bool:
    """Whether full stop `i`, of a kind, ends a sentence; token `start` would start the next."""
    stop, following = tokens.words[i], tokens.words[start]
    attached = start == i + 1 and not tokens.spaced[i]
    capital = following[0].isupper()
    if kind == DOTTED:
        letters = stop.replace(".", "")
        if attached or letters.lower() in ABBREVIATIONS:
            return False
        return capital if letters.islower() else following in OPENERS
    if stop != ".":
        return capital or (stop in "?!" and not attached)
    before = tokens.words[i - 1] if i > 0 and not tokens.spaced[i - 1] else ""
    if before.lower() in ABBREVIATIONS or _is_numbered(tokens, starts, i):
        return False
    if before.lower() == "no" and following[0].isdigit():
        return False
    if len(before) == 1 and before.isalpha():
        return following in OPENERS if before.isupper() else capital
    return not attached or (capital and not before.isupper())


def _is_numbered(tokens: Tokens, starts: bytearray, i: int) -> bool:
    """Whether full stop `i` follows the number of a list item, as in "PLAN: 1. Rest."."""
    if i == 0 or not tokens.words[i - 1].isdigit() or tokens.spaced[i - 1]:
        return False
    return bool(starts[i - 1]) or (i > 1 and tokens.words[i - 2] in {":", ","})


def cut_long_sentences(
    tokens: Tokens, kinds: list[int], starts: bytearray, max_tokens: int
) -> None:
    """Split sentences of more than `max_tokens` tokens, in place.

    A sentence is split after the last line break in the second half of the allowed tokens, or else
    after the last semicolon, comma or space there, or else at the limit.
    """
    start = 0
    n_tokens = len(starts)
    while start < n_tokens:
        limit = start + max_tokens
        end = starts.find(1, start + 1, limit + 1)
        if end < 0 and limit < n_tokens:
            end = _best_cut(tokens, kinds, start + max_tokens // 2, limit)
            starts[end] = 1
        start = end if end > 0 else n_tokens


def _best_cut(tokens: Tokens, kinds: list[int], low: int, high: int) -> int:
    """The token to split before, more than `low` and at most `high`."""

    def rank(cut: int) -> int:
        if kinds[cut - 1] in (LINE_END, BLANK_LINE):
            return 0
        return {";": 1, ",": 2}.get(tokens.words[cut - 1], 3 if tokens.spaced[cut - 1] else 4)

    return min(range(high, low, -1), key=rank)
