"""Evaluation of one system: scores, intervals, errors and thresholds, as tables and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..annotation.notes import Note
from ..annotation.phi import LabelSet
from ..tables import Table
from .errors import ErrorAnalysis, TrainingData, analyze_errors
from .export import scores_to_json
from .matching import Criterion
from .plots import (
    plot_calibration,
    plot_categories,
    plot_confusion,
    plot_instances,
    plot_precision_recall,
)
from .scores import Scores, score_notes
from .significance import Interval, confidence_intervals
from .systems import System
from .tables import category_table, error_tables, leak_table, official_table, type_table
from .thresholds import Calibration, OperatingPoint, Sweeper, final_merger

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Evaluation:
    """The result of `evaluate`; intervals, points and calibration only if requested."""

    gold: list[Note] = field(repr=False)
    system: System
    scores: Scores
    intervals: Mapping[tuple[Criterion, str], Interval]  # by criterion and average
    analysis: ErrorAnalysis
    training: TrainingData | None = None
    points: list[OperatingPoint] = field(default_factory=list)
    calibration: Calibration | None = None

    def tables(self) -> list[Table]:
        """All tables, the most important first."""
        return [
            official_table(self.scores, self.intervals),
            leak_table(self.scores),
            category_table(self.scores),
            type_table(self.scores),
            *error_tables(self.analysis),
        ]

    def to_json(self) -> dict[str, Any]:
        """The scores, and under "errors" the numbers of errors by kind, type and cause."""
        errors = {
            "kinds": self.analysis.kinds(),
            "types": self.analysis.kinds_by_type(),
            "causes": self.analysis.causes(),
        }
        return {**scores_to_json(self.scores, self.intervals), "errors": errors}

    def figures(self) -> dict[str, Figure]:
        """All available figures, by file name; they need matplotlib."""
        name = self.system.name
        figures = {
            "confusion": plot_confusion(
                self.analysis,
                f"{name}: gold and system types, spans",
                label_set=self.scores.label_set,
                system_label_set=self.system.label_set,
            ),
            "categories": plot_categories({name: self.scores}),
        }
        if self.training:
            figures["instances"] = plot_instances(self.scores, self.training.types)
        if self.points:
            figures["precision_recall"] = plot_precision_recall(self.points)
        if self.calibration:
            figures["calibration"] = plot_calibration(self.calibration)
        return figures


def evaluate(
    gold: list[Note],
    system: System,
    *,
    label_set: LabelSet | None = None,
    training: TrainingData | None = None,
    resamples: int = 9_999,
    seed: int = 1,
    thresholds: bool = False,
) -> Evaluation:
    """Evaluate a system; gold and label set as for `score_notes`.

    training (TrainingData | None): The system's training data, to explain missed PHI.
    resamples (int): Resamples for the confidence intervals; 0 for none.
    thresholds (bool): Whether to try other thresholds, if the system is a model with a merger.
    """
    label_sets = {"label_set": label_set, "system_label_set": system.label_set}
    scores = score_notes(gold, system.notes, **label_sets)
    intervals = confidence_intervals(scores, resamples=resamples, seed=seed) if resamples else {}
    analysis = analyze_errors(gold, system.notes, **label_sets, training=training)
    evaluation = Evaluation(gold, system, scores, intervals, analysis, training)
    if thresholds and system.nlp and final_merger(system.nlp):
        sweeper = Sweeper(system.nlp, gold, label_set=label_set)
        points, calibration = sweeper.sweep(), sweeper.calibrate()
        return replace(evaluation, points=points, calibration=calibration)
    return evaluation
