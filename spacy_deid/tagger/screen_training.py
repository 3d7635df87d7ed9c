"""Training of a `Screen`: it learns from a tagger which sentences that tagger suspects of PHI.

It is distillation (Hinton et al. 2015) and needs no gold. The loss is mostly that of the sentences,
each scored by its most suspicious word, so that one clue is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import fix_random_seed, minibatch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, pad
from tqdm import tqdm

from ..annotation.tagging import find_scheme
from .lattice import decode
from .onnx_model import OnnxNetwork, onnx_shim, predicts_with_onnx
from .pipe import PhiTagger
from .screen import KERNEL, Layer
from .segments import sentence_lengths

_SUSPECTED, _FOUND = 0.01, 0.25
"""Probabilities of PHI from which on the tagger suspects a word, and finds it by default."""

_WIDTH = 48
_ROWS, _ROW = 32, 512
"""Rows of a step, and words in a row."""

_GAP = np.zeros(KERNEL // 2, dtype=np.uint64)
"""What separates docs: no word sees those of another doc."""


@dataclass(frozen=True)
class TaggedWords:
    """The words of many docs in a row, and what a tagger thinks of them.

    embeddings (Tensor): The embeddings of the word types. *Shape:* `(n_types, width)`
    types (Tensor): The type of each word, -1 between docs. *Shape:* `(n_words,)`
    sentences (Tensor): The number of the sentence of each word. *Shape:* `(n_words,)`
    chances (Tensor): Its probability of being PHI. *Shape:* `(n_words,)`
    """

    embeddings: Tensor
    types: Tensor
    sentences: Tensor
    chances: Tensor


def train_screen(nlp: Language, texts: Iterable[str], *, steps: int = 2_500, seed: int = 1) -> None:
    """Give the exported tagger of a pipeline a new screen.

    texts (Iterable[str]): Notes like those to be searched.
    RAISES (ValueError): If there are no texts, or the pipeline has no exported tagger.
    """
    for _, tagger in nlp.pipeline:
        if isinstance(tagger, PhiTagger) and predicts_with_onnx(tagger.model):
            shim = onnx_shim(tagger.model)
            assert shim.network is not None
            state = {key: value for key, value in shim.network.state.items() if key != "screen"}
            shim.network = OnnxNetwork(state)
            tagged = _tag_words(nlp, tagger, shim.network, texts)
            shim.network = OnnxNetwork({**state, "screen": _fit(tagged, steps, seed)})
            return
    raise ValueError("the pipeline has no exported phi_tagger to train a screen for")


def _tag_words(
    nlp: Language, tagger: PhiTagger, network: OnnxNetwork, texts: Iterable[str]
) -> TaggedWords:
    """The words of texts, and what a tagger thinks of them.

    RAISES (ValueError): If there are none.
    """
    orths, lengths, chances = [_GAP], [np.asarray([len(_GAP)])], [np.zeros(len(_GAP))]
    for docs in minibatch(tqdm(_read(nlp, tagger, texts), "notes", disable=None), _ROWS):
        for doc, of_doc in zip(docs, _chances(tagger, docs), strict=True):
            orths += [doc.to_array("ORTH"), _GAP]
            lengths += [sentence_lengths(doc), lengths[0]]
            chances += [of_doc, chances[0]]
    if len(orths) == 1:
        raise ValueError("a screen learns from notes, and there are none")
    unique, types = np.unique(np.concatenate(orths), return_inverse=True)
    embeddings, rows = network.embed(unique[1:], nlp.vocab)
    sizes = np.concatenate(lengths)
    return TaggedWords(
        torch.from_numpy(embeddings[rows]),
        torch.from_numpy(types - 1),
        torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes)),
        torch.from_numpy(np.concatenate(chances).astype(np.float32)),
    )


def _read(nlp: Language, tagger: PhiTagger, texts: Iterable[str]) -> Iterator[Doc]:
    """Docs as the tagger gets them."""
    for text in texts:
        doc = nlp.make_doc(text)
        for _, pipe in nlp.pipeline:
            if pipe is tagger:
                break
            doc = pipe(doc)
        if len(doc):
            yield doc


def _chances(tagger: PhiTagger, docs: list[Doc]) -> list[np.ndarray]:
    """The probability of each word of being PHI; 0 where it is far below `_SUSPECTED`."""
    scheme = find_scheme(tagger.model.attrs["scheme"])
    ends = np.cumsum([len(doc) for doc in docs])
    chances = np.zeros(ends[-1])
    for bucket, scores in tagger.model.predict(docs):
        found = decode(scores, bucket.lengths, scheme, _SUSPECTED / 10)
        chances[bucket.rows[found.steps, found.segments]] = 1 - found.probabilities[:, 0]
    return np.split(chances, ends[:-1])


class _Network(nn.Module):
    """The layers of a `Screen`, in torch."""

    def __init__(self, n_inputs: int) -> None:
        super().__init__()
        sizes = (
            (n_inputs, _WIDTH),
            (KERNEL * _WIDTH, _WIDTH),
            (KERNEL * _WIDTH, _WIDTH),
            (_WIDTH, 1),
        )
        self.layers = nn.ModuleList(nn.Linear(*size) for size in sizes)

    def forward(self, values: Tensor, is_word: Tensor) -> Tensor:
        """The log-odds of words. *Shapes:* `(rows, words, n_inputs)`, `(rows, words)`"""
        layers: Any = self.layers
        first, *middle, last = layers
        margin, n_words = KERNEL // 2, values.shape[1]
        values = first(values).relu() * is_word[..., None]
        for layer in middle:
            padded = pad(values, (0, 0, margin, margin))
            windows = [padded[:, i : i + n_words] for i in range(KERNEL)]
            values = layer(torch.cat(windows, 2)).relu() * is_word[..., None]
        return last(values)[..., 0].masked_fill(~is_word, -1e4)


def _fit(tagged: TaggedWords, steps: int, seed: int) -> list[Layer]:
    """The layers of a screen that was trained on these words."""
    fix_random_seed(seed)
    network = _Network(tagged.embeddings.shape[1])
    layers: Any = network.layers
    optimizer = torch.optim.Adam(network.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=steps)
    for _ in tqdm(range(steps), "steps", disable=None):
        starts = torch.randint(max(1, len(tagged.types) - _ROW), (_ROWS, 1))
        words = (starts + torch.arange(_ROW)).clamp(max=len(tagged.types) - 1)
        types = tagged.types[words]
        scores = network(tagged.embeddings[types], types >= 0)
        loss = _loss(scores, tagged.chances[words], tagged.sentences[words])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return [
        (layer.weight.detach().T.numpy().astype(np.float16), layer.bias.detach().numpy())
        for layer in layers
    ]


def _loss(scores: Tensor, chances: Tensor, sentences: Tensor) -> Tensor:
    """The loss of sentences and, with less weight, of words.

    A sentence in which the tagger finds PHI counts most, and a long one more than a short one.
    """
    rows = torch.arange(len(sentences))[:, None] * (int(sentences.max()) + 1)
    _, places, sizes = torch.unique(rows + sentences, return_inverse=True, return_counts=True)
    best, highest = (
        torch.full(sizes.shape, -1e4).scatter_reduce(0, places.flatten(), one.flatten(), "amax")
        for one in (scores, chances)
    )
    is_sentence = best > -1e4
    weights = _weights(highest, 8.0, 1.0) * (sizes.clamp(max=60) / 20).sqrt() * is_sentence
    words = _weights(chances, 4.0, 0.3) * (scores > -1e4)
    return _mean_loss(best, highest, weights) + 0.3 * _mean_loss(scores, chances, words)


def _weights(chances: Tensor, found: float, clear: float) -> Tensor:
    """The weight of each item: one where PHI is found, one where it is only suspected, and one."""
    suspected = torch.where(chances >= _SUSPECTED, 0.5, clear)
    return torch.where(chances >= _FOUND, found, suspected)


def _mean_loss(scores: Tensor, chances: Tensor, weights: Tensor) -> Tensor:
    suspected = (chances >= _SUSPECTED).float()
    losses: Any = binary_cross_entropy_with_logits(scores, suspected, reduction="none")
    return (losses * weights).sum() / weights.sum()
