from __future__ import annotations

import csv
import io

import pytest
from toy_notes import note

from spacy_deid.annotation.phi import LABEL_SETS
from spacy_deid.evaluation import score_notes
from spacy_deid.evaluation.errors import analyze_errors
from spacy_deid.evaluation.export import scores_to_csv, scores_to_json
from spacy_deid.evaluation.significance import confidence_intervals
from spacy_deid.evaluation.tables import (
    category_table,
    comparison_table,
    error_tables,
    leak_table,
    official_table,
    stars,
    type_table,
)


def column(table, name, key=0):
    place = list(table.header).index(name)
    return {row[key]: row[place] for row in table.rows}


def test_official_table_rows_and_figures(scores):
    table = official_table(scores)
    assert len(table.rows) == 12
    row = dict(zip(table.header, table.rows[4], strict=True))
    assert (row["measure"], row["types"], row["view"]) == ("strict", "i2b2", "typed")
    assert (row["TP"], row["FP"], row["FN"]) == ("2", "4", "4")
    assert row["P"] == row["R"] == row["F1"] == "0.3333"
    # (1/4 + 1/2 + 0) / 3, its deviation by hand
    assert row["macro P (SD)"] == "0.2500 (0.2041)"


def test_official_table_with_intervals(scores):
    table = official_table(scores, confidence_intervals(scores, resamples=50))
    assert all(len(row) == len(table.header) for row in table.rows)
    low, high = column(table, "95% CI")["strict"].split("-")
    assert float(low) <= float(high)


def test_leak_table(scores):
    rows = dict(leak_table(scores).rows)
    assert rows["notes"] == "3"
    assert rows["leak-free notes"] == "66.7%"
    assert rows["missed PHI"] == "51.28"  # "Lopez" and "Mercy" in 39 words
    assert rows["false alarms"] == "25.64"


def test_type_and_category_tables(scores):
    by_type, by_group = type_table(scores), category_table(scores)
    assert list(column(by_type, "spans")) == [
        "PATIENT",
        "DOCTOR",
        "HOSPITAL",
        "AGE",
        "DATE",
        "PHONE",
    ]
    assert column(by_type, "leaked") == {
        **dict.fromkeys(["DOCTOR", "AGE", "DATE", "PHONE"], "0"),
        "PATIENT": "1",
        "HOSPITAL": "1",
    }
    assert column(by_group, "tokens") == {
        "NAME": "3",
        "LOCATION": "1",
        "AGE": "1",
        "DATE": "3",
        "CONTACT": "3",
    }
    assert column(by_group, "strict R")["CONTACT"] == "1.0000"
    assert column(by_group, "FP") == {
        "NAME": "3",
        "LOCATION": "0",
        "AGE": "0",
        "DATE": "0",
        "CONTACT": "1",
    }


def test_category_of_another_sets_label(scores):
    other = score_notes([], [], label_set=LABEL_SETS["presidio"])
    assert other.category_of("PERSON") == "NAME"
    assert other.category_of("CRYPTO") == "OTHER"
    assert other.category_of("ZIP") == "LOCATION"
    assert list(scores.per_category("strict")) == [
        "NAME",
        "LOCATION",
        "AGE",
        "DATE",
        "CONTACT",
    ]


def test_hipaa_is_left_out_where_labels_cover_other_types_too():
    label_set = LABEL_SETS["i2b2-2006"]
    gold, system = [note("1", ("Maria", "ID"))], [note("1", ("Maria", "IDNUM"))]
    coarse = score_notes(gold, system, label_set=label_set)
    assert {row[1] for row in official_table(coarse).rows} == {"i2b2"}
    assert {row[1] for row in comparison_table({"a": coarse}, {}).rows} == {"i2b2"}
    intervals = confidence_intervals(coarse, resamples=9)
    assert set(scores_to_json(coarse, intervals)["token"]) == {"i2b2"}
    fine = score_notes([], [], label_set=LABEL_SETS["i2b2-2014"])
    assert "hipaa" in {row[1] for row in official_table(fine).rows}


def test_error_tables(gold, system):
    (table,) = error_tables(analyze_errors(gold, system))
    assert table.rows[-1] == ["all", "6", "1", "1", "1", "0", "0", "1", "1"]


@pytest.mark.parametrize("p, mark", [(0.05, ""), (0.049, "*"), (0.009, "**"), (0.0009, "***")])
def test_stars(p, mark):
    assert stars(p) == mark


def test_csv_holds_every_level(scores):
    rows = list(csv.DictReader(io.StringIO(scores_to_csv(scores))))
    levels = {row["level"] for row in rows}
    assert levels == {"all", "leaks", "category", "type", "leaked"}
    assert sum(row["level"] == "all" for row in rows) == 24
    (phone,) = [
        r for r in rows if (r["level"], r["name"], r["measure"]) == ("type", "PHONE", "strict")
    ]
    assert (phone["tp"], phone["fp"], phone["fn"]) == ("1", "1", "0")
    (leaks,) = [r for r in rows if r["level"] == "leaks"]
    assert (leaks["notes"], leaks["leaked_tokens"]) == ("3", "2")
    figures = {name: str(value) for name, value in scores_to_json(scores)["leaks"].items()}
    assert {name: value for name, value in leaks.items() if value} == {"level": "leaks", **figures}
    per_note = {name for name, value in vars(scores).items() if getattr(value, "ndim", 0) == 1}
    assert per_note < {*figures}
    (lost,) = [r for r in rows if (r["level"], r["name"]) == ("leaked", "PATIENT")]
    assert (lost["tp"], lost["fn"]) == ("1", "1")
