"""Words of the people in a note where a name may stand: "Young denies pain", "Do's wound".

Everyday words and names of two letters are no names wherever they occur, and the tagger overlooks
them in lines without other PHI. But where a note has named a person so, a capital and the words
beside it tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from spacy.vocab import Vocab

from ..text.gazetteers import in_word_list
from ..text.names import POSSESSIVES
from ..text.titles import TITLES
from ..tsv import read_rows
from .short_forms import natural_order

_CUES = {
    side: frozenset(words.split())
    for side, words in read_rows(Path(__file__).with_name("name_cues.tsv"))
}
AFTER_NAMES = _CUES["after"]
"""Words that follow a name, in lower case: what a person does."""

NO_NAMES = ("common_word", "drug_word", "medical_term")
"""Lists of words that are not names wherever they occur."""

_SHORTEST = 2


class People:
    """The words of the people in a note, and their pairs, in lower case, with their PHI types.

    vocab (Vocab): Has the word lists.
    """

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab
        self.words: dict[str, str] = {}
        self.pairs: dict[tuple[str, str], str] = {}

    def add(self, name: Sequence[str], phi_type: str) -> None:
        """Add a name; the first occurrence of a word sets its type."""
        words = [word.lower() if _is_part(word) else "" for word in natural_order(name)]
        for word in filter(None, words):
            self.words.setdefault(word, phi_type)
        for pair in zip(words, words[1:], strict=False):
            if all(pair):
                self.pairs.setdefault(pair, phi_type)

    def find(self, words: Sequence[str]) -> Iterator[tuple[int, str]]:
        """Tokens that are such a word in the place of a name, in order, with their PHI types.

        words (Sequence[str]): The texts of the tokens of a note.
        """
        if self.words.keys().isdisjoint({word.lower() for word in words}):
            return
        for i, word in enumerate(words):
            phi_type = self.words.get(word.lower()) if word[0].isupper() else None
            if phi_type and (
                self._is_paired(words, i)
                or _is_in_place(words, i)
                or self._is_only_a_name(words, i)
            ):
                yield i, phi_type

    def _is_only_a_name(self, words: Sequence[str], i: int) -> bool:
        """Whether two letters mean nothing but a name: "Xu", not "XU" or "Xu2"."""
        word, after = words[i], words[i + 1] if i + 1 < len(words) else ""
        short = len(word) == _SHORTEST and word[1].islower() and not after.isdigit()
        return short and not in_word_list(self.vocab, word.lower(), *NO_NAMES)

    def _is_paired(self, words: Sequence[str], i: int) -> bool:
        """Whether a word stands beside another one as in the name ("Looks Twice")."""
        pairs = (words[j : j + 2] for j in (i - 1, i) if j >= 0)
        return any(
            len(pair) == 2
            and all(word[0].isupper() for word in pair)
            and (pair[0].lower(), pair[1].lower()) in self.pairs
            for pair in pairs
        )


def is_full(name: Sequence[str]) -> bool:
    """Whether a name has two words or more: one word alone is more often found by mistake."""
    return sum(map(_is_part, name)) > 1


def _is_part(word: str) -> bool:
    return word.isalpha() and len(word) >= _SHORTEST and word.lower() not in TITLES


def _is_in_place(words: Sequence[str], i: int) -> bool:
    """Whether a capitalised word stands where a name may stand."""
    before = words[i - 1] if i else "\n"
    after, second = [*words[i + 1 : i + 3], "\n", "\n"][:2]
    if words[i].isupper() or before.lower() in _CUES["not before"] or after in _CUES["not after"]:
        return False
    if after in POSSESSIVES or after in AFTER_NAMES:
        return True
    if second.lower() in _CUES.get(f"after {after}", ()):  # "to see"
        return True
    in_sentence = before.isalpha() and before.islower() or before.lower() in _CUES["before"]
    return in_sentence and (after.islower() or not after[0].isalnum()) and after[0] != "-"
