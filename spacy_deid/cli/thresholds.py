"""`spacy-deid thresholds`: the trade-off of recall and precision."""

from __future__ import annotations

from json import dumps
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ..engine.loading import load_pipeline
from ..evaluation.plots import plot_calibration, plot_precision_recall
from ..evaluation.systems import find_label_set, read_gold
from ..evaluation.tables import recall_table, threshold_table, type_threshold_table
from ..evaluation.thresholds import OperatingPoint, Sweeper, best_point, thresholds_by_type
from . import messages, options
from .decorator import command

_RECALLS = [0.9, 0.95, 0.97, 0.98, 0.985, 0.99, 0.995]


@command("thresholds", gold_format="format")
def thresholds_cli(
    gold: Annotated[Path, Argument(metavar="DEV", help="Development notes with gold annotations.")],
    *,
    model: options.Model = "en_deid",
    terms: options.Terms = None,
    recall: Annotated[
        list[float] | None,
        Option("--recall", "-r", min=0, max=1, help="Token recall to reach; repeatable."),
    ] = None,
    by_type: Annotated[
        bool, Option("--by-type", help="Also choose a threshold for each type.")
    ] = False,
    tables: options.Tables,
    json: options.JsonFile = None,
    figures: options.Figures,
    labels: options.Labels = None,
    format: options.Format = None,
) -> None:
    """
    Choose on development notes, never on the test notes.
    A threshold of 0.5 keeps the decisions of the detectors; a lower one finds more PHI, and makes
    more false alarms.
    Use one with `redact --threshold 0.2`, or in Python with `spacy.load("en_deid",
    config={"components.phi_merger.threshold": 0.2})`.

    --by-type gives each type the highest threshold, up to 0.5, at which its own tokens reach the
    recall. Use them as `components.phi_merger.type_thresholds`, with a threshold of 0.5.

    Examples:

    spacy-deid thresholds dev.jsonl

    spacy-deid thresholds dev-xml/ --model training/model-best --recall 0.98 --by-type
    """
    messages.check_outputs([json], [gold, terms, Path(model)])
    notes = read_gold(gold, format=format, labels=labels)
    if not any(note.spans for note in notes):
        raise ValueError(f"no PHI is marked in {gold}, so that no recall can be measured")
    nlp = load_pipeline(model, terms=terms)
    sweeper = Sweeper(nlp, notes, label_set=find_label_set(labels), progress=True)
    points = sweeper.sweep()
    levels = recall or _RECALLS
    chosen = [(level, best_point(points, level)) for level in levels]
    shown = [threshold_table(points), recall_table(chosen)]
    found = [(level, sweeper.point_by_type(points, level)) for level in levels if by_type]
    if by_type:
        shown.append(recall_table(found, title="With a threshold for each type"))
        for level in levels:
            by_name = thresholds_by_type(points, level)
            shown.append(type_threshold_table(points, by_name, level))
    rows = [_as_json(point, chosen) for point in points]
    rows += [_as_json(point, found, by_type=True) for _, point in found if point]
    messages.write_json(rows, json)
    figures.write(
        lambda: {
            "precision_recall": plot_precision_recall(points),
            "calibration": plot_calibration(sweeper.calibrate()),
        }
    )
    tables.print(shown)
    for level, point in found:
        if point and point.by_type:
            messages.tell(f"For a recall of {level:g}: type_thresholds = {dumps(point.by_type)}")


def _as_json(
    point: OperatingPoint,
    chosen: list[tuple[float, OperatingPoint | None]],
    *,
    by_type: bool = False,
) -> dict[str, Any]:
    """The figures of a point, with the recalls for which it is the best one of its kind."""
    token = point.scores.token
    return {
        "threshold": point.threshold,
        "recall": token.recall,
        "precision": token.precision,
        "f2": token.f2,
        "leak_free_notes": point.scores.leak_free_notes,
        "by_type": by_type,
        "best_for_recall": [level for level, best in chosen if best is point],
        "type_thresholds": point.by_type,
        "type_recall": {name: counts.recall for name, counts in point.scores.leaks.items()},
    }
