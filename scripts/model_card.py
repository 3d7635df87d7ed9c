"""Write the meta data that `spacy package` turns into the model card.

What the model was trained on and what it was measured on come from the run itself: the carrier
files that were there, and the scores of the synthetic test set.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import srsly
import typer

from spacy_deid import __version__

DESCRIPTION = """Finds protected health information (PHI) in English clinical notes: rules and \
gazetteers, a BiLSTM-CRF tagger, and a merger. `doc.ents` holds the PHI with i2b2 2014 types, \
`doc.spans["phi"]` also its source and confidence. Trained on synthetic notes that spacy-deid \
generates from its own hand-written templates, on its hand-written charts{carriers}; no real \
patient's note and no restricted corpus was used. The scores below are of the synthetic test set, \
which shares no template, name, place or carrier with the training set; scores on other people's \
notes are in the project's docs/evidence.md. No model finds everything: have people check a sample \
of what you release."""


def meta_data(model: Path, scores: Path, carriers: Path) -> dict[str, Any]:
    """The model's own meta data, with description, sources, licence and test scores filled in."""
    licences = Counter(
        row["licence"].strip()
        for path in sorted(carriers.glob("*.jsonl"))
        for row in srsly.read_jsonl(path)
    )
    used = "".join(f"; {count} texts ({licence})" for licence, count in licences.items())
    meta = srsly.read_json(model / "meta.json")
    test = srsly.read_json(scores)
    meta |= {
        "description": DESCRIPTION.format(
            carriers=f" and open clinical texts{used}" if used else ""
        ),
        "author": "The spacy-deid authors",
        "license": "MIT",
        # spacy package adds what else the parts need, and of these only the next minor version
        "requirements": [f"spacy_deid>={__version__},<{int(__version__.split('.')[0]) + 1}"],
        "sources": _sources(carriers, vectors=bool(meta["vectors"]["vectors"])),
        "performance": {key: value for key, value in test.items() if key.startswith("phi_")},
    }
    return meta


def _sources(carriers: Path, *, vectors: bool) -> list[dict[str, str]]:
    own = "spacy-deid templates, charts and gazetteers"
    sources = [{"name": own, "license": "MIT; see assets/*/SOURCES.md"}]
    if vectors:
        glove = "GloVe 6B 100d (Pennington, Socher & Manning 2014)"
        sources.append({"name": glove, "license": "PDDL"})
    return [*sources, *map(_source, sorted(carriers.glob("*.jsonl")))]


def _source(carrier: Path) -> dict[str, str]:
    licences = dict.fromkeys(row["licence"].strip() for row in srsly.read_jsonl(carrier))
    return {"name": carrier.stem, "license": "; ".join(licences)}


def main(model: Path, scores: Path, carriers: Path, output: Path) -> None:
    """Write `output`, a meta.json for `spacy package --meta-path`."""
    temporary = output.with_suffix(".tmp")
    temporary.write_text(json.dumps(meta_data(model, scores, carriers), indent=2), "utf-8")
    os.replace(temporary, output)


if __name__ == "__main__":
    typer.run(main)
