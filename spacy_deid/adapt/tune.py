"""Fine-tuning of the taggers of a pipeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from spacy.language import Language
from spacy.training import Example
from spacy.training.batchers import minibatch_by_words
from spacy.util import fix_random_seed
from thinc.api import Adam, warmup_linear
from tqdm import tqdm

from ..annotation.notes import Note, doc_from_note
from ..tagger.pipe import PhiTagger
from ..text.sentences import ClinicalSentencizer

_WARM_UP = 0.1


@dataclass(frozen=True)
class Tuning:
    """How a pipeline is fine-tuned."""

    steps: int = 300
    words: int = 3_000  # tokens in the notes of a step
    learn_rate: float = 0.001  # the highest learning rate, after a tenth of the steps
    dropout: float = 0.25
    seed: int = 1


def tune(nlp: Language, notes: Iterable[Note], tuning: Tuning, *, progress: bool = False) -> None:
    """Train the taggers of a pipeline on.

    notes (Iterable[Note]): Gold notes, in the order to train on; they may be without end.
    RAISES (ValueError): If the pipeline has no tagger.
    """
    taggers = _taggers(nlp)
    if not taggers:
        raise ValueError("the model has no phi_tagger to train on")
    fix_random_seed(tuning.seed)
    warm_up = max(1, round(_WARM_UP * tuning.steps))
    for tagger in taggers:
        rates: Any = warmup_linear(tuning.learn_rate, warm_up, tuning.steps)
        optimizer = Adam(rates, grad_clip=1.0)
        examples = (_example(nlp, tagger, note) for note in notes)
        batches = islice(minibatch_by_words(examples, tuning.words), tuning.steps)
        for batch in tqdm(batches, "steps", tuning.steps, disable=None if progress else True):
            tagger.update(batch, drop=tuning.dropout, sgd=optimizer)
            optimizer.step_schedules()


def unknown_types(nlp: Language, notes: Iterable[Note]) -> Counter[str]:
    """The PHI types in notes that no tagger of a pipeline knows, so that `tune` leaves them out.

    RETURNS (Counter[str]): The number of spans of each.
    """
    known = {label for tagger in _taggers(nlp) for label in tagger.labels}
    return Counter(span.type for note in notes for span in note.spans if span.type not in known)


def _taggers(nlp: Language) -> list[PhiTagger]:
    return [pipe for _, pipe in nlp.pipeline if isinstance(pipe, PhiTagger)]


def _example(nlp: Language, tagger: PhiTagger, note: Note) -> Example:
    """The pair of the doc to predict on, in sentences, and the gold; unknown types are no loss."""
    gold, doc = doc_from_note(nlp, note), nlp.make_doc(note.text)
    known = [ent for ent in gold.ents if ent.label_ in tagger.labels]
    gold.set_ents(known, missing=[ent for ent in gold.ents if ent not in known])
    for _, pipe in nlp.pipeline:
        if isinstance(pipe, ClinicalSentencizer):
            doc = pipe(doc)
    return Example(doc, gold)
