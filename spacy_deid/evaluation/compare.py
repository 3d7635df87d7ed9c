"""Comparison of systems on the same notes: scores and the significance of their differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..annotation.notes import Note
from ..annotation.phi import LabelSet
from ..tables import Table
from .export import nest, scores_to_json
from .matching import Criterion
from .plots import plot_categories, plot_learning_curve
from .scores import Scores, score_notes
from .significance import Figures, randomization_test
from .systems import System
from .tables import comparison_table, leak_comparison_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Comparison:
    """Systems by their names in tables; p-values by criterion and average."""

    systems: Mapping[str, System]
    scores: Mapping[str, Scores]
    reference: str  # the system that the others are tested against
    p_values: Mapping[str, Mapping[tuple[Criterion, str], Figures]]

    def tables(self, *, starred: bool = True) -> list[Table]:
        """The score and leak tables; stars mark significant differences."""
        speeds = {name: system.words_per_second for name, system in self.systems.items()}
        leaks = leak_comparison_table(self.scores, speeds)
        return [comparison_table(self.scores, self.p_values, starred=starred), leaks]

    def figures(self) -> dict[str, Figure]:
        """The chart of categories and, if training sizes are known, the learning curve."""
        figures = {"categories": plot_categories(self.scores)}
        curves: dict[str, list[tuple[int, Scores]]] = {}
        for name, system in self.systems.items():
            if system.train_size is not None:
                curves.setdefault(system.name, []).append((system.train_size, self.scores[name]))
        if curves:
            figures["learning_curve"] = plot_learning_curve(curves)
        return figures

    def to_json(self) -> dict[str, Any]:
        """The scores of each system and, under "p", its p-values with the same nesting.

        "reference" says whether it is the system that the others are tested against.
        """
        result: dict[str, Any] = {}
        for name, scores in self.scores.items():
            p_values = self.p_values.get(name, {}).items()
            nested = nest({key: p._asdict() for key, p in p_values if key[0] in scores.criteria})
            result[name] = {
                "reference": name == self.reference,
                "scores": scores_to_json(scores),
                "p": nested or None,
            }
        return result


def compare(
    gold: list[Note],
    systems: Sequence[System],
    *,
    reference: str | None = None,
    label_set: LabelSet | None = None,
    shuffles: int = 9_999,
    seed: int = 1,
) -> Comparison:
    """Score systems as `score_notes` does, and test their differences by `randomization_test`.

    systems (Sequence[System]): The systems, with unique names (and training sizes).
    reference (str | None): The system that the others are tested against; by default, the one
        with the best F1 of binary tokens.
    RAISES (ValueError): If two systems have the same name, the reference is not among them, or the
        notes of one are not those of the gold.
    """
    named = {system.full_name: system for system in systems}
    if len(named) < len(systems):
        raise ValueError("two systems have the same name; give them others with NAME=SYSTEM")
    if reference is not None and reference not in named:
        raise ValueError(f"the reference '{reference}' is not among {', '.join(named)}")
    scores = {name: _score(gold, system, label_set) for name, system in named.items()}
    best = max(scores, key=lambda name: scores[name].token.f1)
    reference = reference or best
    p_values = {
        name: randomization_test(scores[reference], other, shuffles=shuffles, seed=seed)
        for name, other in scores.items()
        if name != reference
    }
    return Comparison(named, scores, reference, p_values)


def _score(gold: list[Note], system: System, label_set: LabelSet | None) -> Scores:
    try:
        return score_notes(
            gold, system.notes, label_set=label_set, system_label_set=system.label_set
        )
    except ValueError as error:
        raise ValueError(f"{system.full_name}: {error}") from None
