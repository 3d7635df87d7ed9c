from __future__ import annotations

import json
import re

import pytest
import spacy
from typer.testing import CliRunner

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.cli import app
from spacy_deid.corpora import write_notes

TEXT = "Ann Lee, 53, saw Dr. Chen at Mercy."
NAME, AGE, DOCTOR = PhiSpan(0, 7, "PATIENT"), PhiSpan(9, 11, "AGE"), PhiSpan(21, 25, "DOCTOR")
GOLD = [Note("a", TEXT, (NAME, AGE)), Note("b", TEXT, (DOCTOR,))]
SYSTEM = [Note("a", TEXT, (NAME,)), Note("b", TEXT, (AGE, DOCTOR))]


@pytest.fixture
def files(tmp_path):
    write_notes(GOLD, tmp_path / "gold", fmt="i2b2")
    write_notes(SYSTEM, tmp_path / "system.spacy")
    write_notes(GOLD, tmp_path / "perfect.jsonl")
    return tmp_path


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


def test_evaluate_prints_all_tables(files):
    result = run("evaluate", files / "gold", files / "system.spacy")
    assert result.exit_code == 0
    for title in ("i2b2 2014 measures", "What leaks", "By category", "By type", "Errors by kind"):
        assert title in result.stdout
    assert re.search(r"strict +i2b2 +typed +0.6667 +0.6667 +0.6667", result.stdout)
    assert "Lee" not in result.output


def test_evaluate_json(files):
    run("evaluate", files / "gold", files / "system.spacy", "--json", files / "s.json")
    figures = json.loads((files / "s.json").read_text())
    assert figures["strict"]["i2b2"]["typed"]["micro"]["tp"] == 2
    assert figures["token"]["hipaa"]["binary"]["macro"]["recall"] == 0.3333333333333333
    assert (figures["leaks"]["leak_free_notes"], figures["leaks"]["false_alarms"]) == (0.5, 1)
    age = figures["types"]["AGE"]
    assert (age["strict"]["fn"], age["leaked"]) == (1, {"tp": 0, "fn": 1, "recall": 0.0})
    assert figures["categories"]["NAME"]["strict"]["tp"] == 2
    assert figures["errors"]["kinds"] == {"missing": 1, "spurious": 1}
    assert figures["errors"]["types"] == {"AGE": {"missing": 1, "spurious": 1}}


def test_evaluate_shows_the_labels_of_the_system(tmp_path):
    """ORGANIZATION, which covers hospitals first, and AGE, which DATE_TIME covers, too."""
    rows = {
        "gold": [(29, 34, "ORGANIZATION")],
        "system": [(9, 11, "AGE"), (21, 25, "ORGANIZATION")],
    }
    for name, spans in rows.items():
        keyed = [dict(zip(("start", "end", "label"), span, strict=True)) for span in spans]
        note = json.dumps({"id": "a", "text": TEXT, "spans": keyed})
        (tmp_path / f"{name}.jsonl").write_text(note)
    args = [tmp_path / "gold.jsonl", tmp_path / "system.jsonl", "--resamples", "0", "--latex"]
    result = run("evaluate", *args, "--labels", "presidio", "--system-labels", "presidio")
    assert result.exit_code == 0
    assert re.search(r"ORGANIZATION .* 0 & 1 & 1 ", result.stdout)
    assert re.search(r"AGE .* 0 & 1 & 0 ", result.stdout)
    assert not re.search("HOSPITAL|DATE", result.stdout)


@pytest.mark.parametrize(
    "flag, start",
    [("--csv", "level,name,"), ("--markdown", "**i2b2"), ("--latex", r"\begin{table}")],
)
def test_evaluate_prints_results_alone(files, flag, start):
    result = run("evaluate", files / "gold", files / "system.spacy", flag)
    assert result.stdout.startswith(start)


def test_evaluate_shows_context_when_asked(files):
    result = run("evaluate", files / "gold", files / "system.spacy", "--show-context")
    assert "a:9  missing  AGE / -  Ann Lee, [53], saw Dr. Chen at Mercy." in result.stdout


def test_evaluate_tells_why_it_missed(files):
    result = run("evaluate", files / "gold", files / "system.spacy", "--train", files / "gold")
    assert re.search(r"surface seen in training +1", result.stdout)


def test_evaluate_report_and_plots(files):
    pytest.importorskip("matplotlib")
    outputs = ["--report", files / "r.html", "--plots", files / "figures", "--plot-format", "svg"]
    result = run("evaluate", files / "gold", files / "system.spacy", *outputs)
    assert result.exit_code == 0
    assert sorted(path.name for path in (files / "figures").iterdir()) == [
        "categories.svg",
        "confusion.svg",
    ]
    assert "system.spacy on gold" in (files / "r.html").read_text()
    assert "Written:" in result.stderr and "Written:" not in result.stdout


@pytest.mark.parametrize(
    "args, message",
    [
        (["gold", "nonsense"], "neither a file or folder of notes"),
        (["nowhere", "system.spacy"], "there is no file or folder"),
        (["gold", "system.spacy", "--csv", "--latex"], "choose one of --csv and --latex"),
        (["gold", "system.spacy", "--plot-format", "gif"], "--plot-format is 'gif'"),
        (["gold", "system.spacy", "--labels", "mine"], "unknown label set 'mine'"),
        (["empty.jsonl", "system.spacy"], "there are no notes in empty.jsonl"),
        (["gold", "fewer.jsonl"], "the system lacks note 'b'"),
        (["gold", "other.jsonl"], "do not have the same text for note 'b'"),
    ],
)
def test_evaluate_errors_are_one_sentence(files, monkeypatch, args, message):
    monkeypatch.chdir(files)
    write_notes([], files / "empty.jsonl")
    write_notes(SYSTEM[:1], files / "fewer.jsonl")
    write_notes([SYSTEM[0], Note("b", TEXT.lower())], files / "other.jsonl")
    result = run("evaluate", *args)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert "Lee" not in result.output and "Traceback" not in result.output


@pytest.mark.parametrize(
    "args, lost",
    [
        (["evaluate", "{0}/g.jsonl", "{0}/s.jsonl", "--json", "{0}/g.jsonl"], "g.jsonl"),
        (["evaluate", "{0}/g.jsonl", "{0}/s.jsonl", "--json", "{0}/link.json"], "s.jsonl"),
        (["evaluate", "{0}/gold", "{0}/s.jsonl", "--json", "{0}/gold/a.xml"], "gold/a.xml"),
        (["evaluate", "{0}/g.jsonl", "s={0}/s.jsonl", "--report", "{0}/s.jsonl"], "s.jsonl"),
        (["evaluate", "{0}/g.jsonl", "{0}/s.jsonl", "--train", "t", "--json", "t"], "t"),
        (["compare", "{0}/g.jsonl", "x={0}/s.jsonl", "--json", "{0}/s.jsonl"], "s.jsonl"),
        (["thresholds", "{0}/g.jsonl", "--json", "{0}/g.jsonl"], "g.jsonl"),
        (["thresholds", "{0}/g.jsonl", "--terms", "t", "--json", "{0}/t"], "t"),
        (["evaluate", "{0}/g.jsonl", "m={0}/m", "--json", "{0}/m/meta.json"], "m/meta.json"),
        (["thresholds", "{0}/g.jsonl", "--model", "m", "--json", "m/meta.json"], "m/meta.json"),
    ],
)
def test_outputs_never_replace_inputs(files, monkeypatch, args, lost):
    monkeypatch.chdir(files)
    for name, notes in (("g", GOLD), ("s", SYSTEM)):
        write_notes(notes, files / f"{name}.jsonl")
    (files / "link.json").symlink_to("s.jsonl")
    (files / "t").write_text("type,term\n")
    spacy.blank("en").to_disk(files / "m")
    before = (files / lost).read_bytes()
    result = run(*(arg.format(files) for arg in args))
    assert result.exit_code == 2
    assert re.search("would replace what is read from|the suffix of --report is", result.output)
    assert (files / lost).read_bytes() == before


def test_two_outputs_have_two_names(files):
    path = files / "scores.html"
    result = run(
        "evaluate", files / "gold", files / "perfect.jsonl", "--json", path, "--report", path
    )
    assert result.exit_code == 2 and not path.exists()
    assert "two outputs would be written to" in result.output


def test_compare_prints_stars_and_speeds(files):
    spacy.blank("en").to_disk(files / "model")
    systems = [f"good={files / 'perfect.jsonl'}", files / "system.spacy", f"nil={files / 'model'}"]
    result = run("compare", files / "gold", *systems, "--shuffles", 99, "--json", files / "c.json")
    assert result.exit_code == 0
    assert re.search(r"strict +i2b2 +typed +good +1.0000 +reference", result.stdout)
    assert re.search(r"^nil .* \d[\d,]*$", result.stdout, re.MULTILINE)
    assert max(map(len, result.stdout.splitlines())) <= 80
    systems = json.loads((files / "c.json").read_text())
    references = {name: values["reference"] for name, values in systems.items()}
    assert references == {"good": True, "system.spacy": False, "nil": False}
    assert systems["nil"]["scores"]["leaks"]["leak_free_notes"] == 0


def test_compare_csv_has_no_stars(tmp_path):
    notes = [Note(str(i), TEXT, (NAME,)) for i in range(20)]
    write_notes(notes, tmp_path / "a.jsonl")
    write_notes([Note(note.id, TEXT) for note in notes], tmp_path / "b.jsonl")
    args = ["compare", tmp_path / "a.jsonl", tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    assert "0.0000***" in run(*args).stdout
    csv = run(*args, "--csv").stdout
    assert "*" not in csv and "0.0000,0.0000,0.0000" in csv


def test_a_path_with_a_sign_is_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("gold.jsonl", "x=y.jsonl"):
        write_notes(GOLD, tmp_path / name)
    result = run("compare", "gold.jsonl", "x=y.jsonl", "--csv")
    assert result.exit_code == 0 and ",x=y.jsonl," in result.stdout


def test_compare_errors(files):
    result = run("compare", files / "gold", files / "perfect.jsonl", files / "perfect.jsonl")
    assert result.exit_code == 2 and "same name" in result.output


@pytest.fixture
def model(files):
    nlp = spacy.blank("en")
    nlp.add_pipe("phi_matcher")
    nlp.add_pipe("phi_merger", config={"detectors": ["phi_matcher"]})
    nlp.initialize()
    nlp.to_disk(files / "rules")
    return files / "rules"


def test_thresholds_prints_what_recall_costs(files, model):
    args = ["--model", model, "--recall", "0.2", "--recall", "1", "--json", files / "t.json"]
    result = run("thresholds", files / "gold", *args)
    assert result.exit_code == 0
    assert "Precision paid for recall" in result.stdout
    points = json.loads((files / "t.json").read_text())
    assert [point["threshold"] for point in points] == sorted(p["threshold"] for p in points)
    assert sum(0.2 in point["best_for_recall"] for point in points) <= 1


def test_thresholds_errors(files):
    result = run("thresholds", files / "gold", "--model", "no_such_model")
    assert result.exit_code == 2 and "not installed" in result.output
    spacy.blank("en").to_disk(files / "blank")
    result = run("thresholds", files / "gold", "--model", files / "blank")
    assert result.exit_code == 2 and "phi_merger" in result.output
    write_notes([Note("b", TEXT)], files / "unmarked.jsonl")
    result = run("thresholds", files / "unmarked.jsonl", "--model", files / "blank")
    assert result.exit_code == 2 and "no PHI is marked in" in result.output


@pytest.fixture
def phones(files):
    write_notes([Note("c", "Call 617-555-0142", (PhiSpan(5, 17, "PHONE"),))], files / "c.jsonl")
    return files / "c.jsonl"


def test_thresholds_explains_the_choice_by_type(phones, model):
    args = ["--recall", "0.5", "--by-type", "--json", phones.with_name("t.json")]
    result = run("thresholds", phones, "--model", model, *args)
    assert result.exit_code == 0
    *points, by_type = json.loads(phones.with_name("t.json").read_text())
    assert sum(point["best_for_recall"] == [0.5] for point in points) == 1
    assert (by_type["threshold"], by_type["best_for_recall"]) == (0.5, [0.5])
    assert by_type["by_type"] and not any(point["by_type"] for point in points)
    assert by_type["type_recall"] == {"PHONE": 1.0}
    assert "Thresholds by type for a recall of 0.5" in result.stdout
    assert re.search(r"PHONE +0.5 +3 +1.0000", result.stdout)


def test_evaluate_threshold(phones, model):
    def recall(*args):
        run("evaluate", phones, model, "--json", phones.with_name("e.json"), *args)
        scores = json.loads(phones.with_name("e.json").read_text())
        return scores["token"]["i2b2"]["binary"]["micro"]["recall"]

    assert (recall(), recall("--threshold", "0.999")) == (1.0, 0.0)
