"""What an earlier detector found in the note, as vectors of its tokens."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from spacy.tokens import Doc, Span
from spacy.util import registry
from thinc.api import ArgsKwargs, Model
from thinc.types import Floats2d
from torch import Tensor, nn

from ..phi import CATEGORY
from .torch_layer import SizedModule, split_output, torch_module, wrap_module

_TYPES = {phi_type: i for i, phi_type in enumerate(CATEGORY)}
_SHORTEST = 3  # letters of a word that is worth recognising elsewhere


@registry.architectures("spacy_deid.SpanCues.v1")
def build_span_cues(
    *, detector: str = "phi_matcher", width: int = 16, dropout: float = 0.3
) -> Model[list[Doc], list[Floats2d]]:
    """Embed what a detector found: of the token itself, and of the same word elsewhere.

    So a tagger that reads a few sentences at a time knows what the header said of a name. The
    detector must run before it, in training too (`[training] annotating_components`); where it did
    not, all tokens look alike.

    detector (str): Name of the detector.
    width (int): Width of each of the two embeddings.
    dropout (float): Chance that training hides a span that was found, so that the tagger does not
        leave to the detector what it could find itself.
    """
    return wrap_module(
        "span_cues",
        SpanCueEmbedder(width),
        _convert_inputs,
        split_output,
        init=_init,
        attrs={"detector": detector, "span_dropout": dropout},
    )


class SpanCueEmbedder(SizedModule):
    """The torch side of `SpanCues.v1`."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def make_layers(self) -> None:  # type: ignore[override]
        self.here = nn.Embedding(2 * len(_TYPES) + 1, self.width, padding_idx=0)
        self.elsewhere = nn.Linear(len(_TYPES), self.width, bias=False)

    def forward(self, places: np.ndarray, types: np.ndarray) -> Tensor:
        """Embed tokens.

        places (np.ndarray): Row of `here` for each token. *Shape:* `(n_tokens,)`
        types (np.ndarray): PHI types of the same word in the note. *Shape:* `(n_tokens, n_types)`
        RETURNS (Tensor): *Shape:* `(n_tokens, 2 * width)`
        """
        device = self.here.weight.device
        here = self.here(torch.from_numpy(places).to(device))
        return torch.cat([here, self.elsewhere(torch.from_numpy(types).to(device))], dim=1)


def span_cues(doc: Doc, spans: list[Span]) -> tuple[np.ndarray, np.ndarray]:
    """Places and types, as `SpanCueEmbedder` reads them, of a doc's tokens.

    A place is 0 outside all spans, and tells the first token of a span from the others.
    """
    places = np.zeros(len(doc), dtype=np.int64)
    types = np.zeros((len(doc), len(_TYPES)), dtype=np.float32)
    found: dict[int, set[int]] = {}
    for span in spans:
        kind = _TYPES[span.label_]
        places[span.start : span.end] = 2 * kind + 2
        places[span.start] = 2 * kind + 1
        for token in span:
            if len(token.text) >= _SHORTEST:
                found.setdefault(token.lower, set()).add(kind)
    if found:
        words = np.array(sorted(found), dtype=np.uint64)
        table = np.zeros((len(words), len(_TYPES)), dtype=np.float32)
        for row, word in enumerate(words.tolist()):
            table[row, list(found[word])] = 1.0
        lower = doc.to_array("LOWER")
        rows = np.minimum(np.searchsorted(words, lower), len(words) - 1)
        known = words[rows] == lower
        types[known] = table[rows[known]]
    return places, types


def _convert_inputs(
    model: Model, docs: list[Doc], is_train: bool
) -> tuple[ArgsKwargs, Callable[[ArgsKwargs], list]]:
    detector, dropout = model.attrs["detector"], model.attrs["span_dropout"] if is_train else 0.0
    cues = []
    for doc in docs:
        spans = list(doc.spans.get(detector, ()))
        if dropout:
            kept = torch.rand(len(spans)) >= dropout
            spans = [span for span, keep in zip(spans, kept.tolist(), strict=True) if keep]
        cues.append(span_cues(doc, spans))
    places, types = (np.concatenate(arrays) for arrays in zip(*cues, strict=True))
    return ArgsKwargs(args=(places, types), kwargs={}), _no_gradient


def _no_gradient(_: ArgsKwargs) -> list:
    """Docs have no gradient."""
    return []


def _init(model: Model, X: list[Doc] | None = None, Y: object = None) -> None:
    module = torch_module(model)
    if not module.is_built:
        module.build()
    model.set_dim("nO", 2 * module.width)
