"""An adaptation: fine-tuning, choice of the threshold, export, and what it gained."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from spacy.language import Language

from ..annotation.candidates import DECIDED
from ..annotation.notes import Note
from ..evaluation.scores import Scores
from ..evaluation.systems import run_model
from ..evaluation.thresholds import THRESHOLDS, OperatingPoint, Sweeper, final_merger
from ..files import make_parent
from ..merger import set_threshold
from ..prove import ReviewedNote
from ..tagger.export import export_pipeline
from ..training import save_pipeline
from .gain import Gain, compare_gain, measure
from .split import Parts, remember
from .training_notes import Replay, training_notes
from .tune import Tuning, tune

FORGOTTEN = 0.02
"""Loss in the F2 of tokens of replayed notes from which on a model counts as worse."""


@dataclass(frozen=True)
class Adapted:
    """An adapted pipeline."""

    nlp: Language  # the pipeline, exported, without the words of its notes
    threshold: float
    local: Gain  # before and after on the held-out reviewed notes
    replayed: Gain  # before and after on notes like those of the first training

    @property
    def worse(self) -> str:
        """In which way it is worse than the model it was adapted from; empty if it is not."""
        if self.local.is_loss:
            return f"the F2 on the held-out notes falls by {-self.local.f2:.4f}"
        if self.replayed.f2 < -FORGOTTEN:
            return f"the F2 on notes like those of its training falls by {-self.replayed.f2:.4f}"
        return ""


def adapt(
    nlp: Language,
    parts: Parts,
    replay: Replay,
    tuning: Tuning | None = None,
    *,
    progress: bool = False,
) -> Adapted:
    """Adapt a pipeline to reviewed notes.

    nlp (Language): A pipeline with a `phi_tagger`, and a `phi_merger` at its end. It is trained on
        itself: load another to go on with the model as it was.
    parts (Parts): The reviewed notes.
    RAISES (ValueError): If the pipeline cannot be adapted, or there is no note to train on.
    """
    merger = final_merger(nlp)
    if merger is None:
        raise ValueError("adapting needs a model whose last pipe is a phi_merger")
    tuning = tuning or Tuning()
    tests = (parts.held_out, [ReviewedNote(note, (), ()) for note in replay.test])
    before = [measure(test, _search(nlp, test)) for test in tests]
    notes = training_notes(parts.learn, replay, tuning.seed)
    tune(nlp, notes, tuning, progress=progress)
    adapted = export_pipeline(nlp, quantize=True)
    threshold = choose_threshold(adapted, [note.gold for note in parts.choose], merger.threshold)
    set_threshold(adapted, threshold)
    after = [measure(test, _search(adapted, test)) for test in tests]
    adapted.meta["performance"] = {}  # those figures were of the other model
    replayed = () if replay.generated else replay.learn
    used = (*(note.gold for note in (*parts.learn, *parts.choose)), *replayed)
    remember(adapted, {note.text for note in used})
    return Adapted(adapted, threshold, *map(compare_gain, before, after))


def choose_threshold(nlp: Language, notes: Sequence[Note], default: float) -> float:
    """The threshold next to the default whose F2 of tokens is as good as the best.

    As good is what the best exceeds by no more than two standard errors: few notes move it little.
    It is not above what the detectors decide by, unless the default is.
    """
    candidates = sorted({default, *(t for t in THRESHOLDS if t <= DECIDED)})
    points = Sweeper(nlp, notes).sweep(candidates)
    best = max(points, key=lambda point: point.scores.token.f2)

    def is_as_good(point: OperatingPoint) -> bool:
        lead = best.scores.token.f2 - point.scores.token.f2
        return lead <= 2 * _standard_error(best.scores, point.scores)

    return min(
        (point.threshold for point in points if is_as_good(point)),
        key=lambda threshold: abs(threshold - default),
    )


def _standard_error(first: Scores, second: Scores) -> float:
    """Jackknife error of the difference in the F2 of tokens, over notes."""

    def without_each(scores: Scores) -> np.ndarray:
        tp, fp, fn = (scores.token_counts.sum(0) - scores.token_counts).T
        return 5 * tp / np.maximum(5 * tp + 4 * fn + fp, 1)

    differences = without_each(first) - without_each(second)
    return float(np.sqrt((len(differences) - 1) * differences.var()))


def save(adapted: Adapted, out: Path) -> None:
    """Write the pipeline to a new folder, which appears when it is complete.

    RAISES (ValueError): If there is something at `out` already.
    """
    check_new(out)
    save_pipeline(adapted.nlp, out)  # without the words of the notes searched since its export


def check_new(out: Path) -> None:
    """Raise a ValueError if there is something at a path, or no new folder can be made there."""
    if os.path.lexists(out):
        raise ValueError(f"{out} is there already; name a new folder")
    make_parent(out)


def _search(nlp: Language, notes: Sequence[ReviewedNote]) -> list[Note]:
    return run_model(nlp, [note.gold for note in notes])
