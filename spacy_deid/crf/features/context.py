"""Features of a token from its sentence, its section and the phrases around it."""

from __future__ import annotations

from ...text.gazetteers import GAZETTEERS, PHRASE_TYPES, WORD_LISTS, phrase_mask, word_mask
from ..scheme import OUTSIDE, encode_tags
from ..sequences import SPACE_WORDS, Sentence
from .group import Attributes, Knowledge, feature_group, ngrams

MAX_PHRASE = 6
"""Maximum length of a phrase that is looked up, in tokens."""

# All words of an entry are in one list, so a phrase whose words share none need not be looked up.
_ENTRY_LISTS = sum(
    1 << WORD_LISTS.index(name) for name in {g.word_list for g in GAZETTEERS if g.phrase_type}
)
_BRACKETS = {")": "(", "]": "[", "}": "{"}
_END_MARKS = frozenset(".?!:;")


@feature_group("word_bigrams", reach=1)
def word_bigrams(sentence: Sentence, knowledge: Knowledge) -> list[Attributes]:
    """Pairs of adjacent words, in lower case (Liu 2015)."""
    return ngrams("words2", [word.lower() for word in sentence.words], 2)


@feature_group("word_trigrams", reach=2)
def word_trigrams(sentence: Sentence, knowledge: Knowledge) -> list[Attributes]:
    """Triples of adjacent words, in lower case (Liu 2015)."""
    return ngrams("words3", [word.lower() for word in sentence.words], 3)


@feature_group("sentence", window=0)
def sentence_facts(sentence: Sentence, knowledge: Knowledge) -> list[Attributes]:
    """The sentence's length, its end mark, and whether it has an unmatched bracket (Liu 2015)."""
    words = [word for word in sentence.words if word not in SPACE_WORDS]
    last = words[-1] if words else ""
    facts = [
        f"length={_bucket(len(words))}",
        f"end_mark={last if last in _END_MARKS else 'none'}",
    ]
    if has_unmatched_bracket(words):
        facts.append("unmatched_bracket")
    return [facts] * len(sentence)


@feature_group("section", window=0, needs="sections")
def section(sentence: Sentence, knowledge: Knowledge) -> list[Attributes]:
    """The section of the token (Liu 2015)."""
    names = sentence.view.sections[sentence.start : sentence.end]
    return [[f"section={name}"] if name else [] for name in names]


@feature_group("dictionary", needs="gazetteers")
def dictionary(sentence: Sentence, knowledge: Knowledge) -> list[Attributes]:
    """Position in the longest gazetteer entry around the token, in BIOES (Liu 2015, Jiang 2017).

    An entry with several PHI types yields an attribute for each of them.
    """
    entries: list[tuple[int, str] | None] = [None] * len(sentence)
    i = 0
    while i < len(sentence):
        length, mask = longest_entry(sentence.words[i : i + MAX_PHRASE], knowledge)
        entries[i : i + length] = [(i, str(mask))] * length
        i += length or 1
    return [_tag_names(tag) for tag in encode_tags(entries, "BIOES")]


def longest_entry(words: list[str], knowledge: Knowledge) -> tuple[int, int]:
    """The longest gazetteer entry at the beginning of some words.

    words (list[str]): The words.
    knowledge (Knowledge): The resources, with the gazetteers.
    RETURNS (tuple[int, int]): Its length in words and its mask of PHI types; 0 and 0 if none.
    """
    end, lists = 0, _ENTRY_LISTS
    while end < len(words):
        lists &= _lists_of(words[end], knowledge) if not end or _counts(words[end]) else lists
        if not lists or words[end] in SPACE_WORDS:
            break
        end += 1
    for length in range(end, 0, -1):
        if words[length - 1][-1].isalnum() or words[length - 1][0].isalnum():
            mask = phrase_mask(knowledge.vocab, " ".join(words[:length]))
            if mask:
                return length, mask
    return 0, 0


def has_unmatched_bracket(words: list[str]) -> bool:
    """Whether an opening bracket has no closing one, or vice versa."""
    opened: list[str] = []
    for word in words:
        if word in _BRACKETS.values():
            opened.append(word)
        elif word in _BRACKETS:
            if not opened or opened.pop() != _BRACKETS[word]:
                return True
    return bool(opened)


def _bucket(length: int) -> str:
    """The exact length of short sentences, a range for longer ones."""
    if length <= 5:
        return str(length)
    return next((f"<={bound}" for bound in (10, 20, 40, 80) if length <= bound), ">80")


def _counts(word: str) -> bool:
    """Whether word lists include this kind of word; they leave out "1", "A" and ","."""
    return len(word) > 1 and word[0].isalpha()


def _lists_of(word: str, knowledge: Knowledge) -> int:
    return word_mask(knowledge.vocab, word.lower().rstrip("."))


def _tag_names(tag: str) -> Attributes:
    if tag == OUTSIDE:
        return []
    place, _, mask = tag.partition("-")
    return [f"entry={place}-{name}" for i, name in enumerate(PHRASE_TYPES) if int(mask) >> i & 1]
