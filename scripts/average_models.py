"""Average the weights of several trainings of one pipeline, begun from the same weights.

The average of trainings that lie in one basin of the loss is better than each of them, and as fast
as one (Wortsman et al. 2022, "Model soups").
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import spacy
import torch
import typer
from spacy.language import Language

from spacy_deid.tagger.onnx_model import drop_network, torch_tagger
from spacy_deid.training import save_pipeline


def average(pipelines: list[Language]) -> Language:
    """The first pipeline with the mean of all pipelines' torch parameters.

    RAISES (ValueError): If they do not have the same parameters and labels.
    """
    first, *rest = [list(_parameters(nlp)) for nlp in pipelines]
    labels = [nlp.pipe_labels for nlp in pipelines]
    shapes = [[(name, parameter.shape) for name, parameter in one] for one in (first, *rest)]
    if any(one != labels[0] for one in labels) or any(one != shapes[0] for one in shapes):
        raise ValueError("the models differ in labels or layers; name trainings of one config")
    with torch.no_grad():
        for (_, parameter), *others in zip(first, *rest, strict=True):
            parameter.copy_(torch.stack([parameter, *(other for _, other in others)]).mean(0))
    for _, pipe in pipelines[0].pipeline:
        if hasattr(pipe, "model"):
            drop_network(pipe.model)
    return pipelines[0]


def _parameters(nlp: Language) -> Iterator[tuple[str, torch.nn.Parameter]]:
    """Name and value of each torch parameter, in the order of pipes and layers."""
    for pipe_name, pipe in nlp.pipeline:
        for layer in torch_tagger(pipe.model).walk() if hasattr(pipe, "model") else ():
            for shim in layer.shims:
                for name, parameter in shim._model.named_parameters():
                    yield f"{pipe_name}.{name}", parameter


def main(out: Path, models: list[Path]) -> None:
    """Write the average of MODELS, folders of finished trainings, to the new folder OUT.

    Example: python scripts/average_models.py training/average training/a/model-last
    training/b/model-last
    """
    if len(models) < 2:
        raise typer.BadParameter("name two models or more")
    if out.exists():
        raise typer.BadParameter(f"{out} is there already; name a new folder")
    try:
        averaged = average([spacy.load(model) for model in models])
    except (OSError, ValueError) as error:
        raise typer.BadParameter(str(error)) from error
    save_pipeline(averaged, out)


if __name__ == "__main__":
    typer.run(main)
