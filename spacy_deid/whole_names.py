"""Names whose parts were found apart: nicknames and initials belong to them."""

from __future__ import annotations

from collections.abc import Sequence

from spacy.tokens import Doc, Token

from .merging import Mention
from .phi import PERSONS

_BREAKS = frozenset('|/;:([)]"\u201d')


def whole_names(doc: Doc, mentions: Sequence[Mention]) -> list[Mention]:
    """Mentions in the order of the text, the parts of each name in one of them."""
    return take_initials(doc, join_nicknames(doc, mentions))


def take_initials(doc: Doc, mentions: Sequence[Mention]) -> list[Mention]:
    """Give names the initials beside them: "W. Morrison", and "Bjornstad, L" in a field.

    doc (Doc): The doc.
    mentions (Sequence[Mention]): Its mentions in the order of the text, without overlap.
    RETURNS (list[Mention]): The same, with longer names.
    """
    taken = {i for mention in mentions for i in range(mention.start, mention.end)}
    for mention in mentions:
        if mention.label not in PERSONS or not doc[mention.start].text[0].isupper():
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
    if {first.label, nickname.label, last.label}.difference(PERSONS) or first.label != last.label:
        return False
    if nickname.start != first.end + 1 or last.start != nickname.end + 1:
        return False
    marks = doc[first.end].text + doc[nickname.end].text
    return marks in ('""', "\u201c\u201d", "()", "''", "\u2018\u2019")


def _is_initial(token: Token) -> bool:
    return len(token) == 1 and token.text.isupper()


def _ends_field(doc: Doc, end: int) -> bool:
    return end == len(doc) or doc[end].is_space or doc[end].text in _BREAKS
