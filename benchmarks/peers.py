"""Words per second of one system on the notes of a file, in a process of its own.

`speed.py` runs it with the Python of the system's environment: it imports nothing of this project.
spaCy's small model is `en_core_web_sm` or one of PyPI's copies; Presidio runs on it. Philter tags
parts of speech with weights that NLTK downloads; where they are missing, a tagger of that kind is
trained on the tags that the small model gives the notes of `blind_dev`. PyPI has no pyDeid (its
`pydeid` is an empty package of another project): install a clone of
github.com/GEMINI-Medicine/pyDeid.

    python benchmarks/peers.py philter-lite notes.jsonl --every 10
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

Run = Callable[[list[str]], object]
"""Searches texts."""

_SENTENCE = "Seen by Dr. Maria Lopez on 03/04/2067."


def en_deid(engine: str = "onnx") -> tuple[str, Run]:
    """The whole pipeline, with one of its two engines."""
    import spacy

    config = {"components.phi_tagger.model.engine": engine}
    nlp = spacy.load("en_deid", config=config)
    return f"en_deid {nlp.meta['version']}, {engine}", lambda texts: list(nlp.pipe(texts))


def en_deid_torch() -> tuple[str, Run]:
    """The pipeline with its torch engine."""
    return en_deid("torch")


def spacy_ner() -> tuple[str, Run]:
    """The entity recogniser of spaCy's small model, without its other pipes."""
    nlp = _small_model()
    nlp.select_pipes(enable=["tok2vec", "ner"])
    name = f"{_small_model_name()} {nlp.meta['version']}"
    return f"spaCy's NER, {name}", lambda texts: list(nlp.pipe(texts))


def presidio() -> tuple[str, Run]:
    """Presidio's analyzer with its own recognizers, in batches."""
    from presidio_analyzer import AnalyzerEngine, BatchAnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider

    models = [{"lang_code": "en", "model_name": _small_model_name()}]
    provider = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models})
    analyzer = AnalyzerEngine(nlp_engine=provider.create_engine(), supported_languages=["en"])
    batches = BatchAnalyzerEngine(analyzer)
    name = f"Presidio {version('presidio-analyzer')}"
    return name, lambda texts: list(batches.analyze_iterator(texts, language="en", batch_size=16))


def philter_lite() -> tuple[str, Run]:
    """Philter with its own filters."""
    import nltk
    import philter_lite

    folder = Path(philter_lite.__file__).parent
    filters = philter_lite.load_filters(str(folder / "configs" / "philter_delta.toml"))
    name = f"philter-lite {version('philter-lite')}"
    try:
        nltk.pos_tag(["ward"])
    except LookupError:
        nltk.pos_tag = _perceptron().tag
        name += " (parts of speech: own weights)"
    return name, lambda texts: [philter_lite.detect_phi(text, filters) for text in texts]


def pydeid() -> tuple[str, Run]:
    """pyDeid with its defaults."""
    from pyDeid import deid_string

    return f"pyDeid {version('pyDeid')}", lambda texts: [deid_string(text) for text in texts]


PEERS: dict[str, Callable[[], tuple[str, Run]]] = {
    "en_deid": en_deid,
    "en_deid-torch": en_deid_torch,
    "spacy": spacy_ner,
    "presidio": presidio,
    "philter-lite": philter_lite,
    "pyDeid": pydeid,
}
"""Each loads a system; returns its name with its version, and what searches texts."""


def read_texts(path: Path, every: int = 1) -> list[str]:
    """The texts of JSON lines: the first, and every so many after it."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines][::every]


def measure(name: str, path: Path, every: int) -> dict[str, Any]:
    """Load a system, and run it over texts that it has not seen.

    RETURNS (dict): Its name, seconds of the processor until it has searched a sentence, words
        (separated by blanks) per second after that, and peak memory in MiB.
    """
    texts = read_texts(path, every)
    start = time.process_time()
    system, run = PEERS[name]()
    run([_SENTENCE])
    loaded = time.process_time()
    run(texts)
    seconds = time.process_time() - loaded
    return {
        "system": system,
        "load_seconds": loaded - start,
        "words_per_second": sum(len(text.split()) for text in texts) / seconds,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _small_model_name() -> str:
    from spacy.util import get_installed_models

    names = [name for name in get_installed_models() if name.startswith("en_core_web_sm")]
    if not names:
        raise ImportError("no en_core_web_sm is installed")
    return names[0]


def _small_model() -> Any:
    import spacy

    return spacy.load(_small_model_name())


def _perceptron() -> Any:
    """A tagger of parts of speech like NLTK's."""
    from nltk.tag.perceptron import PerceptronTagger

    docs = _small_model().pipe(read_texts(Path(__file__).with_name("blind_dev.jsonl")))
    sentences = [[(token.text, token.tag_) for token in sent] for doc in docs for sent in doc.sents]
    tagger = PerceptronTagger(load=False)
    tagger.train(sentences, nr_iter=2)
    return tagger


def main() -> None:
    """Measure a system, and print its figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=PEERS)
    parser.add_argument("notes", type=Path)
    parser.add_argument("--every", type=int, default=1)
    args = parser.parse_args()
    json.dump(measure(args.name, args.notes, args.every), sys.stdout)


if __name__ == "__main__":
    main()
