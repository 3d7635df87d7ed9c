"""Greedy forward selection of the feature groups of a CRF, as in Jiang et al. 2017."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from spacy.training import Example
from spacy.util import load_model_from_config
from thinc.api import Config

from ..annotation.candidates import read_candidates
from ..annotation.notes import Note, PhiSpan, doc_from_note
from ..crf.pipe import PhiCrf
from ..crf.prepare import rule_pipes_before, run_pipes
from .scores import score_notes

FACTORY = "phi_crf"


class Step(NamedTuple):
    """A step of the selection."""

    added: str  # the group added
    f1: float  # token F1 on the dev set with this group and those added before


def select_features(
    config: Config,
    train: Iterable[Note],
    dev: Iterable[Note],
    *,
    on_trial: Callable[[list[str], float], None] | None = None,
) -> list[Step]:
    """Repeatedly add the group that improves token F1 on the dev set most, until none does.

    config (Config): Config of a pipeline with one `phi_crf`, whose features are the candidate
        groups; the first wins a tie. Other settings are unchanged.
    on_trial (Callable | None): Called after each trial with its groups and its F1.
    RAISES (ValueError): If there are no notes, or not exactly one `phi_crf` in the config.
    """
    train, dev = list(train), list(dev)
    if not (train and dev):
        raise ValueError("features are selected on training and development notes; one has none")
    trial = Trial(config, train, dev)
    left = list(trial.settings["features"])
    steps: list[Step] = []
    while left:
        chosen = [step.added for step in steps]
        results = []
        for group in left:
            f1 = trial.token_f1([*chosen, group])
            results.append(Step(group, f1))
            if on_trial is not None:
                on_trial([*chosen, group], f1)
        best = max(results, key=lambda step: step.f1)
        if best.f1 <= (steps[-1].f1 if steps else 0.0):
            break
        steps.append(best)
        left.remove(best.added)
    return steps


class Trial:
    """Trains and evaluates the `phi_crf` of a config with various features.

    The docs are prepared once: by the initialized vocab, and the rule pipes before the CRF.
    """

    def __init__(self, config: Config, train: Iterable[Note], dev: Iterable[Note]) -> None:
        self.nlp = nlp = load_model_from_config(config, auto_fill=True)
        crfs = [name for name in nlp.pipe_names if nlp.get_pipe_meta(name).factory == FACTORY]
        if len(crfs) != 1:
            raise ValueError(
                f"features can be selected for one pipe '{FACTORY}', but there are {len(crfs)}"
            )
        self.name = name = crfs[0]
        filled = nlp.config.interpolate()
        self.settings = dict(filled["components"][name])
        self.settings.pop("factory")
        self.learning = filled["initialize"]["components"].get(name, {})
        self.dev = list(dev)
        self.examples = [
            Example(nlp.make_doc(note.text), doc_from_note(nlp, note)) for note in train
        ]
        self.docs = [nlp.make_doc(note.text) for note in self.dev]
        with nlp.select_pipes(disable=nlp.pipe_names[nlp.pipe_names.index(name) :]):
            nlp.initialize(lambda: self.examples)
        pipes = rule_pipes_before(nlp, name)
        for doc in (*(example.predicted for example in self.examples), *self.docs):
            run_pipes(pipes, doc)

    def token_f1(self, features: list[str]) -> float:
        """Token F1 of a CRF with these features on the dev notes."""
        windows = {k: v for k, v in self.settings["windows"].items() if k in features}
        settings = {**self.settings, "features": features, "windows": windows}
        crf = self.nlp.create_pipe(FACTORY, self.name, config=settings)
        assert isinstance(crf, PhiCrf)
        crf.initialize(lambda: self.examples, **self.learning)
        system = []
        for note, doc in zip(self.dev, crf.pipe(self.docs), strict=True):
            spans = (span for span, _ in read_candidates(doc, self.name))
            phi = {PhiSpan(span.start_char, span.end_char, span.label_) for span in spans}
            system.append(Note(note.id, note.text, tuple(sorted(phi))))
        return score_notes(self.dev, system).micro("token").f1
