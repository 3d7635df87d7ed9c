"""The tables of an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..annotation.phi import PHI_TYPES, in_order
from ..tables import Table
from .errors import ERROR_KINDS, ErrorAnalysis
from .matching import Criterion
from .scores import Counts, MacroAverage, Scores, sum_groups
from .significance import Figures, Interval

if TYPE_CHECKING:
    from .thresholds import OperatingPoint

_MEASURES: Mapping[str, Callable[[Scores], str]] = {
    "notes": lambda scores: f"{len(scores.ids):,}",
    "token recall": lambda scores: f"{scores.token.recall:.4f}",
    "token precision": lambda scores: f"{scores.token.precision:.4f}",
    "token F1": lambda scores: f"{scores.token.f1:.4f}",
    "token F2": lambda scores: f"{scores.token.f2:.4f}",
    "strict F1": lambda scores: f"{scores.micro('strict').f1:.4f}",
    "leak-free notes": lambda scores: f"{scores.leak_free_notes:.1%}",
    "missed PHI": lambda scores: f"{scores.per_1000_words(scores.leaked_mentions):.2f}",
    "false alarms": lambda scores: f"{scores.per_1000_words(scores.false_alarms):.2f}",
}
"""What tables and cards show of a system, by the names of their columns or rows."""

_LEAKS = tuple(name for name in _MEASURES if name not in ("notes", "strict F1"))
_LEAK_TITLE = "What leaks (any type counts; missed PHI and false alarms per 1,000 words)"
_OPERATING = ("token recall", "token precision", "token F2", "strict F1", "leak-free notes")


def official_table(
    scores: Scores, intervals: Mapping[tuple[Criterion, str], Interval] | None = None
) -> Table:
    """All measures of the i2b2 2014 evaluation, with intervals of the micro F1 if given."""
    rows = []
    for criterion in scores.criteria:
        micro, macro = scores.micro(*criterion), scores.macro(*criterion)
        row = [*criterion, *_prf(micro)]
        if intervals:
            low, high = intervals[criterion, "micro"]
            row.append("-".join(_figures(low.f1, high.f1)))
        row += _counts(micro)
        row.append(f"{macro.precision:.4f} ({macro.precision_sd:.4f})")
        row.append(f"{macro.recall:.4f} ({macro.recall_sd:.4f})")
        rows.append([*row, *_figures(macro.f1)])
    header = ["measure", "types", "view", "P", "R", "F1", *(["95% CI"] if intervals else [])]
    header += ["TP", "FP", "FN", "macro P (SD)", "macro R (SD)", "macro F1"]
    return Table("i2b2 2014 measures", header, rows, n_names=3)


def cards(scores: Scores) -> dict[str, str]:
    """What comes first in a report: every measure by its name."""
    return {name: show(scores) for name, show in _MEASURES.items()}


def leak_table(scores: Scores) -> Table:
    """The de-identification view: whether PHI is covered, by any type."""
    rows = [[name, _MEASURES[name](scores)] for name in ("notes", *_LEAKS)]
    return Table(_LEAK_TITLE, ["", "value"], rows)


def type_table(scores: Scores) -> Table:
    """Counts and measures of each type, in the project's order; other labels follow."""
    return _breakdown("type", scores, in_order({*scores.leaks, *scores.per_type("strict")}), str)


def category_table(scores: Scores) -> Table:
    """Counts and measures of each category; of a gold label, that of its most common type."""
    found = {scores.category_of(name) for name in (*scores.leaks, *scores.per_type("strict"))}
    categories = [name for name in PHI_TYPES if name in found]
    return _breakdown("category", scores, categories, scores.category_of)


def error_tables(analysis: ErrorAnalysis) -> list[Table]:
    """Number of errors of each kind, in total and by type; missing spans by cause if known."""
    kinds, causes = analysis.kinds(), analysis.causes()
    rows = [
        [name, str(analysis.gold[name]), *(str(counts[kind] or "") for kind in ERROR_KINDS)]
        for name, counts in analysis.kinds_by_type().items()
    ]
    rows.append(["all", str(analysis.gold.total()), *(str(kinds[kind]) for kind in ERROR_KINDS)])
    tables = [Table("Errors by kind", ["type", "gold", *ERROR_KINDS], rows)]
    if causes:
        rows = [[cause, str(n)] for cause, n in causes.most_common()]
        tables.append(Table("Missing spans by cause", ["cause", "spans"], rows))
    return tables


def comparison_table(
    systems: Mapping[str, Scores],
    p_values: Mapping[str, Mapping[tuple[Criterion, str], Figures]],
    *,
    starred: bool = True,
) -> Table:
    """Systems compared by every criterion, with p-values of all but the reference."""
    rows = []
    for criterion in next(iter(systems.values())).criteria:
        for name, scores in systems.items():
            row = [*criterion, name]
            micro, macro = _prf(scores.micro(*criterion)), _prf(scores.macro(*criterion))
            for average, figures in (("micro", micro), ("macro", macro)):
                if starred and name in p_values:
                    found = zip(figures, p_values[name][criterion, average], strict=True)
                    figures = [figure + stars(p) for figure, p in found]
                row += figures
            p = p_values[name][criterion, "micro"].f1 if name in p_values else None
            row.append("reference" if p is None else "< 0.0001" if p < 0.0001 else f"{p:.4f}")
            rows.append(row)
    header = ["measure", "types", "view", "system", "P", "R", "F1", "macro P", "macro R"]
    title = "i2b2 2014 measures (* p < 0.05, ** p < 0.01, *** p < 0.001)"
    return Table(title, [*header, "macro F1", "p of F1"], rows, n_names=4)


def leak_comparison_table(
    systems: Mapping[str, Scores], speeds: Mapping[str, float | None]
) -> Table:
    """Systems compared in the de-identification view, with words per second if they were run."""
    rows = [
        [name, *_values(scores, _LEAKS), f"{speed:,.0f}" if (speed := speeds[name]) else ""]
        for name, scores in systems.items()
    ]
    return Table(_LEAK_TITLE, ["system", *_LEAKS, "words/s"], rows)


def threshold_table(points: Sequence[OperatingPoint]) -> Table:
    """Measures at each threshold."""
    rows = [[f"{point.threshold:g}", *_values(point.scores, _OPERATING)] for point in points]
    return Table("Thresholds (tokens, any type counts)", ["threshold", *_OPERATING], rows)


def recall_table(
    chosen: Sequence[tuple[float, OperatingPoint | None]],
    *,
    title: str = "Precision paid for recall",
) -> Table:
    """For each target recall, the point of highest precision that reaches it."""
    rows = []
    for level, point in chosen:
        if point is None:
            rows.append([f"{level:g}", "not reached", *[""] * len(_OPERATING)])
        else:
            threshold = "by type" if point.by_type else f"{point.threshold:g}"
            rows.append([f"{level:g}", threshold, *_values(point.scores, _OPERATING)])
    header = ["recall wanted", "threshold", *_OPERATING]
    return Table(title, header, rows)


def type_threshold_table(
    points: Sequence[OperatingPoint], chosen: Mapping[str, float], recall: float
) -> Table:
    """The threshold chosen for each type, with what it was chosen by."""
    scores = {point.threshold: point.scores.leaks for point in points}
    rows = []
    for name in in_order(set(chosen)):
        leaks = scores[chosen[name]][name]
        missed = "" if leaks.recall >= recall else "not reached"
        rows.append(
            [name, f"{chosen[name]:g}", f"{leaks.total:,}", *_figures(leaks.recall), missed]
        )
    header = ["type", "threshold", "tokens", "recall", "recall wanted"]
    return Table(f"Thresholds by type for a recall of {recall:g}", header, rows)


def stars(p: float) -> str:
    """*** for p < 0.001, ** for p < 0.01, * for p < 0.05."""
    return "*" * sum(p < limit for limit in (0.05, 0.01, 0.001))


def _breakdown(
    what: str, scores: Scores, names: Sequence[str], group_of: Callable[[str], str]
) -> Table:
    strict = sum_groups(scores.per_type("strict"), group_of)
    token = sum_groups(scores.per_type("token"), group_of)
    leaks = sum_groups(scores.leaks, group_of)
    rows = [
        [
            name,
            f"{strict[name].total:,}",
            f"{leaks[name].total:,}",
            f"{leaks[name].fn:,}",
            *_figures(leaks[name].recall),
            *_prf(token[name]),
            *_prf(strict[name]),
            *_counts(strict[name]),
        ]
        for name in names
    ]
    header = [what, "spans", "tokens", "leaked", "covered"]
    header += ["token P", "token R", "token F1", "strict P", "strict R", "strict F1"]
    return Table(f"By {what}", [*header, "TP", "FP", "FN"], rows)


def _values(scores: Scores, names: Sequence[str]) -> list[str]:
    return [_MEASURES[name](scores) for name in names]


def _counts(counts: Counts) -> list[str]:
    return [f"{n:,}" for n in (counts.tp, counts.fp, counts.fn)]


def _prf(average: Counts | MacroAverage) -> list[str]:
    return _figures(average.precision, average.recall, average.f1)


def _figures(*values: float) -> list[str]:
    return [f"{value:.4f}" for value in values]
