"""Comparison of systems on the same notes: scores and the significance of their differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..annotation.notes import Note
from ..annotation.phi import LabelSet
from .export import scores_to_json
from .matching import CRITERIA, Criterion
from .plots import plot_categories, plot_learning_curve
from .render import Table
from .scores import Scores, score_notes
from .significance import AVERAGES, Figures, randomization_test
from .systems import System
from .tables import comparison_table, leak_comparison_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Comparison:
    """A comparison of systems.

    systems (Mapping[str, System]): The systems by their names in tables.
    scores (Mapping[str, Scores]): Their scores.
    reference (str): The system that the others are tested against.
    chances (Mapping): For every other system, the p-values by criterion and average.
    label_set (LabelSet | None): The label set of the gold types, if not the project's.
    """

    systems: Mapping[str, System]
    scores: Mapping[str, Scores]
    reference: str
    chances: Mapping[str, Mapping[tuple[Criterion, str], Figures]]
    label_set: LabelSet | None = None

    def tables(self) -> list[Table]:
        """The score and leak tables."""
        speeds = {
            name: system.words_per_second
            for name, system in self.systems.items()
            if system.words_per_second
        }
        return [
            comparison_table(self.scores, self.chances),
            leak_comparison_table(self.scores, speeds),
        ]

    def figures(self) -> dict[str, Figure]:
        """The chart of categories and, if training sizes are known, the learning curve."""
        figures = {"categories": plot_categories(self.scores, self.label_set)}
        curves: dict[str, list[tuple[int, Scores]]] = {}
        for name, system in self.systems.items():
            if system.train_size is not None:
                curves.setdefault(system.name, []).append((system.train_size, self.scores[name]))
        if curves:
            figures["learning_curve"] = plot_learning_curve(curves)
        return figures

    def to_json(self) -> dict[str, Any]:
        """The scores of each system and, under "p", its p-values with the same nesting."""
        return {
            name: {"scores": scores_to_json(scores), "p": self._nested_chances(name)}
            for name, scores in self.scores.items()
        }

    def _nested_chances(self, name: str) -> dict[str, Any] | None:
        if name not in self.chances:
            return None
        nested: dict[str, Any] = {}
        for criterion in CRITERIA:
            measure, scheme, view = criterion
            nested.setdefault(measure, {}).setdefault(scheme, {})[view] = {
                average: self.chances[name][criterion, average]._asdict() for average in AVERAGES
            }
        return nested


def compare(
    gold: list[Note],
    systems: Sequence[System],
    *,
    reference: str | None = None,
    label_set: LabelSet | None = None,
    shuffles: int = 9_999,
    seed: int = 1,
) -> Comparison:
    """Score systems on the same notes and test their differences.

    gold (list[Note]): Notes with the true PHI.
    systems (Sequence[System]): The systems, with unique names (and training sizes).
    reference (str | None): The system that the others are tested against; by default, the one
        with the best F1 of binary tokens.
    label_set (LabelSet | None): The label set of the gold types, if not the project's.
    shuffles, seed (int): See `randomization_test`.
    RAISES (ValueError): If two systems have the same name, the reference is not among them, or a
        system does not have the same notes with the same texts.
    """
    named = {_full_name(system): system for system in systems}
    if len(named) < len(systems):
        raise ValueError("two systems have the same name; give them others with NAME=SYSTEM")
    if reference is not None and reference not in named:
        raise ValueError(f"the reference '{reference}' is not among {', '.join(named)}")
    scores = {
        name: score_notes(gold, system.notes, label_set=label_set) for name, system in named.items()
    }
    best = max(scores, key=lambda name: scores[name].micro("token", view="binary").f1)
    reference = reference or best
    chances = {
        name: randomization_test(scores[reference], other, shuffles=shuffles, seed=seed)
        for name, other in scores.items()
        if name != reference
    }
    return Comparison(named, scores, reference, chances, label_set)


def _full_name(system: System) -> str:
    return system.name if system.train_size is None else f"{system.name}@{system.train_size}"
