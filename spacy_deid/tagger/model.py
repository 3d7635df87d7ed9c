"""The tagger's architecture: tok2vec over docs, encoder and decoder over segments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model

from .decode import Decoder, DecoderModel, TagScores
from .encode import Encoder
from .segments import segment_lengths
from .torch_layer import Pieces, bfloat16_products, join_rows, torch_module


@registry.architectures("spacy_deid.PhiTagger.v1")
def build_phi_tagger(
    tok2vec: Model[list[Doc], Any],
    encoder: Encoder | None,
    decoder: DecoderModel,
    *,
    max_segment: int = 128,
) -> Model[list[Doc], TagScores]:
    """Tag scores from any tok2vec, an optional encoder over segments, and a decoder.

    tok2vec (Model): Token vectors: `spacy_deid.WordEmbed.v1`, any of spaCy's, or a listener.
    encoder (Model | None): Puts the vectors of one segment into context, such as
        `spacy_deid.RecurrentEncoder.v1`.
    decoder (Model): Scores the tags of one segment, such as `spacy_deid.CrfDecoder.v1`.
    max_segment (int): Most tokens of a segment, which is a run of whole sentences.
    RAISES (ValueError): If `max_segment` is less than 1.
    """
    if max_segment < 1:
        raise ValueError(f"PhiTagger.v1: max_segment is {max_segment}, but must be 1 or more")
    layers: list[Model] = [tok2vec, decoder] if encoder is None else [tok2vec, encoder, decoder]
    return Model(
        "phi_tagger",
        _forward,
        init=_init,
        layers=layers,
        refs={"tok2vec": tok2vec, "encoder": encoder, "decoder": decoder},
        dims={"nO": None},
        attrs={"max_segment": max_segment},
    )


def decoder_of(model: Model[list[Doc], TagScores]) -> Decoder:
    """The torch side of a tagger's decoder, which knows loss and decoding."""
    return torch_module(model.get_ref("decoder"))


def _forward(
    model: Model[list[Doc], TagScores], docs: list[Doc], is_train: bool
) -> tuple[TagScores, Callable[[TagScores], Any]]:
    sizes = [segment_lengths(doc, model.attrs["max_segment"]) for doc in docs]
    lengths = [length for doc_lengths in sizes for length in doc_lengths]
    # Reduced precision is for this package's own layers: a tok2vec may be anyone's.
    with bfloat16_products(wanted=False):
        vectors, backprop_vectors = model.get_ref("tok2vec")(docs, is_train)
    segments: list[Any] = Pieces(join_rows(model, vectors), lengths)
    encoder = model.maybe_get_ref("encoder")
    if encoder is not None:
        segments, backprop_encoder = encoder(segments, is_train)
    scores, backprop_decoder = model.get_ref("decoder")(segments, is_train)

    def backprop(gradient: TagScores) -> Any:
        d_segments = backprop_decoder(gradient)
        if encoder is not None:
            d_segments = backprop_encoder(d_segments)
        d_flat = join_rows(model, d_segments)
        return backprop_vectors(Pieces(d_flat, [len(doc) for doc in docs]))

    return scores, backprop


def _init(model: Model[list[Doc], TagScores], X: list[Doc] | None = None, Y: object = None) -> None:
    if not X:
        raise ValueError("PhiTagger.v1 cannot be initialised without docs")
    tok2vec, decoder = model.get_ref("tok2vec"), model.get_ref("decoder")
    tok2vec.initialize(X=X)
    sample = [tok2vec.predict([doc])[0] for doc in X if len(doc)][:1]
    encoder = model.maybe_get_ref("encoder")
    if encoder is not None:
        encoder.initialize(X=sample)
        sample = encoder.predict(sample)
    decoder.set_dim("nO", model.get_dim("nO"))
    decoder.initialize(X=sample)
