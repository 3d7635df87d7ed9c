"""Names whose parts were found apart: "LeBlanc, Ray" is one mention, and initials belong to it."""

from __future__ import annotations

from collections.abc import Sequence

from spacy.tokens import Doc, Token

from .boundaries import SURE_CREDENTIALS, TITLES
from .gazetteers import in_word_list
from .merging import Mention

_NAMES = frozenset(("PATIENT", "DOCTOR"))
_BREAKS = frozenset('|/;:([)]"\u201d')


def whole_names(doc: Doc, mentions: Sequence[Mention]) -> list[Mention]:
    """Mentions in the order of the text, the parts of each name in one of them."""
    return take_initials(doc, join_nicknames(doc, join_reversed(doc, mentions)))


def take_initials(doc: Doc, mentions: Sequence[Mention]) -> list[Mention]:
    """Give names the initials beside them: "W. Morrison", and "Bjornstad, L" in a field.

    doc (Doc): The doc.
    mentions (Sequence[Mention]): Its mentions in the order of the text, without overlap.
    RETURNS (list[Mention]): The same, with longer names.
    """
    taken = {i for mention in mentions for i in range(mention.start, mention.end)}
    for mention in mentions:
        if mention.label not in _NAMES or not doc[mention.start].text[0].isupper():
            continue
        start, end = mention.start, mention.end
        if start > 1 and doc[start - 1].text == "." and _is_initial(doc[start - 2]):
            if not taken & {start - 1, start - 2} and not doc[start - 2].whitespace_:
                mention.start = start - 2
        if end + 1 < len(doc) and doc[end].text == "," and _is_initial(doc[end + 1]):
            if not taken & {end, end + 1} and _ends_field(doc, end + 2) and end - start == 1:
                mention.end = end + 2
    return list(mentions)


def join_nicknames(doc: Doc, mentions: Sequence[Mention]) -> list[Mention]:
    """Join first name, nickname in quotes or brackets, and last name: 'Eun-ji "Grace" Pak'.

    doc (Doc): The doc.
    mentions (Sequence[Mention]): Its mentions in the order of the text, without overlap.
    RETURNS (list[Mention]): The same, joined.
    """
    joined: list[Mention] = []
    for mention in mentions:
        joined.append(mention)
        if len(joined) > 2 and _is_nickname(doc, *joined[-3:]):
            first, nickname, last = joined[-3:]
            sources = dict.fromkeys((*first.sources, *nickname.sources, *last.sources))
            score = max(first.score, nickname.score, last.score)
            whole = Mention(first.start, last.end, first.label, first.id, list(sources), score)
            joined[-3:] = [whole]
    return joined


def _is_nickname(doc: Doc, first: Mention, nickname: Mention, last: Mention) -> bool:
    if {first.label, nickname.label, last.label} - _NAMES or first.label != last.label:
        return False
    if nickname.start != first.end + 1 or last.start != nickname.end + 1:
        return False
    marks = doc[first.end].text + doc[nickname.end].text
    return marks in ('""', "\u201c\u201d", "()", "''", "\u2018\u2019")


def join_reversed(doc: Doc, mentions: Sequence[Mention]) -> list[Mention]:
    """Join a family name with the given name after its comma.

    "Ray, Paul and Ann" are three people: the first word must be no given name, or the two must
    fill a field of their own; the second must be a given name, and no further name may follow in
    the list.

    doc (Doc): The doc.
    mentions (Sequence[Mention]): Its mentions in the order of the text, without overlap.
    RETURNS (list[Mention]): The same, reversed names joined.
    """
    joined: list[Mention] = []
    for mention in mentions:
        last = joined[-1] if joined else None
        if last and _is_reversed(doc, last, mention):
            better = max(last, mention, key=lambda one: one.score)
            sources = list(dict.fromkeys((*last.sources, *mention.sources)))
            joined[-1] = Mention(
                last.start, mention.end, better.label, better.id, sources, better.score
            )
        else:
            joined.append(mention)
    return joined


def _is_reversed(doc: Doc, last: Mention, mention: Mention) -> bool:
    comma = last.end
    if {last.label, mention.label} - _NAMES or mention.start != comma + 1:
        return False
    if doc[comma].text != "," or last.end - last.start > 3 or mention.end - mention.start > 3:
        return False
    if doc[mention.start].lower_ in SURE_CREDENTIALS or _follows_title(doc, last.start):
        return False
    if not _is_given(doc[mention.start]) or _follows_comma(doc, last.start):
        return False
    alone = _begins_field(doc, last.start) and _ends_field(doc, mention.end)
    return alone or (not _is_given(doc[last.start]) and not _goes_on(doc, mention.end))


def _is_initial(token: Token) -> bool:
    return len(token) == 1 and token.text.isupper()


def _is_given(token: Token) -> bool:
    return in_word_list(token.vocab, token.lower, "given_name")


def _follows_title(doc: Doc, start: int) -> bool:
    """Whether a title stands before a name, as in "Dear Dr. Vale,\\nHope you are well"."""
    before = start - 2 if start > 1 and doc[start - 1].text == "." else start - 1
    return before >= 0 and doc[before].lower_.rstrip(".") in TITLES


def _follows_comma(doc: Doc, start: int) -> bool:
    return start > 0 and doc[start - 1].text == ","


def _begins_field(doc: Doc, start: int) -> bool:
    return start == 0 or doc[start - 1].is_space or doc[start - 1].text in _BREAKS


def _ends_field(doc: Doc, end: int) -> bool:
    return end == len(doc) or doc[end].is_space or doc[end].text in _BREAKS


def _goes_on(doc: Doc, end: int) -> bool:
    """Whether a list of people goes on after a name."""
    return end < len(doc) and doc[end].lower_ in (",", "and", "&")
