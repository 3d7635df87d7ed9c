"""What the figures show, read back from their axes; and that nothing is cut off."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from toy_notes import note

from spacy_deid.annotation.phi import LABEL_SETS
from spacy_deid.evaluation import score_notes
from spacy_deid.evaluation.drawing import render_figure, require_matplotlib, save_figures
from spacy_deid.evaluation.errors import analyze_errors
from spacy_deid.evaluation.plots import (
    plot_calibration,
    plot_categories,
    plot_confusion,
    plot_instances,
    plot_learning_curve,
    plot_precision_recall,
)
from spacy_deid.evaluation.thresholds import Calibration, OperatingPoint

pytest.importorskip("matplotlib")


def labels(ticks):
    return [label.get_text() for label in ticks]


def test_confusion_cells_and_margins(gold, system):
    (axes,) = plot_confusion(analyze_errors(gold, system)).axes
    columns, rows = labels(axes.get_xticklabels()), labels(axes.get_yticklabels())
    assert columns[-2:] == ["wrong extent", "missing"] and rows[-1] == "spurious"
    cells = {
        (
            rows[round(text.get_position()[1])],
            columns[round(text.get_position()[0])],
        ): text.get_text()
        for text in axes.texts
    }
    assert cells == {
        ("AGE", "AGE"): "1",
        ("DATE", "PHONE"): "1",
        ("PHONE", "PHONE"): "1",
        ("PATIENT", "wrong extent"): "1",
        ("DOCTOR", "wrong extent"): "1",
        ("HOSPITAL", "missing"): "1",
        ("spurious", "PATIENT"): "1",
    }


def test_confusion_leaves_pairs_white_that_agree_by_the_label_set():
    gold = [note("1", ("Maria", "ID"), ("53", "AGE"))]
    system = [note("1", ("Maria", "IDNUM"), ("53", "PHONE"))]
    label_set = LABEL_SETS["i2b2-2006"]
    analysis = analyze_errors(gold, system, label_set=label_set)
    (axes,) = plot_confusion(analysis, label_set=label_set).axes
    columns, rows = labels(axes.get_xticklabels()), labels(axes.get_yticklabels())
    shade = axes.images[0].get_array()
    assert shade[rows.index("ID"), columns.index("IDNUM")] == 0
    assert shade[rows.index("AGE"), columns.index("PHONE")] == 1


def test_categories_of_many_systems_are_a_table(scores, gold):
    systems = {f"system {i}": scores for i in range(9)} | {"perfect": score_notes(gold, gold)}
    (axes,) = plot_categories(systems).axes
    assert labels(axes.get_yticklabels()) == list(systems)
    assert labels(axes.get_xticklabels()) == ["NAME", "LOCATION", "AGE", "DATE", "CONTACT"]
    texts = [text for text in axes.texts if text.get_position()[1] == 9]
    assert [text.get_text() for text in texts] == ["1.000"] * 5
    assert {text.get_weight() for text in texts} == {"bold"}


def test_confusion_of_a_type_that_only_the_system_has(gold):
    system = [note("a", ("seen", "VEHICLE")), note("b"), note("c")]
    (axes,) = plot_confusion(analyze_errors(gold, system)).axes
    assert "VEHICLE" in labels(axes.get_xticklabels())


def test_categories_have_a_bar_for_each_system(scores, gold):
    (axes,) = plot_categories({"ours": scores, "perfect": score_notes(gold, gold)}).axes
    assert labels(axes.get_xticklabels()) == ["NAME", "LOCATION", "AGE", "DATE", "CONTACT"]
    ours, perfect = axes.containers
    assert [bar.get_height() for bar in perfect] == [1.0] * 5
    assert ours[2].get_height() == 1.0 and ours[1].get_height() == 0.0
    assert labels(axes.get_legend().get_texts()) == ["ours", "perfect"]


def test_instances_names_every_type_without_overlap(scores):
    figure = plot_instances(scores, Counter(PATIENT=1000, AGE=999, DATE=1000))
    (axes,) = figure.axes
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert {text.get_text() for text in axes.texts} == set(scores.leaks)
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_learning_curve_is_in_the_order_of_sizes(scores, gold):
    points = [(100, score_notes(gold, gold)), (10, scores)]
    (axes,) = plot_learning_curve({"ours": points}).axes
    (line,) = axes.lines
    assert line.get_xdata().tolist() == [10, 100]
    f1 = scores.micro("token", view="binary").f1
    assert line.get_ydata().tolist() == pytest.approx([f1, 1.0])


def test_precision_recall_marks_the_models_own_decisions(scores, gold):
    points = [OperatingPoint(0.1, {}, score_notes(gold, gold)), OperatingPoint(0.5, {}, scores)]
    (axes,) = plot_precision_recall(points).axes
    token = scores.micro("token", view="binary")
    star = axes.lines[-1]
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (token.recall, token.precision)
    assert [text.get_text() for text in axes.texts] == ["0.1", "0.5"]


def test_calibration_leaves_out_empty_bins():
    calibration = Calibration(np.array([0.1, 0, 0.9]), np.array([0, 0, 1.0]), np.array([5, 0, 7]))
    upper, lower = plot_calibration(calibration).axes
    assert upper.lines[1].get_xdata().tolist() == [0.1, 0.9]
    assert len(lower.patches) == 3


@pytest.mark.parametrize("fmt, start", [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_figures_are_written_alike_each_time(scores, tmp_path, fmt, start):
    figures = {"bars": plot_categories({"ours": scores})}
    (path,) = save_figures(figures, tmp_path / "new", fmt)
    assert path.name == f"bars.{fmt}"
    assert path.read_bytes().startswith(start)
    assert path.read_bytes() == render_figure(plot_categories({"ours": scores}), fmt)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_missing_matplotlib_is_one_clear_sentence(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(ValueError, match=r"pip install \"spacy_deid\[plots\]\""):
        require_matplotlib()
