"""Figures of an evaluation. They need matplotlib: pip install "spacy_deid[plots]"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..annotation.candidates import DECIDED
from ..annotation.phi import PHI_TYPES, LabelSet, in_order
from .drawing import COLORS, GRID, add_legend, draw_cells, label_points, make_axes
from .errors import ErrorAnalysis
from .matching import agreement
from .scores import Counts, Scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .thresholds import Calibration, OperatingPoint


def plot_confusion(
    analysis: ErrorAnalysis,
    title: str = "",
    *,
    label_set: LabelSet | None = None,
    system_label_set: LabelSet | None = None,
) -> Figure:
    """Confusion matrix of types, with wrong extent, missing and spurious (Jiang 2017, figure 7).

    A row has the gold spans of a type: by system type if their boundaries agree, then those with
    other boundaries, then missed ones.

    label_set (LabelSet | None): As for `score_notes`.
    system_label_set (LabelSet | None): As for `score_notes`.
    """
    agrees = agreement(label_set, system_label_set)
    types, matrix = _confusion(analysis)
    columns, rows = [*types, "wrong extent", "missing"], [*types, "spurious"]
    size = 0.42 * len(columns)
    figure, axes = make_axes(size + 2.5, size + 1.8)
    share = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    right = np.zeros(matrix.shape, dtype=bool)
    right[: len(types), : len(types)] = [[agrees(one, other) for other in types] for one in types]
    # Correct cells stay white, so that only errors stand out.
    shade = np.where(right, 0, np.minimum(2 * share, 1))
    texts = np.where(matrix, matrix.astype(str), "")
    draw_cells(axes, shade, texts, right, COLORS[5], fontsize=7)
    axes.set_aspect("equal")
    axes.set_xticks(range(len(columns)), columns, rotation=90, fontsize=8)
    axes.set_yticks(range(len(rows)), rows, fontsize=8)
    axes.axvline(len(types) - 0.5, color="black", linewidth=0.8)
    axes.axhline(len(types) - 0.5, color="black", linewidth=0.8)
    axes.set_xticks(np.arange(len(columns)) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(rows)) - 0.5, minor=True)
    axes.grid(which="minor", color="#dddddd", linewidth=0.5)
    axes.tick_params(which="both", length=0)
    axes.set(xlabel="system", ylabel="gold", title=title or "Gold and system types, spans")
    return figure


def _confusion(analysis: ErrorAnalysis) -> tuple[list[str], np.ndarray]:
    """The types, and the numbers of spans: by gold type and spurious; by system type and others."""
    found = {error.system.type for error in analysis.errors if error.system}
    found.update(system for _, system in analysis.pairs)
    types = in_order(found | set(analysis.gold))
    place = {name: i for i, name in enumerate(types)}
    matrix = np.zeros((len(types) + 1, len(types) + 2), dtype=int)
    for (gold, system), n in analysis.pairs.items():
        matrix[place[gold], place[system]] += n
    for error in analysis.errors:
        if error.kind == "spurious" and error.system:
            matrix[-1, place[error.system.type]] += 1
        elif error.gold and error.kind != "type":
            matrix[place[error.gold.type], -1 if error.kind == "missing" else -2] += 1
    return types, matrix


def plot_categories(systems: Mapping[str, Scores]) -> Figure:
    """F1 of each PHI category, with one bar per system (Dernoncourt 2017, figure 2).

    With more systems than colors, a shaded table replaces the bars.
    """
    counts = {name: scores.per_category("token") for name, scores in systems.items()}
    categories = [name for name in PHI_TYPES if any(name in found for found in counts.values())]
    f1 = {
        name: [found.get(category, Counts()).f1 for category in categories]
        for name, found in counts.items()
    }
    title = "token F1 by category"
    if len(systems) > len(COLORS):
        return _plot_table(f1, categories, title)
    width = 0.8 / len(systems)
    figure, axes = make_axes(max(8.0, 0.35 * len(categories) * len(systems) + 2.5), 4.2)
    for i, (name, heights) in enumerate(f1.items()):
        left = np.arange(len(categories)) + (i - (len(systems) - 1) / 2) * width
        bars = axes.bar(left, heights, width * 0.95, label=name)
        if len(systems) <= 3:
            axes.bar_label(bars, fmt="%.2f", fontsize=7, padding=2)
    axes.set_xticks(range(len(categories)), categories)
    axes.set(ylim=(0, 1.08), ylabel="token F1", title=title)
    add_legend(axes, len(systems))
    return figure


def _plot_table(rows: Mapping[str, Sequence[float]], columns: list[str], title: str) -> Figure:
    """A table of numbers from 0 to 1, darker for higher ones; the best per column is bold."""
    values = np.array(list(rows.values()))
    figure, axes = make_axes(0.95 * len(columns) + 2.5, 0.32 * len(rows) + 0.9)
    texts = np.vectorize("{:.3f}".format)(values)
    draw_cells(axes, values / 1.3, texts, values == values.max(axis=0), COLORS[0], fontsize=8)
    axes.set_xticks(range(len(columns)), columns, fontsize=8)
    axes.set_yticks(range(len(rows)), list(rows), fontsize=8)
    axes.tick_params(length=0)
    axes.set(title=title)
    return figure


def plot_instances(scores: Scores, training: Counter[str]) -> Figure:
    """F1 of each type against its number of training spans (Dernoncourt 2017, figure 4)."""
    points = [
        (training.get(name, 0), counts.f1, name)
        for name, counts in scores.per_type("token").items()
        if counts.total
    ]
    figure, axes = make_axes(9.0, 6.0)
    axes.set_xscale("symlog", linthresh=1)
    instances, heights = [point[0] for point in points], [point[1] for point in points]
    axes.scatter(instances, heights, color=COLORS[0], zorder=3)
    lowest = min([*heights, 0.9])
    axes.set(
        xlim=(-0.3, 3 * max([*instances, 10])),
        ylim=(lowest - 0.15 * (1.05 - lowest), 1 + 0.3 * (1.05 - lowest)),
        xlabel="training instances",
        ylabel="token F1",
        title="token F1 by number of training instances",
    )
    axes.set_yticks([tick for tick in axes.get_yticks() if axes.get_ylim()[0] < tick <= 1])
    axes.grid(color=GRID)
    label_points(axes, points)
    return figure


def plot_learning_curve(curves: Mapping[str, Sequence[tuple[int, Scores]]]) -> Figure:
    """Binary F1 against the number of training notes, per system (Dernoncourt 2017, figure 3)."""
    figure, axes = make_axes(6.5, 4.5)
    for name, points in curves.items():
        points = sorted(points, key=lambda point: point[0])
        heights = [scores.token.f1 for _, scores in points]
        axes.plot([size for size, _ in points], heights, label=name)
    axes.set(xlabel="training notes", ylabel="token F1, binary", title="Learning curve")
    axes.grid(color=GRID)
    add_legend(axes, len(curves))
    return figure


def plot_precision_recall(points: Sequence[OperatingPoint]) -> Figure:
    """Precision against recall of binary tokens over confidence thresholds."""
    figure, axes = make_axes(6.5, 5.0)
    places = [(point.scores.token.recall, point.scores.token.precision) for point in points]
    axes.plot(*zip(*places, strict=True), color=COLORS[0], marker="o", markersize=4)
    last = (-1.0, -1.0)
    for point, place in zip(points, places, strict=True):
        if abs(place[0] - last[0]) + abs(place[1] - last[1]) > 0.012:
            text = f"{point.threshold:g}"
            axes.annotate(text, place, (5, 5), textcoords="offset points", fontsize=7)
            last = place
        if point.threshold == DECIDED:
            label = "threshold 0.5: the model's own decisions"
            axes.plot(*place, "*", markersize=14, color=COLORS[5], label=label)
            axes.legend(loc="lower left", frameon=False, fontsize=8)
    axes.margins(0.1)
    title = "Precision paid for recall (numbers: threshold)"
    axes.set(xlabel="token recall", ylabel="token precision", title=title)
    axes.grid(color=GRID)
    return figure


def plot_calibration(calibration: Calibration) -> Figure:
    """Reliability diagram: confidence against the share that is PHI, with counts below."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.5, 6.0), layout="constrained")
    upper, lower = figure.subplots(2, 1, height_ratios=[3, 1], sharex=True)
    upper.plot([0, 1], [0, 1], linestyle="--", color="#999999", label="perfectly calibrated")
    filled = calibration.counts > 0
    points = calibration.confidence[filled], calibration.phi_share[filled]
    upper.plot(*points, marker="o", color=COLORS[0], label="model")
    title = f"Calibration (expected error {calibration.expected_error:.3f})"
    upper.set(ylabel="share of tokens that are PHI", ylim=(-0.03, 1.03), title=title)
    upper.legend(loc="upper left", frameon=False, fontsize=8)
    upper.grid(color=GRID)
    heights = np.maximum(calibration.counts, 0.1)
    edges = np.linspace(0, 1, len(heights) + 1)
    style = {"color": COLORS[4], "edgecolor": "white"}
    lower.bar(edges[:-1], heights, np.diff(edges), align="edge", **style)
    lower.set(yscale="log", ylim=(0.5, None), ylabel="tokens", xlabel="confidence", xlim=(0, 1))
    return figure
