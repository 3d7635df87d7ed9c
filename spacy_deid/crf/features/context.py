"""Features of a token from its sentence, its section, the phrases around it, and the annotator."""

from __future__ import annotations

from functools import partial

from ...text.gazetteers import GAZETTEERS, PHRASE_TYPES, WORD_LISTS, phrase_mask, word_mask
from ..sequences import SPACE_WORDS, Sentence
from .forms import list_names
from .group import Attributes, Knowledge, feature_group, ngram_group

MAX_PHRASE = 6
"""Maximum length of a phrase that is looked up, in tokens."""

# All words of an entry are in one list, so a phrase whose words share none need not be looked up.
_ENTRY_LISTS = sum(
    1 << WORD_LISTS.index(name) for name in {g.word_list for g in GAZETTEERS if g.phrase_type}
)
_BRACKETS = {")": "(", "]": "[", "}": "{"}
_END_MARKS = frozenset(".?!:;")


def _lower_words(sentence: Sentence) -> list[str]:
    return [word.lower() for word in sentence.words]


# Liu 2015
ngram_group("word_bigrams", "words2", 2, _lower_words)
ngram_group("word_trigrams", "words3", 3, _lower_words)


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
    attributes: list[Attributes] = [[] for _ in sentence.words]
    i = 0
    while i < len(sentence):
        length, mask = longest_entry(sentence.words[i : i + MAX_PHRASE], knowledge)
        types = [name for bit, name in enumerate(PHRASE_TYPES) if mask >> bit & 1]
        places = "S" if length == 1 else f"B{'I' * (length - 2)}E"
        for position, place in zip(range(i, i + length), places, strict=False):
            attributes[position] = [f"entry={place}-{name}" for name in types]
        i += length or 1
    return attributes


def longest_entry(words: list[str], knowledge: Knowledge) -> tuple[int, int]:
    """Length and PHI types (a mask) of the longest gazetteer entry that words begin with."""
    end, lists = 0, _ENTRY_LISTS
    while end < len(words):
        if not end or _is_listed(words[end]):
            lists &= word_mask(knowledge.vocab, words[end].lower().rstrip("."))
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


def _is_listed(word: str) -> bool:
    """Whether word lists contain words of this kind; they leave out "1", "A" and ","."""
    return len(word) > 1 and word[0].isalpha()


def _annotations(sentence: Sentence, layer: str) -> list[str]:
    """A layer of the annotation for each token of a sentence; all "" without annotation."""
    annotation = sentence.view.annotation
    if annotation is None:
        return [""] * len(sentence)
    return getattr(annotation, layer)[sentence.start : sentence.end]


for _name, _attribute, _n, _layer in (
    ("pos", "pos", 1, "tags"),  # parts of speech (Liu 2015)
    ("pos_bigrams", "pos2", 2, "tags"),
    ("pos_trigrams", "pos3", 3, "tags"),
    ("chunks", "chunk", 1, "chunks"),  # position in a noun phrase, in BIO (Jiang 2017)
    ("entities", "entity", 1, "entities"),  # general named entity, in BIO (Liu 2015)
):
    ngram_group(_name, _attribute, _n, partial(_annotations, layer=_layer), needs="annotator")


@feature_group("word_pos", needs="annotator")
def word_pos(sentence: Sentence, knowledge: Knowledge) -> list[Attributes]:
    """The word together with its part of speech (Liu 2015)."""
    pairs = zip(sentence.words, _annotations(sentence, "tags"), strict=True)
    return [[f"word_pos={word.lower()}|{tag}"] if tag else [] for word, tag in pairs]


@feature_group("semantics", needs="annotator")
def semantics(sentence: Sentence, knowledge: Knowledge) -> list[Attributes]:
    """The lemma and the gazetteer lists that contain it.

    Dernoncourt 2017 uses WordNet's senses, hypernyms and lemma names. Without WordNet, the lemma is
    the annotator's, gazetteer lists ("city_word", "profession_word", "drug_word") replace
    hypernyms, and senses are left out.
    """
    return [
        [f"lemma={lemma.lower()}", *list_names("lemma_list", lemma, knowledge)] if lemma else []
        for lemma in _annotations(sentence, "lemmas")
    ]
