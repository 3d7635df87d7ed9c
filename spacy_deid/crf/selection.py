"""Greedy forward selection of feature groups, as in Jiang et al. 2017."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import load_model_from_config
from thinc.api import Config

from ..annotation.candidates import read_candidates
from ..annotation.notes import Note, PhiSpan, doc_from_note
from ..evaluation import score_notes
from .pipe import PhiCrf
from .prepare import rule_pipes_before, run_pipes

FACTORY = "phi_crf"


@dataclass(frozen=True)
class Step:
    """A step of the selection.

    added (str): The group added.
    f1 (float): Token F1 on the dev set with this group and those added before.
    """

    added: str
    f1: float


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
    train (Iterable[Note]): Notes to train on.
    dev (Iterable[Note]): Notes to evaluate on.
    on_trial (Callable | None): Called after each trial with its groups and its F1.
    RETURNS (list[Step]): The chosen groups, in order.
    RAISES (ValueError): If the config does not have exactly one `phi_crf`.
    """
    bench = Bench(config, train, dev)
    left = list(bench.settings["features"])
    steps: list[Step] = []
    while left:
        chosen = [step.added for step in steps]
        trials = []
        for group in left:
            f1 = bench.token_f1([*chosen, group])
            trials.append(Step(group, f1))
            if on_trial is not None:
                on_trial([*chosen, group], f1)
        best = max(trials, key=lambda trial: trial.f1)
        if best.f1 <= (steps[-1].f1 if steps else 0.0):
            break
        steps.append(best)
        left.remove(best.added)
    return steps


class Bench:
    """Trains and evaluates a `phi_crf` with various features, on docs prepared once.

    config (Config): Config of a pipeline with one `phi_crf`.
    train (Iterable[Note]): Notes to train on.
    dev (Iterable[Note]): Notes to evaluate on.
    RAISES (ValueError): If the config does not have exactly one `phi_crf`.
    """

    def __init__(self, config: Config, train: Iterable[Note], dev: Iterable[Note]) -> None:
        self.nlp = load_model_from_config(config, auto_fill=True)
        self.name = self._find_pipe()
        filled = self.nlp.config.interpolate()
        self.settings = dict(filled["components"][self.name])
        self.settings.pop("factory")
        self.learning = filled["initialize"]["components"].get(self.name, {})
        self.dev = list(dev)
        self.examples = [
            Example(self.nlp.make_doc(note.text), doc_from_note(self.nlp, note)) for note in train
        ]
        self.docs = [self.nlp.make_doc(note.text) for note in self.dev]
        self._prepare()

    def token_f1(self, features: list[str]) -> float:
        """Token F1 of a CRF with these features on the dev notes."""
        windows = {k: v for k, v in self.settings["windows"].items() if k in features}
        settings = {**self.settings, "features": features, "windows": windows}
        crf = self.nlp.create_pipe(FACTORY, self.name, config=settings)
        assert isinstance(crf, PhiCrf)
        crf.initialize(lambda: self.examples, **self.learning)
        docs = crf.pipe(self.docs)
        found = [self._note(note, doc) for note, doc in zip(self.dev, docs, strict=True)]
        return score_notes(self.dev, found).micro("token").f1

    def _find_pipe(self) -> str:
        names = [n for n in self.nlp.pipe_names if self.nlp.get_pipe_meta(n).factory == FACTORY]
        if len(names) != 1:
            raise ValueError(
                f"features can be selected for one pipe '{FACTORY}', but there are {len(names)}"
            )
        return names[0]

    def _prepare(self) -> None:
        """Load the vocab's data and run the rule pipes before the CRF."""
        names = self.nlp.pipe_names
        with self.nlp.select_pipes(disable=names[names.index(self.name) :]):
            self.nlp.initialize(lambda: self.examples)
        pipes = rule_pipes_before(self.nlp, self.name)
        for doc in (*(example.predicted for example in self.examples), *self.docs):
            run_pipes(pipes, doc)

    def _note(self, note: Note, doc: Doc) -> Note:
        spans = {
            PhiSpan(span.start_char, span.end_char, span.label_)
            for span, _ in read_candidates(doc, self.name)
        }
        return Note(note.id, note.text, tuple(sorted(spans)))
