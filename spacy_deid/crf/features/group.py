"""Feature groups and their registry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import srsly
from spacy.vocab import Vocab

from ..clusters import WordClusters

Attributes = list[str]
"""A group's attributes of one item: names such as "lower=smith"."""

NEEDS = {
    "annotator": "a spaCy pipeline named in the setting 'annotator'",
    "brown": "the path 'brown_clusters' in [initialize.components]",
    "vectors": "word vectors in the vocab",
    "gazetteers": "gazetteers in [initialize.lookups]",
    "sections": "a pipe 'clinical_sections' before it",
}
"""Resources that a group may need besides the text, and where they come from."""


@dataclass
class Knowledge:
    """The resources of features: a vocab, possibly with gazetteers, and clusters of words."""

    vocab: Vocab
    brown: WordClusters | None = None
    vectors: WordClusters | None = None

    def to_bytes(self) -> bytes:
        """Serialise the clusters; the vocab is saved by the pipeline."""
        clusters = {"brown": self.brown, "vectors": self.vectors}
        msg = {name: known.to_msg() for name, known in clusters.items() if known is not None}
        return srsly.msgpack_dumps(msg)

    def from_bytes(self, data: bytes) -> Knowledge:
        """Load the clusters from the result of `to_bytes`."""
        for name, msg in srsly.msgpack_loads(data).items():
            setattr(self, name, WordClusters.from_msg(msg))
        return self


Extract = Callable[[Any, Knowledge], list[Any]]


@dataclass(frozen=True)
class FeatureGroup:
    """A group of features, by its name in the config.

    extract (Callable): If `by_form`, from a word (or character) and `Knowledge` to its attributes;
        otherwise from a `Sentence` (or `Line`) and `Knowledge` to the attributes of each item.
    """

    name: str
    extract: Extract
    unit: str = "token"  # or "character"
    by_form: bool = False  # whether equal words have equal attributes, which are computed once
    window: int | None = None  # items included on each side; None for the pipe's setting
    reach: int = 0  # following items that an attribute covers, which must lie in the window, too
    needs: str = ""  # a key of `NEEDS`


FEATURE_GROUPS: dict[str, FeatureGroup] = {}
"""All groups by name."""


def feature_group(name: str, **settings: Any) -> Callable[[Extract], Extract]:
    """Register the decorated function as a feature group; for the settings, see `FeatureGroup`."""

    def register(extract: Extract) -> Extract:
        FEATURE_GROUPS[name] = FeatureGroup(name, extract, **settings)
        return extract

    return register


def ngram_group(
    name: str,
    attribute: str,
    n: int,
    read: Callable[[Any], Sequence[str]],
    *,
    separator: str = "|",
    **settings: Any,
) -> None:
    """Register a group: the n-gram that begins at each item of a sequence.

    There is none where fewer than n items are left or one of them is "".

    read (Callable): From a sequence to its words, tags or characters.
    """

    @feature_group(name, reach=n - 1, **settings)
    def extract(sequence: Any, knowledge: Knowledge) -> list[Attributes]:
        items = read(sequence)
        grams = [items[i : i + n] for i in range(len(items))]
        return [
            [f"{attribute}={separator.join(gram)}"] if len(gram) == n and all(gram) else []
            for gram in grams
        ]
