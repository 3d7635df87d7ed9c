"""The tagger's architecture: tok2vec over docs, encoder and CRF scores over segments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import ArgsKwargs, Model, torch2xp, xp2torch
from thinc.types import Floats1d, Floats2d

from .decode import CrfHead, Lattice
from .segments import segment_lengths
from .torch_layer import split_rows, torch_module, wrap_module


@dataclass(frozen=True)
class TagScores:
    """What the tagger's model says of a batch of docs (and the gradient of it).

    lengths (list[int]): Tokens of each segment, segments in the order of the docs.
    emissions (Floats2d): Score of each tag for each token. *Shape:* `(sum(lengths), n_tags)`
    transitions, start, end: The CRF's parameters. *Shape:* `(n_tags, n_tags)`, `(n_tags,)` twice.
    """

    lengths: list[int]
    emissions: Floats2d
    transitions: Floats2d
    start: Floats1d
    end: Floats1d

    def parameters(self, requires_grad: bool = False) -> list[torch.Tensor]:
        """Emissions, transitions, start and end as torch tensors."""
        arrays = (self.emissions, self.transitions, self.start, self.end)
        return [xp2torch(array, requires_grad=requires_grad) for array in arrays]


@registry.architectures("spacy_deid.PhiTagger.v1")
def build_phi_tagger(
    tok2vec: Model[list[Doc], list[Floats2d]],
    encoder: Model[list[Floats2d], list[Floats2d]] | None = None,
    *,
    max_segment: int = 128,
) -> Model[list[Doc], TagScores]:
    """Tag scores from any tok2vec, an optional encoder over segments, and a CRF.

    tok2vec (Model): Token vectors: `spacy_deid.WordCharEmbed.v1`, any of spaCy's, or a listener.
    encoder (Model): Puts the vectors of one segment into context; `spacy_deid.BiLSTMEncoder.v1`.
    max_segment (int): Most tokens of a segment, which is a run of whole sentences.
    """
    head = wrap_module(
        "crf_head",
        CrfHead(),
        _convert_inputs,
        _convert_outputs,
        init=_init_head,
        dims={"nI": None, "nO": None},
        attrs={},
    )
    layers: list[Model] = [tok2vec, head] if encoder is None else [tok2vec, encoder, head]
    return Model(
        "phi_tagger",
        _forward,
        init=_init,
        layers=layers,
        dims={"nO": None},
        attrs={"max_segment": max_segment},
    )


def make_lattice(
    parameters: list[torch.Tensor], lengths: list[int]
) -> tuple[Lattice, torch.Tensor, np.ndarray]:
    """Lay out concatenated segments for the CRF.

    RETURNS (tuple): The lattice; `index` with `lattice.emissions = emissions[index]` (-1, a row
        that does not count, where a segment is over), *Shape:* `(n_steps, n_segments)`; and the
        position of each column's segment in `lengths`.
    """
    sizes = np.asarray(lengths)
    order = np.argsort(-sizes, kind="stable")
    offsets = (np.cumsum(sizes) - sizes)[order]
    step = np.arange(sizes.max())[:, None]
    alive = step < sizes[order][None]
    index = torch.from_numpy(np.where(alive, offsets[None] + step, -1)).to(parameters[0].device)
    emissions, *rest = parameters
    lattice = Lattice.build(emissions[index], alive.sum(1).tolist(), *rest)
    return lattice, index, order


def _forward(
    model: Model[list[Doc], TagScores], docs: list[Doc], is_train: bool
) -> tuple[TagScores, Callable[[TagScores], Any]]:
    tok2vec, head = model.layers[0], model.layers[-1]
    encoder = model.layers[1] if len(model.layers) == 3 else None
    sizes = [segment_lengths(doc, model.attrs["max_segment"]) for doc in docs]
    lengths = [length for doc_lengths in sizes for length in doc_lengths]
    vectors, backprop_vectors = tok2vec(docs, is_train)
    segments = split_rows(model.ops.xp.concatenate(vectors), lengths)
    if encoder is not None:
        segments, backprop_segments = encoder(segments, is_train)
    (emissions, *parameters), backprop_head = head(model.ops.xp.concatenate(segments), is_train)

    def backprop(gradient: TagScores) -> Any:
        d_flat = backprop_head(
            (gradient.emissions, gradient.transitions, gradient.start, gradient.end)
        )
        if encoder is not None:
            d_flat = model.ops.xp.concatenate(backprop_segments(split_rows(d_flat, lengths)))
        return backprop_vectors(split_rows(d_flat, [len(doc) for doc in docs]))

    return TagScores(lengths, emissions, *parameters), backprop


def _init(model: Model[list[Doc], TagScores], X: list[Doc] | None = None, Y: object = None) -> None:
    tok2vec, head = model.layers[0], model.layers[-1]
    tok2vec.initialize(X=X)
    width = tok2vec.get_dim("nO")
    for encoder in model.layers[1:-1]:
        encoder.set_dim("nI", width)
        encoder.initialize()
        width = encoder.get_dim("nO")
    head.set_dim("nI", width)
    head.set_dim("nO", model.get_dim("nO"))
    head.initialize()


def _init_head(model: Model, X: object = None, Y: object = None) -> None:
    module = torch_module(model)
    if not module.sizes:
        n_labels = (model.get_dim("nO") - 1) // 4
        module.build(width=model.get_dim("nI"), n_labels=n_labels)


def _convert_inputs(
    model: Model, flat: Floats2d, is_train: bool
) -> tuple[ArgsKwargs, Callable[[ArgsKwargs], Any]]:
    def gradient(d_inputs: ArgsKwargs) -> Any:
        return torch2xp(d_inputs.args[0])

    return ArgsKwargs(args=(xp2torch(flat, requires_grad=is_train),), kwargs={}), gradient


def _convert_outputs(
    model: Model, inputs_outputs: tuple[Floats2d, tuple[torch.Tensor, ...]], is_train: bool
) -> tuple[tuple, Callable[[tuple], ArgsKwargs]]:
    _, outputs = inputs_outputs

    def backprop(d_outputs: tuple) -> ArgsKwargs:
        gradients = tuple(xp2torch(gradient) for gradient in d_outputs)
        return ArgsKwargs(args=(outputs,), kwargs={"grad_tensors": gradients})

    return tuple(torch2xp(output.detach()) for output in outputs), backprop
