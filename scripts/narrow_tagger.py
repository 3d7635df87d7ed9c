"""Make a trained tagger narrower and so faster: drop the units that matter least.

A unit of the LSTM or of the decoder's hidden layer matters as much as its state varies, times the
weights that read it; those that are left take over the mean of the others (structured pruning, Han
et al. 2015, "Learning both weights and connections"). Fine-tune afterwards, then export.

    python scripts/narrow_tagger.py en_deid training/narrow --width 128
    python scripts/tune_on_charts.py training/narrow training/tuned
    python scripts/export_onnx.py training/tuned training/exported --quantize
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import spacy
import torch
import typer
from spacy.language import Language
from spacy.tokens import Doc
from torch import Tensor, nn
from wasabi import msg

from spacy_deid.corpora import read_notes
from spacy_deid.tagger.model import Network, network_of
from spacy_deid.tagger.onnx_model import drop_network, is_onnx_tagger, onnx_shim, torch_tagger
from spacy_deid.tagger.pipe import PhiTagger
from spacy_deid.training import save_pipeline

CHARTS = Path(__file__).parent.parent / "assets" / "charts"
_EVERY = 6
"""One in so many charts is read to see what the units do."""
_READERS = {"text_normalizer", "clinical_sentencizer"}
"""The pipes that the tagger needs before it."""
_GATES = 4
_BACK = 0.5
"""What the weights back into the LSTM count, compared with those into the decoder."""


@dataclass
class States:
    """The outputs of a layer for all tokens read."""

    rows: list[Tensor] = field(default_factory=list)

    def record(self, module: nn.Module, inputs: object, output: Tensor) -> None:
        """Keep an output; a forward hook of torch."""
        self.rows.append(output.detach().flatten(0, -2).float().clone())

    @property
    def all(self) -> Tensor:
        """*Shape:* `(n_tokens, width)`"""
        return torch.cat(self.rows)


def narrow(nlp: Language, docs: list[Doc], width: int) -> None:
    """Leave `width` units in each direction of the tagger's LSTM, and twice as many after it.

    docs (list[Doc]): In sentences; the units' states are measured on them.
    RAISES (ValueError): If the tagger is no LSTM in both directions below a CRF with a hidden
        layer, or not wider than `width`.
    """
    tagger = nlp.get_pipe("phi_tagger")
    assert isinstance(tagger, PhiTagger)
    original = torch_tagger(tagger.model)
    network = network_of(original)
    lstms, (hidden, _, output) = _layers(network)
    if not 0 < width < lstms[0].hidden_size:
        raise ValueError(f"the LSTM is {lstms[0].hidden_size} wide; choose a width below that")
    with _measured(network) as (encoded, activated):
        for doc in docs:
            original.predict([doc])
    drop_network(tagger.model)
    encodings, activations = encoded.all, activated.all
    with torch.no_grad():
        kept, start = [], 0
        for name, lstm in zip(("ahead", "back"), lstms, strict=True):
            states = encodings[:, start : start + lstm.hidden_size]
            read = hidden.weight[:, start : start + lstm.hidden_size].norm(dim=0)
            weights = read + _BACK * lstm.weight_hh_l0.norm(dim=0)
            keep = _best(states.std(0) * weights, width)
            setattr(network.encoder.recurrent, name, _narrow_lstm(lstm, keep, states.mean(0)))
            kept.append(start + keep)
            start += lstm.hidden_size
        inner = _best(activations.std(0) * output.weight.norm(dim=0), 2 * width)
        _narrow_linear(output, torch.arange(output.out_features), inner, activations.mean(0))
        _narrow_linear(hidden, inner, torch.cat(kept), encodings.mean(0))
    network.encoder.hidden_width, network.encoder.output_width = width, 2 * width
    network.decoder.sizes["width"] = 2 * width
    _config(nlp)["encoder"]["hidden_width"] = width


def _layers(network: Network) -> tuple[list[nn.LSTM], nn.Sequential]:
    recurrent = getattr(network.encoder, "recurrent", None)
    lstms = [getattr(recurrent, name, None) for name in ("ahead", "back")]
    emitter = getattr(network.decoder, "emit", None)
    is_crf = hasattr(network.decoder, "transitions")
    if not (is_crf and all(isinstance(lstm, nn.LSTM) for lstm in lstms)) or not isinstance(
        emitter, nn.Sequential
    ):
        raise ValueError("only a BiLSTM-CRF with a hidden layer, as en_deid has, can be narrowed")
    return lstms, emitter


@contextmanager
def _measured(network: Network) -> Iterator[tuple[States, States]]:
    """What encoder and hidden layer put out inside the block."""
    pairs = (network.encoder, States()), (network.decoder.emit[1], States())
    hooks = [layer.register_forward_hook(states.record) for layer, states in pairs]
    try:
        yield pairs[0][1], pairs[1][1]
    finally:
        for hook in hooks:
            hook.remove()


def _best(importance: Tensor, count: int) -> Tensor:
    """Indices of the most important units, in order."""
    return importance.topk(count).indices.sort().values


def _narrow_lstm(lstm: nn.LSTM, keep: Tensor, means: Tensor) -> nn.LSTM:
    """The LSTM with these units alone; the others stay at their means."""
    narrowed = nn.LSTM(lstm.input_size, len(keep))
    rows = torch.cat([keep + gate * lstm.hidden_size for gate in range(_GATES)])
    lost = means.clone()
    lost[keep] = 0
    narrowed.weight_ih_l0.copy_(lstm.weight_ih_l0[rows])
    narrowed.weight_hh_l0.copy_(lstm.weight_hh_l0[rows][:, keep])
    narrowed.bias_ih_l0.copy_(lstm.bias_ih_l0[rows])
    narrowed.bias_hh_l0.copy_(lstm.bias_hh_l0[rows] + lstm.weight_hh_l0[rows] @ lost)
    return narrowed


def _narrow_linear(layer: nn.Linear, rows: Tensor, columns: Tensor, means: Tensor) -> None:
    """Keep these outputs and inputs of a layer; the other inputs stay at their means."""
    lost = means.clone()
    lost[columns] = 0
    layer.bias = nn.Parameter((layer.bias + layer.weight @ lost)[rows].clone())
    layer.weight = nn.Parameter(layer.weight[rows][:, columns].clone())
    layer.out_features, layer.in_features = layer.weight.shape


def _config(nlp: Language) -> dict:
    """The config that the tagger's torch layers are built from when it is loaded."""
    model = nlp.get_pipe("phi_tagger").model
    if is_onnx_tagger(model):
        return onnx_shim(model).original["config"]
    return nlp.get_pipe_config("phi_tagger")["model"]


def main(
    model: Annotated[str, typer.Argument(help="Name or folder of the model.")],
    output: Annotated[Path, typer.Argument(help="New folder for the narrower model.")],
    width: Annotated[int, typer.Option(help="Units left in each direction of the LSTM.")],
) -> None:
    """Write MODEL with a tagger of WIDTH to OUTPUT; fine-tune it before use."""
    if output.exists():
        raise typer.BadParameter(f"{output} is there already; name a new folder")
    nlp = spacy.load(model)
    if "phi_tagger" not in nlp.pipe_names:
        raise typer.BadParameter(f"{model} has no phi_tagger")
    texts = [note.text for note in read_notes(CHARTS)][::_EVERY]
    with nlp.select_pipes(enable=[name for name in nlp.pipe_names if name in _READERS]):
        docs = list(nlp.pipe(texts))
    try:
        narrow(nlp, docs, width)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    save_pipeline(nlp, output)
    msg.good(f"Written: {output}; fine-tune it before use")


if __name__ == "__main__":
    typer.run(main)
