"""Before and after, on the same notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..annotation.notes import Note
from ..evaluation.scores import TOKEN_BINARY, Scores, score_notes
from ..evaluation.significance import Figures, randomization_test
from ..prove import Proof, ReviewedNote, prove
from ..prove.proof import ALL
from ..prove.report import low_percent
from ..tables import Table


@dataclass(frozen=True)
class Measured:
    """What a model finds in notes."""

    scores: Scores
    proof: Proof  # its recall and precision with bounds


@dataclass(frozen=True)
class Gain:
    """Two models on the same notes."""

    before: Measured
    after: Measured
    p_values: Figures  # of differences in tokens of any type, by approximate randomization

    @property
    def is_loss(self) -> bool:
        """Whether the F2 of tokens fell."""
        return self.f2 < 0

    @property
    def f2(self) -> float:
        """Difference in the F2 of tokens."""
        return self.after.scores.token.f2 - self.before.scores.token.f2


def measure(notes: Sequence[ReviewedNote], found: Sequence[Note]) -> Measured:
    """Score what a model found in the notes, which are in the same order."""
    searched = [replace(n, found=f.spans, readings=()) for n, f in zip(notes, found, strict=True)]
    return Measured(score_notes([note.gold for note in notes], found), prove(searched))


def compare_gain(before: Measured, after: Measured) -> Gain:
    """Test the difference of two models on the same notes."""
    p_values = randomization_test(before.scores, after.scores)
    return Gain(before, after, p_values[TOKEN_BINARY, "micro"])


def gain_table(title: str, gain: Gain) -> Table:
    """Before and after, with p-values of the measures of tokens."""
    p = gain.p_values
    by_name = {"recall": p.recall, "precision": p.precision, "F1": p.f1}
    tested = {f"{name} of tokens": f"{value:.4f}" for name, value in by_name.items()}
    columns = zip(_figures(gain.before), _figures(gain.after), strict=True)
    rows = [[name, old, new, tested.get(name, "")] for (name, old), (_, new) in columns]
    notes = len(gain.before.scores.ids)
    return Table(f"{title} ({notes} notes; any type counts)", ["", "before", "after", "p"], rows)


def _figures(measured: Measured) -> list[tuple[str, str]]:
    token, shares = measured.scores.token, measured.proof
    named = {
        "pieces of PHI found": shares.recall[ALL],
        "marks that are PHI": shares.precision[ALL],
        "leak-free notes": shares.leak_free_notes,
    }
    rows = []
    for name, share in named.items():
        known = share.estimate is not None
        rows.append((name, f"{share.estimate:.2%}" if known else "none"))
        rows.append(("  at least, with 95% confidence", low_percent(share.clustered.low) * known))
    tokens = {"recall": token.recall, "precision": token.precision, "F1": token.f1, "F2": token.f2}
    return [*rows, *((f"{name} of tokens", f"{value:.2%}") for name, value in tokens.items())]


def gain_to_json(gain: Gain) -> dict[str, Any]:
    """All figures of a gain."""

    def figures(measured: Measured) -> dict[str, Any]:
        token, shares = measured.scores.token, measured.proof
        return {
            "recall": token.recall,
            "precision": token.precision,
            "f1": token.f1,
            "f2": token.f2,
            "pieces_found": shares.recall[ALL].estimate,
            "pieces_found_lower_bound": shares.recall[ALL].clustered.low,
            "leak_free_notes": shares.leak_free_notes.estimate,
        }

    return {
        "notes": len(gain.before.scores.ids),
        "before": figures(gain.before),
        "after": figures(gain.after),
        "p": gain.p_values._asdict(),
    }
