"""What a feature group is, and the registry of all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import srsly
from spacy.vocab import Vocab

from ..clusters import WordClusters

Attributes = list[str]
"""What a group says of one item: names such as "lower=smith"."""

NEEDS = {
    "annotator": "a spaCy pipeline named in the setting 'annotator'",
    "brown": "the path 'brown_clusters' in [initialize.components]",
    "vectors": "word vectors in the vocab",
    "gazetteers": "gazetteers in [initialize.lookups]",
    "sections": "a pipe 'clinical_sections' before it",
}
"""What a group can need beyond the text, and where that comes from."""


@dataclass
class Knowledge:
    """What features may look up.

    vocab (Vocab): The vocab, perhaps with gazetteers.
    brown (WordClusters | None): Brown clusters of words.
    vectors (WordClusters | None): Clusters of word vectors.
    """

    vocab: Vocab
    brown: WordClusters | None = None
    vectors: WordClusters | None = None

    def to_bytes(self) -> bytes:
        """The clusters as bytes; the vocab is saved by the pipeline."""
        clusters = {"brown": self.brown, "vectors": self.vectors}
        msg = {name: known.to_msg() for name, known in clusters.items() if known is not None}
        return srsly.msgpack_dumps(msg)

    def from_bytes(self, data: bytes) -> Knowledge:
        """Load the clusters that `to_bytes` gave."""
        msg = srsly.msgpack_loads(data)
        self.brown = WordClusters.from_msg(msg["brown"]) if "brown" in msg else None
        self.vectors = WordClusters.from_msg(msg["vectors"]) if "vectors" in msg else None
        return self


@dataclass(frozen=True)
class FeatureGroup:
    """A named group of features.

    name (str): Its name in the config.
    extract (Callable): By form: from a word (or a character) and `Knowledge` to its attributes.
        Otherwise from a `Sentence` (or a `Line`) and `Knowledge` to the attributes of each item.
    unit (str): What it looks at, "token" or "character".
    by_form (bool): Whether equal words have equal attributes, so that they are computed once.
    window (int | None): How many items to either side count too; None for the pipe's setting.
    reach (int): How many items to the right an attribute speaks of beside its own, as those of
        bigrams (1) do; they stay inside the window as well.
    needs (str): A key of `NEEDS`, or "".
    """

    name: str
    extract: Callable[[Any, Knowledge], list[Any]]
    unit: str
    by_form: bool
    window: int | None
    reach: int
    needs: str


FEATURE_GROUPS: dict[str, FeatureGroup] = {}
"""All groups by name."""


def feature_group(
    name: str,
    *,
    unit: str = "token",
    by_form: bool = False,
    window: int | None = None,
    reach: int = 0,
    needs: str = "",
) -> Callable[[Callable[[Any, Knowledge], list[Any]]], Callable[[Any, Knowledge], list[Any]]]:
    """Register the function below as a feature group; for the settings see `FeatureGroup`."""

    def register(extract: Callable[[Any, Knowledge], list[Any]]) -> Callable:
        FEATURE_GROUPS[name] = FeatureGroup(name, extract, unit, by_form, window, reach, needs)
        return extract

    return register


def ngrams(name: str, items: Sequence[str], n: int, *, separator: str = "|") -> list[Attributes]:
    """The n-gram that begins at each item, as an attribute of the item.

    There is none at the end, nor where one of the items is "".
    name (str): Name of the attribute.
    items (Sequence[str]): Words, tags or characters.
    n (int): Length of the n-grams.
    separator (str): What stands between the items.
    """
    grams = [items[i : i + n] for i in range(len(items))]
    return [
        [f"{name}={separator.join(gram)}"] if len(gram) == n and all(gram) else [] for gram in grams
    ]
