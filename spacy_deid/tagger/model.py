"""The tagger's architecture: a tok2vec, and a network over segments of docs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model, torch2xp, xp2torch
from torch import Tensor, nn

from .buckets import Bucket, TagScores, batch_scale, make_buckets, uses_gpu
from .decoders import Decoder
from .encoders import Encoder
from .segments import segment_lengths, sentence_lengths
from .threads import TRAINING_THREADS, Dropout, backpropagate, in_threads
from .torch_layer import bfloat16_products, one_thread, torch_layer, torch_module, training_mode


class Network(nn.Module):
    """Encoder, if any, and decoder: the whole tagger except its tok2vec."""

    def __init__(self, encoder: Encoder | None, decoder: Decoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def build(self, width: int, n_tags: int) -> None:
        """Make the layers for token vectors of this width, unless they are already built."""
        if self.encoder is not None:
            if self.encoder.sizes is None:
                self.encoder.build(width=width)
            width = self.encoder.output_width
        if self.decoder.sizes is None:
            self.decoder.build(width=width, n_tags=n_tags)

    def set_dropout(self, rate: float) -> None:
        """Set the rate of all dropout layers."""
        for module in self.modules():
            if isinstance(module, Dropout):
                module.p = rate

    def forward(self, vectors: Tensor, lengths: Tensor) -> tuple[Tensor, ...]:
        """Score the tags of the segments of a `Bucket`, in single precision, as the decoder does.

        vectors (Tensor): Token vectors. *Shape:* `(n_steps, n_segments, width)`
        """
        encoded = vectors if self.encoder is None else self.encoder(vectors, lengths)
        return tuple(scores.float() for scores in self.decoder(encoded))


@registry.architectures("spacy_deid.PhiTagger.v1")
def build_phi_tagger(
    tok2vec: Model[list[Doc], Any],
    encoder: Encoder | None,
    decoder: Decoder,
    *,
    max_segment: int = 128,
) -> Model[list[Doc], TagScores]:
    """Compute tag scores with any tok2vec, an optional encoder over segments, and a decoder.

    tok2vec (Model): Token vectors: `spacy_deid.WordEmbed.v1`, any of spaCy's, or a listener.
    encoder (Encoder | None): Contextualises the vectors of a segment, such as
        `spacy_deid.RecurrentEncoder.v1`.
    decoder (Decoder): Scores the tags of a segment, such as `spacy_deid.CrfDecoder.v1`.
    max_segment (int): Maximum tokens of a segment, which is a run of whole sentences.
    RAISES (ValueError): If `max_segment` is less than 1, or a block is not one of spacy_deid's.
    """
    if max_segment < 1:
        raise ValueError(f"PhiTagger.v1: max_segment is {max_segment}, but must be 1 or more")
    if not isinstance(encoder, Encoder | None) or not isinstance(decoder, Decoder):
        raise ValueError(
            "PhiTagger.v1: encoder and decoder must be blocks of spacy_deid, such as "
            "spacy_deid.RecurrentEncoder.v1; put layers of spaCy or thinc into the tok2vec"
        )
    # Encoder and decoder are saved separately, but run together in `_forward`.
    refs: dict[str, Model | None] = {
        "tok2vec": tok2vec,
        "encoder": None if encoder is None else torch_layer("encoder", encoder, _run_alone),
        "decoder": torch_layer("decoder", decoder, _run_alone),
    }
    return Model(
        "phi_tagger",
        _forward,
        init=_init,
        layers=[layer for layer in refs.values() if layer is not None],
        refs=refs,
        dims={"nO": None},
        attrs={
            "max_segment": max_segment,
            "dropout_rate": 0.0,
            "scheme": decoder.scheme.name,
            "mixed_precision": False,
        },
    )


def network_of(model: Model[list[Doc], TagScores]) -> Network:
    """The torch network of a tagger."""
    encoder = model.maybe_get_ref("encoder")
    return Network(
        None if encoder is None else torch_module(encoder), torch_module(model.get_ref("decoder"))
    )


def tagging_loss(
    model: Model[list[Doc], TagScores], scores: TagScores, gold: np.ndarray
) -> list[Tensor]:
    """The decoder's loss in each bucket, as a share of the mean over all segments.

    gold (np.ndarray): The gold tag of each token, -1 where unknown.
    """
    decoder = network_of(model).decoder
    tags = torch.from_numpy(gold)
    n_segments = sum(len(bucket.lengths) for bucket, _ in scores)
    losses = []
    with one_thread():
        for bucket, output in scores:
            device = output[0].device
            in_bucket = tags[bucket.rows].to(device)
            lengths = torch.from_numpy(bucket.lengths).to(device)
            losses.append(decoder.loss(output, lengths, in_bucket) / n_segments)
    return losses


def _forward(
    model: Model[list[Doc], TagScores], docs: list[Doc], is_train: bool
) -> tuple[TagScores, Callable[[list[Tensor]], Any]]:
    """The scores, and a callback that propagates the losses of the buckets to the tok2vec."""
    network = network_of(model)
    if is_train:
        network.set_dropout(model.attrs["dropout_rate"])
    buckets = _make_buckets(model, docs, is_train)
    with one_thread(), training_mode(network, is_train):
        # Reduced precision is only for this package's own layers; the tok2vec may be any.
        vectors, backprop_vectors = model.get_ref("tok2vec")(docs, is_train)
        rows = xp2torch(model.ops.flatten(vectors))

    def score(bucket: Bucket) -> tuple[Tensor, tuple[Any, ...]]:
        places, lengths = (
            torch.from_numpy(array).to(rows.device) for array in (bucket.rows, bucket.lengths)
        )
        with torch.set_grad_enabled(is_train), bfloat16_products(model.attrs["mixed_precision"]):
            inputs = nn.functional.embedding(places, rows).requires_grad_(is_train)
            return inputs, network(inputs, lengths)

    if not is_train:
        with one_thread():
            return [(one, tuple(map(_to_numpy, score(one)[1]))) for one in buckets], _no_backprop
    inputs, outputs = zip(*in_threads(score, buckets), strict=True)

    def backprop(losses: list[Tensor]) -> Any:
        gradient = torch.zeros_like(rows)
        for bucket, of_inputs in zip(buckets, backpropagate(network, losses, inputs), strict=True):
            places = torch.from_numpy(bucket.rows).to(rows.device)
            gradient.index_add_(0, places.flatten(), of_inputs.flatten(0, 1))
        doc_lengths = model.ops.asarray1i([len(doc) for doc in docs])
        with one_thread():  # more add up gradients in any order
            return backprop_vectors(model.ops.unflatten(torch2xp(gradient), doc_lengths))

    return list(zip(buckets, outputs, strict=True)), backprop


def _make_buckets(
    model: Model[list[Doc], TagScores], docs: list[Doc], is_train: bool
) -> list[Bucket]:
    sentences = (sentence_lengths(doc).tolist() for doc in docs)
    most = model.attrs["max_segment"]
    lengths = [n for lengths in sentences for n in segment_lengths(lengths, most)]
    scale = batch_scale(model)
    return make_buckets(
        lengths, scale, least=TRAINING_THREADS if is_train and not uses_gpu(model) else 1
    )


def _no_backprop(losses: list[Tensor]) -> Any:
    raise NotImplementedError("predictions have no gradients")


def _to_numpy(scores: Tensor) -> np.ndarray:
    return scores.detach().cpu().numpy()


def _run_alone(model: Model, inputs: Any, is_train: bool) -> Any:
    raise NotImplementedError(f"the {model.name} of a tagger does not run by itself")


def _init(model: Model[list[Doc], TagScores], X: list[Doc] | None = None, Y: object = None) -> None:
    docs = [doc for doc in X or () if len(doc)]
    if not docs:
        raise ValueError("PhiTagger.v1 cannot be initialised without docs")
    tok2vec = model.get_ref("tok2vec")
    tok2vec.initialize(X=X)
    width = tok2vec.predict(docs[:1])[0].shape[1]
    network_of(model).build(width, model.get_dim("nO"))
