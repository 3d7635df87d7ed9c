"""The tables of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..annotation.phi import CATEGORY, PHI_TYPES, LabelSet
from .errors import KINDS, ErrorAnalysis
from .matching import CRITERIA, Criterion
from .render import Table
from .scores import Counts, MacroAverage, Scores, TypeCounts
from .significance import Figures, Interval

if TYPE_CHECKING:
    from .thresholds import OperatingPoint


def official_table(
    scores: Scores, intervals: Mapping[tuple[Criterion, str], Interval] | None = None
) -> Table:
    """All measures of the i2b2 2014 evaluation, with intervals of the micro F1 if given."""
    header = ["measure", "types", "view", "P", "R", "F1", *(["95% CI"] if intervals else [])]
    rows = []
    for criterion in CRITERIA:
        micro, macro = scores.micro(*criterion), scores.macro(*criterion)
        around = [_interval(intervals[criterion, "micro"])] if intervals else []
        rows.append([*criterion, *_prf(micro), *around, *_counts(micro), *_macro(macro)])
    header += ["TP", "FP", "FN", "macro P (SD)", "macro R (SD)", "macro F1"]
    return Table("i2b2 2014 measures", header, rows, n_names=3)


def leak_table(scores: Scores) -> Table:
    """The de-identification view: whether PHI is covered, by any type."""
    token, n = scores.micro("token", view="binary"), len(scores.ids)
    rows = [
        ["token recall", _figure(token.recall)],
        ["token precision", _figure(token.precision)],
        ["token F1", _figure(token.f1)],
        ["token F2", _figure(token.f2)],
        ["notes", f"{n:,}"],
        ["notes without a leaked token", f"{scores.clean_notes:.1%}"],
        ["leaked tokens per 1,000 notes", _per_thousand(token.fn, n)],
        ["leaked mentions per 1,000 notes", _per_thousand(int(scores.leaked_mentions.sum()), n)],
    ]
    return Table("What leaks (any type counts)", ["", "value"], rows)


def type_table(scores: Scores) -> Table:
    """Counts and measures of each type, in the project's order; other labels follow."""
    known = list(CATEGORY)
    order = sorted(
        {*scores.leaks, *scores.per_type("strict")},
        key=lambda name: (known.index(name) if name in CATEGORY else len(known), name),
    )
    return _breakdown("By type", "type", scores, {name: name for name in order})


def category_table(scores: Scores, label_set: LabelSet | None = None) -> Table:
    """Counts and measures of each category; for other label sets, that of the most common type."""
    names = {*scores.leaks, *scores.per_type("strict")}
    group = {name: category_of(name, label_set) for name in names}
    order = sorted(names, key=lambda name: (*PHI_TYPES, "OTHER").index(group[name]))
    return _breakdown("By category", "category", scores, {name: group[name] for name in order})


def category_of(name: str, label_set: LabelSet | None = None) -> str:
    """The category of a type, or of the most common type of a label of another set."""
    phi_type = label_set.to_phi(name) if label_set and name not in CATEGORY else name
    return CATEGORY.get(phi_type or "", "OTHER")


def by_category(counts: TypeCounts, label_set: LabelSet | None = None) -> TypeCounts:
    """Counts of types summed by category, in the project's order."""
    group = {name: category_of(name, label_set) for name in counts}
    found = _grouped(counts, group)
    return {category: found[category] for category in PHI_TYPES if category in found}


def error_tables(analysis: ErrorAnalysis) -> list[Table]:
    """Number of errors of each kind, in total and by type; missing spans by cause if known."""
    kinds, causes = analysis.kinds(), analysis.causes()
    by_type = analysis.kinds_by_type()
    rows = [
        [name, str(analysis.gold[name]), *(str(counts[kind] or "") for kind in KINDS)]
        for name, counts in by_type.items()
    ]
    totals = ["all", str(analysis.gold.total()), *(str(kinds[kind]) for kind in KINDS)]
    tables = [Table("Errors by kind", ["type", "gold", *KINDS], [*rows, totals])]
    if causes:
        rows = [[cause, str(n)] for cause, n in causes.most_common()]
        tables.append(Table("Missing spans by cause", ["cause", "spans"], rows))
    return tables


def comparison_table(
    systems: Mapping[str, Scores],
    chances: Mapping[str, Mapping[tuple[Criterion, str], Figures]],
) -> Table:
    """Systems compared by every criterion, with stars for significant differences.

    systems (Mapping): Scores by system name.
    chances (Mapping): P-values of all systems but the reference.
    """
    rows = []
    for criterion in CRITERIA:
        for name, scores in systems.items():
            micro, macro = scores.micro(*criterion), scores.macro(*criterion)
            p = chances.get(name)
            micro_p, macro_p = (p[criterion, "micro"], p[criterion, "macro"]) if p else (None, None)
            rows.append(
                [
                    *criterion,
                    name,
                    *_starred((micro.precision, micro.recall, micro.f1), micro_p),
                    *_starred((macro.precision, macro.recall, macro.f1), macro_p),
                    _chance(micro_p.f1) if micro_p else "reference",
                ]
            )
    header = ["measure", "types", "view", "system", "P", "R", "F1", "macro P", "macro R"]
    title = "i2b2 2014 measures (* p < 0.05, ** p < 0.01, *** p < 0.001)"
    return Table(title, [*header, "macro F1", "p of F1"], rows, n_names=4)


def leak_comparison_table(systems: Mapping[str, Scores], speeds: Mapping[str, float]) -> Table:
    """Systems compared in the de-identification view.

    speeds (Mapping[str, float]): Words per second of systems that were run.
    """
    rows = []
    for name, scores in systems.items():
        token, n = scores.micro("token", view="binary"), len(scores.ids)
        measures = (token.recall, token.precision, token.f1, token.f2)
        rows.append(
            [
                name,
                *map(_figure, measures),
                f"{scores.clean_notes:.1%}",
                _per_thousand(token.fn, n),
                _per_thousand(int(scores.leaked_mentions.sum()), n),
                f"{speeds[name]:,.0f}" if name in speeds else "",
            ]
        )
    header = ["system", "recall", "precision", "F1", "F2", "clean notes", "leaked tokens/1,000"]
    header += ["leaked mentions/1,000", "words/s"]
    return Table("What leaks (tokens; any type counts; per 1,000 notes)", header, rows)


def threshold_table(points: Sequence[OperatingPoint]) -> Table:
    """Measures at each threshold."""
    rows = [[f"{point.threshold:g}", *_operating(point)] for point in points]
    return Table("Thresholds (tokens, any type counts)", ["threshold", *_OPERATING], rows)


def recall_table(chosen: Sequence[tuple[float, OperatingPoint | None]]) -> Table:
    """For each target recall, the point of highest precision that reaches it."""
    rows = []
    for level, point in chosen:
        if point is None:
            rows.append([f"{level:g}", "not reached", *[""] * len(_OPERATING)])
        else:
            threshold = "by type" if point.by_type else f"{point.threshold:g}"
            rows.append([f"{level:g}", threshold, *_operating(point)])
    header = ["recall wanted", "threshold", *_OPERATING]
    return Table("Precision paid for recall", header, rows)


def stars(p: float | None) -> str:
    """*** for p < 0.001, ** for p < 0.01, * for p < 0.05."""
    return "" if p is None else "***" if p < 0.001 else "**" if p < 0.01 else "*" * (p < 0.05)


def _breakdown(title: str, what: str, scores: Scores, group: Mapping[str, str]) -> Table:
    strict, token, leaks = (
        _grouped(counts, group)
        for counts in (scores.per_type("strict"), scores.per_type("token"), scores.leaks)
    )
    rows = [
        [
            name,
            f"{strict[name].tp + strict[name].fn:,}",
            f"{leaks[name].tp + leaks[name].fn:,}",
            f"{leaks[name].fn:,}",
            _figure(leaks[name].recall),
            *_prf(token[name]),
            *_prf(strict[name]),
            *_counts(strict[name]),
        ]
        for name in dict.fromkeys(group.values())
    ]
    header = [what, "spans", "tokens", "leaked", "covered"]
    header += ["token P", "token R", "token F1", "strict P", "strict R", "strict F1"]
    return Table(title, [*header, "TP", "FP", "FN"], rows)


def _grouped(counts: TypeCounts, group: Mapping[str, str]) -> dict[str, Counts]:
    result = {name: Counts() for name in group.values()}
    for name, value in counts.items():
        result[group[name]] += value
    return result


def _prf(counts: Counts) -> list[str]:
    return [_figure(counts.precision), _figure(counts.recall), _figure(counts.f1)]


def _counts(counts: Counts) -> list[str]:
    return [f"{n:,}" for n in (counts.tp, counts.fp, counts.fn)]


def _macro(macro: MacroAverage) -> list[str]:
    return [
        f"{macro.precision:.4f} ({macro.precision_sd:.4f})",
        f"{macro.recall:.4f} ({macro.recall_sd:.4f})",
        _figure(macro.f1),
    ]


def _figure(value: float) -> str:
    return f"{value:.4f}"


def _interval(interval: Interval) -> str:
    return f"{interval.low.f1:.4f}-{interval.high.f1:.4f}"


def _per_thousand(count: int, notes: int) -> str:
    return f"{1000 * count / (notes or 1):,.0f}"


def _starred(figures: Sequence[float], chances: Figures | None) -> list[str]:
    marks = [stars(p) for p in chances] if chances else [""] * len(figures)
    return [_figure(figure) + mark for figure, mark in zip(figures, marks, strict=True)]


def _chance(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


_OPERATING = ("recall", "precision", "F2", "strict F1", "clean notes")


def _operating(point: OperatingPoint) -> list[str]:
    token = point.token
    figures = (token.recall, token.precision, token.f2, point.scores.micro("strict").f1)
    return [*map(_figure, figures), f"{point.scores.clean_notes:.1%}"]
