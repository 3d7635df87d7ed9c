"""Word clusters: Brown clusters from a file, or k-means over word vectors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from spacy.strings import get_string_id
from spacy.vocab import Vocab

_BATCH = 4096


class WordClusters:
    """The cluster of each word, as compact arrays of sorted hashes and indices of cluster names."""

    def __init__(self, keys: np.ndarray, clusters: np.ndarray, names: list[str]) -> None:
        self.keys, self.clusters, self.names = keys, clusters, names

    def get(self, word: str) -> str | None:
        """Name of a word's cluster, looked up as written, then in lower case; None if none."""
        for form in (word, word.lower()):
            key = np.uint64(get_string_id(form))
            place = int(np.searchsorted(self.keys, key))
            if place < len(self.keys) and self.keys[place] == key:
                return self.names[self.clusters[place]]
        return None

    def to_msg(self) -> dict[str, Any]:
        """The clusters in a form that msgpack can serialise."""
        arrays = {"keys": self.keys.tobytes(), "clusters": self.clusters.tobytes()}
        return {**arrays, "names": self.names}

    @classmethod
    def from_msg(cls, msg: Mapping[str, Any]) -> WordClusters:
        """Load the result of `to_msg`."""
        keys, clusters = np.frombuffer(msg["keys"], np.uint64), np.frombuffer(msg["clusters"], "u4")
        return cls(keys, clusters, list(msg["names"]))


def read_brown(path: Path) -> WordClusters:
    """Read Brown clusters: one line per word with path, word and count, separated by tabs.

    RAISES (FileNotFoundError): If there is no such file.
    RAISES (ValueError): If a line has another format.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no file of Brown clusters at {path}")
    path_of: dict[int, str] = {}
    with path.open(encoding="utf8") as file:
        for number, line in enumerate(file, 1):
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 3 or not fields[0] or fields[0].strip("01"):
                raise ValueError(
                    f"{path}, line {number} is not 'path<TAB>word<TAB>count' with a path of 0 and 1"
                )
            path_of[get_string_id(fields[1])] = fields[0]
    keys = sorted(path_of)
    names, clusters = np.unique([path_of[key] for key in keys], return_inverse=True)
    return WordClusters(np.array(keys, np.uint64), clusters.astype(np.uint32), names.tolist())


def cluster_vectors(vocab: Vocab, n_clusters: int, seed: int) -> WordClusters:
    """Cluster the words of a vocab with k-means on their vectors, scaled to length 1."""
    from sklearn.cluster import MiniBatchKMeans  # slow to import and rarely needed

    pairs = sorted((key, row) for key, row in vocab.vectors.key2row.items() if row >= 0)
    # Vectors without a word, such as spaCy's unused rows, would form a cluster of their own.
    rows, of_key = np.unique([row for _, row in pairs], return_inverse=True)
    data = np.asarray(vocab.vectors.data[rows], dtype=np.float32)
    lengths = np.linalg.norm(data, axis=1, keepdims=True)
    kmeans = MiniBatchKMeans(
        min(n_clusters, len(data)), random_state=seed, batch_size=_BATCH, n_init=1
    )
    clusters = kmeans.fit_predict(data / np.maximum(lengths, 1e-8))
    return WordClusters(
        np.array([key for key, _ in pairs], dtype=np.uint64),
        clusters[of_key].astype(np.uint32),
        [str(i) for i in range(len(kmeans.cluster_centers_))],
    )
