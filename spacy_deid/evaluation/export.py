"""Export of scores as nested JSON and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from ..annotation.phi import LabelSet
from .matching import CRITERIA, MEASURES, Criterion
from .scores import Counts, Scores
from .significance import Interval
from .tables import by_category

_COLUMNS = (
    "level name measure scheme view average precision recall f1 f2 tp fp fn precision_sd recall_sd "
    "notes clean_notes leaked_tokens leaked_mentions"
).split()


def scores_to_json(
    scores: Scores, intervals: Mapping[tuple[Criterion, str], Interval] | None = None
) -> dict[str, Any]:
    """The scores as `{measure: {scheme: {view: {average: {figure: value}}}}}`.

    intervals (Mapping | None): Adds `f1_low` and `f1_high` to each average.
    """
    result: dict[str, Any] = {}
    for criterion in CRITERIA:
        measure, scheme, view = criterion
        averages = {"micro": _micro(scores, criterion), "macro": _macro(scores, criterion)}
        for average, figures in averages.items() if intervals else ():
            interval = (intervals or {})[criterion, average]
            figures |= {"f1_low": interval.low.f1, "f1_high": interval.high.f1}
        result.setdefault(measure, {}).setdefault(scheme, {})[view] = averages
    return result


def scores_to_csv(scores: Scores, label_set: LabelSet | None = None) -> str:
    """The scores as CSV, with a column "level".

    Level "all" has a row for every criterion, "category" and "type" for the typed ones, "leaks" one
    for the de-identification view; "leaked" counts detected (tp) and leaked (fn) tokens by type.
    """
    file = io.StringIO()
    writer = csv.DictWriter(file, _COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(_rows(scores, label_set))
    return file.getvalue()


def _rows(scores: Scores, label_set: LabelSet | None) -> Iterator[dict[str, Any]]:
    for criterion in CRITERIA:
        place = {"level": "all", **criterion._asdict()}
        yield {**place, "average": "micro", **_micro(scores, criterion)}
        yield {**place, "average": "macro", **_macro(scores, criterion)}
    yield {
        "level": "leaks",
        "notes": len(scores.ids),
        "clean_notes": scores.clean_notes,
        "leaked_tokens": int(scores.leaked_tokens.sum()),
        "leaked_mentions": int(scores.leaked_mentions.sum()),
    }
    for measure in MEASURES:
        place = {**Criterion(measure)._asdict(), "average": "micro"}
        per_type = scores.per_type(measure)
        categories = by_category(per_type, label_set)
        for level, group in (("category", categories), ("type", per_type)):
            for name, counts in group.items():
                yield {"level": level, "name": name, **place, **_figures(counts)}
    for name, counts in scores.leaks.items():
        yield {"level": "leaked", "name": name, "tp": counts.tp, "fn": counts.fn}


def _micro(scores: Scores, criterion: Criterion) -> dict[str, float]:
    return _figures(scores.micro(*criterion))


def _macro(scores: Scores, criterion: Criterion) -> dict[str, float]:
    macro = scores.macro(*criterion)
    return {
        "precision": macro.precision,
        "recall": macro.recall,
        "f1": macro.f1,
        "precision_sd": macro.precision_sd,
        "recall_sd": macro.recall_sd,
    }


def _figures(counts: Counts) -> dict[str, float]:
    return {
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.f1,
        "f2": counts.f2,
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
    }
