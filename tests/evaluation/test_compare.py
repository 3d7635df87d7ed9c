from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from spacy_deid.annotation.notes import Note
from spacy_deid.cli import app
from spacy_deid.evaluation import Criterion
from spacy_deid.evaluation.compare import compare
from spacy_deid.evaluation.systems import System, find_label_set, find_system, read_gold

STRICT = Criterion("strict")


@pytest.fixture
def systems(gold, system):
    nothing = [Note(note.id, note.text) for note in gold]
    return [System("toy", system), System("perfect", gold), System("nothing", nothing)]


def test_compare_tests_against_the_best(gold, systems):
    comparison = compare(gold, systems, shuffles=200)
    assert comparison.reference == "perfect"
    assert list(comparison.p_values) == ["toy", "nothing"]
    table, leaks = comparison.tables()
    assert len(table.rows) == 12 * 3
    assert [row[-1] for row in table.rows if row[3] == "perfect"] == ["reference"] * 12
    assert [row[1] for row in leaks.rows][1:] == ["1.0000", "0.0000"]


def test_compare_stars(systems, gold):
    """Twenty notes, one system right in all and one in none: no shuffle is as extreme."""
    many = [Note(f"{i}{note.id}", note.text, note.spans) for i in range(20) for note in gold]
    empty = [Note(note.id, note.text) for note in many]
    comparison = compare(many, [System("a", many), System("b", empty)], shuffles=1999)
    rows = {tuple(row[:4]): row for row in comparison.tables()[0].rows}
    assert rows["strict", "i2b2", "typed", "b"][6] == "0.0000***"
    assert rows["strict", "i2b2", "typed", "a"][6] == "1.0000"


def test_compare_json_nests_alike(gold, systems):
    result = compare(gold, systems, reference="toy", shuffles=99).to_json()
    assert result["toy"]["p"] is None
    assert set(result["perfect"]["p"]["token"]["hipaa"]["binary"]["micro"]) == {
        "precision",
        "recall",
        "f1",
    }
    assert result["perfect"]["scores"]["strict"]["i2b2"]["typed"]["micro"]["f1"] == 1.0


def test_compare_draws_a_learning_curve_of_sizes(gold, system):
    pytest.importorskip("matplotlib")
    sized = [System("m", system, train_size=10), System("m", gold, train_size=20)]
    comparison = compare(gold, sized, shuffles=9)
    assert list(comparison.scores) == ["m@10", "m@20"]
    assert list(comparison.figures()) == ["categories", "learning_curve"]
    assert list(compare(gold, [System("m", system)]).figures()) == ["categories"]


def test_compare_refuses_names_that_do_not_tell(gold, systems):
    with pytest.raises(ValueError, match="same name"):
        compare(gold, [systems[0], systems[0]])
    with pytest.raises(ValueError, match="'other' is not among toy, perfect, nothing"):
        compare(gold, systems, reference="other")


def test_compare_names_the_system_that_has_other_notes(gold, systems):
    short = System("short", systems[0].notes[1:], train_size=7)
    with pytest.raises(ValueError, match=f"^short@7: the system lacks note '{gold[0].id}'$"):
        compare(gold, [*systems, short], shuffles=9)


@pytest.fixture
def corpus(tmp_path, gold):
    from spacy_deid.corpora import write_notes

    write_notes(gold, tmp_path / "gold.jsonl")
    return tmp_path / "gold.jsonl"


@pytest.mark.parametrize(
    "spec, name, size",
    [("{}", "gold.jsonl", None), ("mine={}", "mine", None), ("mine@12={}", "mine", 12)],
)
def test_find_system_names(corpus, gold, spec, name, size):
    system = find_system(spec.format(corpus), gold)
    assert (system.name, system.train_size) == (name, size)
    assert [note.id for note in system.notes] == ["a", "b", "c"]


def test_compare_gives_a_threshold_and_terms_to_models_only(corpus, nlp, tmp_path):
    nlp.to_disk(tmp_path / "toy")
    (tmp_path / "ours.csv").write_text("type,term\nnever,Maria\n")
    settings = ["--threshold", "0.5", "--terms", str(tmp_path / "ours.csv"), "--shuffles", "9"]
    args = [str(corpus), str(tmp_path / "toy"), f"same={corpus}"]
    done = CliRunner().invoke(app, ["compare", *args, "--json", str(tmp_path / "n"), *settings])
    assert done.exit_code == 0, done.output
    assert {"toy", "same"} <= json.loads((tmp_path / "n").read_text()).keys()
    none = CliRunner().invoke(app, ["compare", str(corpus), f"a={corpus}", *settings])
    assert none.exit_code == 2 and "none of the systems is one" in " ".join(none.output.split())


def test_find_system_errors(corpus, gold, tmp_path):
    with pytest.raises(ValueError, match="'nonsense' is neither a file or folder of notes"):
        find_system("nonsense", gold)
    with pytest.raises(ValueError, match="SIZE a number of notes"):
        find_system(f"a@b={corpus}", gold)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="empty"):
        find_system(str(tmp_path / "empty"), gold)


def test_find_system_runs_a_model(gold, tmp_path):
    import spacy

    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "HOSPITAL", "pattern": "Mercy"}])
    nlp.to_disk(tmp_path / "model")
    system = find_system(f"ruler={tmp_path / 'model'}", gold)
    assert [[span.type for span in note.spans] for note in system.notes] == [["HOSPITAL"]] * 3
    assert system.nlp is not None and system.words_per_second > 0


def test_read_gold_keeps_overlaps_and_other_labels(tmp_path):
    path = tmp_path / "g.jsonl"
    spans = (
        '{"start": 0, "end": 5, "label": "PERSON"}, {"start": 0, "end": 5, "label": "PERSON"},'
        '{"start": 0, "end": 2, "label": "TITLE"}, {"start": 3, "end": 5, "label": "PERSON"}'
    )
    path.write_text(f'{{"id": "1", "text": "Dr Al", "spans": [{spans}]}}\n')
    (note,) = read_gold(path, labels="presidio-research")
    assert [span.type for span in note.spans] == ["PERSON"] * 2  # one is repeated
    with pytest.raises(ValueError, match="unknown label set 'klingon'"):
        find_label_set("klingon")
