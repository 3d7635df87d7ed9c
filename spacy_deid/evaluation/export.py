"""Export of scores as nested JSON and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from .matching import MEASURES, Criterion
from .scores import Counts, MacroAverage, Scores, TypeCounts, sum_groups
from .significance import Interval

_SHARES = ("leak_free_notes",)  # figures of all notes together
_SUMS = ("words", "leaked_tokens", "leaked_mentions", "false_alarms")  # numbers of each note
_COLUMNS = (
    *"level name measure scheme view average precision recall f1 f2 tp fp fn".split(),
    *("precision_sd", "recall_sd", "notes", *_SHARES, *_SUMS),
)
_MICRO = "precision recall f1 f2 tp fp fn".split()
_MACRO = "precision recall f1 precision_sd recall_sd".split()


def nest(values: Mapping[tuple[Criterion, str], Any]) -> dict[str, Any]:
    """Values by criterion and average as `{measure: {scheme: {view: {average: value}}}}`."""
    result: dict[str, Any] = {}
    for ((measure, scheme, view), average), value in values.items():
        views = result.setdefault(measure, {}).setdefault(scheme, {})
        views.setdefault(view, {})[average] = value
    return result


def scores_to_json(
    scores: Scores, intervals: Mapping[tuple[Criterion, str], Interval] | None = None
) -> dict[str, Any]:
    """The scores as `{measure: {scheme: {view: {average: {figure: value}}}}}`.

    With them, "leaks" is the de-identification view, and "categories" and "types" have the typed
    figures of each measure by name, and under "leaked" the detected (tp) and leaked (fn) tokens.
    intervals (Mapping | None): Adds `f1_low` and `f1_high` to each average.
    """
    averages = _averages(scores)
    for key, interval in (intervals or {}).items():
        if key in averages:
            averages[key] |= {"f1_low": interval.low.f1, "f1_high": interval.high.f1}
    categories = {name: scores.per_category(name) for name in MEASURES}
    types = {name: scores.per_type(name) for name in MEASURES}
    leaked = sum_groups(scores.leaks, scores.category_of)
    return {
        **nest(averages),
        "leaks": _leaks(scores),
        "categories": _by_name(categories, leaked),
        "types": _by_name(types, scores.leaks),
    }


def scores_to_csv(scores: Scores) -> str:
    """The scores as CSV, with a column "level".

    Level "all" has a row for every criterion, "category" and "type" for the typed ones, "leaks" one
    for the de-identification view; "leaked" counts detected (tp) and leaked (fn) tokens by type.
    """
    file = io.StringIO()
    writer = csv.DictWriter(file, _COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(_rows(scores))
    return file.getvalue()


def _rows(scores: Scores) -> Iterator[dict[str, Any]]:
    for (criterion, average), figures in _averages(scores).items():
        yield {"level": "all", **criterion._asdict(), "average": average, **figures}
    yield {"level": "leaks", **_leaks(scores)}
    for measure in MEASURES:
        place = {**Criterion(measure)._asdict(), "average": "micro"}
        groups = {"category": scores.per_category(measure), "type": scores.per_type(measure)}
        for level, group in groups.items():
            for name, counts in group.items():
                yield {"level": level, "name": name, **place, **_figures(counts, _MICRO)}
    for name, counts in scores.leaks.items():
        yield {"level": "leaked", "name": name, "tp": counts.tp, "fn": counts.fn}


def _leaks(scores: Scores) -> dict[str, float]:
    shares = {name: getattr(scores, name) for name in _SHARES}
    sums = {name: int(getattr(scores, name).sum()) for name in _SUMS}
    return {"notes": len(scores.ids), **shares, **sums}


def _by_name(measures: Mapping[str, TypeCounts], leaked: TypeCounts) -> dict[str, Any]:
    """The counts of each type or category by measure, and its leaks."""
    result: dict[str, Any] = {}
    for measure, counts in measures.items():
        for name, scored in counts.items():
            result.setdefault(name, {})[measure] = _figures(scored, _MICRO)
    for name, scored in leaked.items():
        result.setdefault(name, {})["leaked"] = _figures(scored, ["tp", "fn", "recall"])
    return result


def _averages(scores: Scores) -> dict[tuple[Criterion, str], dict[str, float]]:
    result: dict[tuple[Criterion, str], dict[str, float]] = {}
    for criterion in scores.criteria:
        result[criterion, "micro"] = _figures(scores.micro(*criterion), _MICRO)
        result[criterion, "macro"] = _figures(scores.macro(*criterion), _MACRO)
    return result


def _figures(scored: Counts | MacroAverage, names: list[str]) -> dict[str, float]:
    return {name: getattr(scored, name) for name in names}
