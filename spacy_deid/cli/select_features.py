"""`spacy-deid select-features`: which feature groups a `phi_crf` should have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from confection import ConfigValidationError
from spacy.util import is_package, load_config
from typer import Argument

from ..corpora import read_notes
from ..corpora.io import input_format
from ..evaluation.feature_selection import select_features
from . import messages
from .decorator import command

_MODEL = "en_deid"


@command("select-features")
def select_features_cli(
    config: Annotated[Path, Argument(help="Config of a pipeline with one phi_crf.")],
    train: Annotated[Path, Argument(help="Corpus to train on; its suffix tells the format.")],
    dev: Annotated[Path, Argument(help="Corpus to evaluate on, likewise.")],
    out: Annotated[Path, Argument(metavar="OUTPUT", help="JSON file to write.")],
) -> None:
    """
    The features in the config are the candidates. Each step tries every remaining one and adds the
    best, until none improves the score. Gazetteers are those of the config, or else of en_deid.

    Examples:

    spacy-deid select-features configs/jiang2017_crf.cfg train.spacy dev.spacy features.json
    """
    if not config.is_file():
        raise ValueError(f"there is no config {config}")
    for corpus in (train, dev):
        input_format(corpus, setting="")
    messages.check_outputs([out], [config, train, dev])
    try:
        loaded = load_config(config)
        if gazetteers := _find_gazetteers(config, loaded.get("paths", {}).get("gazetteers")):
            loaded["paths"]["gazetteers"] = gazetteers
        steps = select_features(
            loaded,
            read_notes(train, overlaps=True),
            read_notes(dev, overlaps=True),
            on_trial=lambda groups, f1: typer.echo(f"  {f1:.4f}  {' '.join(groups)}"),
        )
    except ConfigValidationError as error:
        raise ValueError(f"{config}: {_wrong_settings(error)}") from None
    for step in steps:
        messages.good(f"{step.f1:.4f} with {step.added}")
    messages.write_json([step.added for step in steps], out)


def _wrong_settings(error: ConfigValidationError) -> str:
    """What is wrong in a config, on one line, without the objects that it was filled with."""
    settings = [
        f"{' -> '.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors or ()
    ]
    return " ".join("; ".join(settings or [str(error.desc or error.title)]).split())


def _find_gazetteers(config: Path, given: str | None) -> str | None:
    """The gazetteers of a config: from here, from its project, or else those of en_deid."""
    if given is None or Path(given).exists():
        return given
    for folder in config.resolve().parents[:2]:
        if (folder / given).exists():
            return str(folder / given)
    return _MODEL if is_package(_MODEL) else given
