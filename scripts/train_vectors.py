"""Train word vectors on notes of one's own: CBOW or skip-gram (Mikolov et al. 2013).

Reads notes in any format that `spacy-deid convert` reads, and writes a folder that `[initialize]
vectors` can name. Needs gensim: `pip install "spacy_deid[vectors]"`.

    python scripts/train_vectors.py corpus/train.spacy corpus/vectors --method cbow --width 100
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.language import Language
from spacy.vectors import Vectors
from wasabi import msg

from spacy_deid.corpora import read_notes


class Method(str, Enum):
    """What is predicted: a word from its neighbours, or its neighbours from a word."""

    cbow = "cbow"
    skip_gram = "skip-gram"


def train_vectors(
    notes: Path,
    output: Path,
    *,
    method: Method = Method.cbow,
    width: int = 100,
    window: int = 5,
    min_count: int = 5,
    epochs: int = 5,
    seed: int = 1,
) -> int:
    """Save a blank English pipeline with vectors of the notes' words, in lower case.

    RETURNS (int): Number of vectors.
    RAISES (ValueError): If no word occurs `min_count` times.
    """
    from gensim.models import Word2Vec  # an extra, and slow to import

    nlp = spacy.blank(
        "en", config={"nlp": {"tokenizer": {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}}}
    )
    nlp.add_pipe("clinical_sentencizer")
    model = Word2Vec(
        vector_size=width,
        window=window,
        min_count=min_count,
        sg=int(method is Method.skip_gram),
        seed=seed,
        workers=1,  # more would make each run another
    )
    sentences = list(_sentences(notes, nlp))
    model.build_vocab(sentences)
    if not len(model.wv):
        raise ValueError(f"no word of {notes} occurs {min_count} times: lower --min-count")
    model.train(sentences, total_examples=len(sentences), epochs=epochs)
    keys = [nlp.vocab.strings.add(word) for word in model.wv.index_to_key]
    nlp.vocab.vectors = Vectors(
        strings=nlp.vocab.strings, data=model.wv.vectors, keys=keys, name=f"{method.value}.{width}d"
    )
    output.parent.mkdir(parents=True, exist_ok=True)
    nlp.to_disk(output)
    return len(keys)


def _sentences(notes: Path, nlp: Language) -> Iterator[list[str]]:
    for doc in nlp.pipe(note.text for note in read_notes(notes)):
        for sentence in doc.sents:
            yield [token.lower_ for token in sentence if not token.is_space]


def main(
    notes: Annotated[Path, typer.Argument(help="Notes: a file or a folder, in any format.")],
    output: Annotated[Path, typer.Argument(help="Folder to write.")],
    method: Annotated[Method, typer.Option(help="How they are trained.")] = Method.cbow,
    width: Annotated[int, typer.Option(help="Width of the vectors.")] = 100,
    window: Annotated[int, typer.Option(help="Neighbours that count, on each side.")] = 5,
    min_count: Annotated[int, typer.Option(help="Words less frequent get no vector.")] = 5,
    epochs: Annotated[int, typer.Option(help="Passes over the notes.")] = 5,
    seed: Annotated[int, typer.Option(help="The same seed gives the same vectors.")] = 1,
) -> None:
    """Train vectors and write a folder that a config's `paths.vectors` can name.

    It lists the notes' frequent words, names among them: keep it where the notes may be kept.
    """
    count = train_vectors(
        notes,
        output,
        method=method,
        width=width,
        window=window,
        min_count=min_count,
        epochs=epochs,
        seed=seed,
    )
    msg.good(f"{count} word vectors in {output}")


if __name__ == "__main__":
    typer.run(main)
