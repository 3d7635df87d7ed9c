"""The scripts of the spaCy project and of the benchmarks, on small data."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import srsly
import torch
import typer
from load_script import load_script
from npm_vectors import pack_vectors
from spacy.language import Language
from spacy.tokens import Span
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_deid.annotation.candidates import write_candidates
from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.annotation.phi import LABEL_SETS
from spacy_deid.corpora import read_notes, write_notes
from spacy_deid.evaluation import MEASURES
from spacy_deid.evaluation.thresholds import Calibration
from spacy_deid.synthesis import synthesize
from spacy_deid.tagger.model import network_of
from spacy_deid.tagger.onnx_model import onnx_shim, predicts_with_onnx, torch_tagger

ROOT = Path(__file__).parent.parent
TOKENIZER = {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}


@pytest.fixture
def data(tmp_path) -> Path:
    (tmp_path / "data" / "carrier").mkdir(parents=True)
    rows = [{"id": "a", "text": "No pain.", "source": "x", "licence": "CC0"}]
    srsly.write_jsonl(tmp_path / "data" / "carrier" / "texts.jsonl", rows)
    return tmp_path / "data"


def test_carriers_come_from_the_variable(data, tmp_path, monkeypatch):
    script = load_script("scripts/carriers.py")
    monkeypatch.setenv("SPACY_DEID_DATA", str(data))
    assert [path.name for path in script.carriers(tmp_path / "out", tmp_path)] == ["texts.jsonl"]
    monkeypatch.delenv("SPACY_DEID_DATA")
    assert script.carriers(tmp_path / "out", tmp_path) == []
    assert list((tmp_path / "out").iterdir()) == []


def test_carriers_folder_must_exist(tmp_path, monkeypatch):
    monkeypatch.setenv("SPACY_DEID_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="SPACY_DEID_DATA is set, but"):
        load_script("scripts/carriers.py").carriers(tmp_path / "out", tmp_path)


def test_carriers_come_from_the_fetched_assets(tmp_path, monkeypatch):
    monkeypatch.delenv("SPACY_DEID_DATA", raising=False)
    script = load_script("scripts/carriers.py")
    assets = srsly.read_yaml(ROOT / "project.yml")["assets"]
    folders = {Path(asset["dest"]).parent for asset in assets}
    assert folders == {Path("assets/carriers") / source.folder for source in script.SOURCES}
    for source in script.SOURCES:
        (tmp_path / source.folder).mkdir()
        rows = f'ID,{source.column}\n1,"No pain,\nno fever."\n2,\n'
        (tmp_path / source.folder / "train.csv").write_text(rows, encoding="utf8")
    files = script.carriers(tmp_path / "out", tmp_path)
    assert [path.stem for path in files] == [source.folder for source in script.SOURCES]
    for path in files:
        (row,) = srsly.read_jsonl(path)
        assert row["text"] == "No pain,\nno fever."
        assert row["licence"] == "CC BY 4.0"


def test_word_vectors_of_the_most_frequent_words(tmp_path, monkeypatch):
    script = load_script("scripts/word_vectors.py")
    monkeypatch.setattr(script, "_download", pack_vectors)
    assert script.word_vectors(tmp_path / "vectors", words=2) == 2
    nlp = spacy.load(tmp_path / "vectors")
    assert nlp.vocab["ward"].vector.tolist() == [0.25, -1.0]
    assert [path.name for path in tmp_path.iterdir()] == ["vectors"]


def test_without_npm_there_are_no_vectors(tmp_path, monkeypatch):
    def fail(*arguments, **settings):
        raise FileNotFoundError("npm")

    script = load_script("scripts/word_vectors.py")
    monkeypatch.setattr(subprocess, "run", fail)
    assert script.word_vectors(tmp_path / "vectors", words=2) == 0
    assert len(spacy.load(tmp_path / "vectors").vocab.vectors) == 0


@pytest.mark.parametrize("method", ["cbow", "skip-gram"])
def test_vectors_trained_on_notes(method, tmp_path):
    pytest.importorskip("gensim")
    script = load_script("scripts/train_vectors.py")
    rows = [
        {"id": str(i), "text": f"Pain in the {place}. Seen by Dr. Lee.", "spans": []}
        for i, place in enumerate(["knee", "Hip"] * 20)
    ]
    srsly.write_jsonl(tmp_path / "notes.jsonl", rows)
    notes, settings = tmp_path / "notes.jsonl", {"method": script.Method(method), "width": 8}
    counts = [script.train_vectors(notes, tmp_path / name, **settings) for name in ("a", "b")]
    one, two = (spacy.load(tmp_path / name).vocab for name in ("a", "b"))
    words = {one.strings[key] for key in one.vectors.keys()}
    assert words == {"pain", "in", "the", "knee", "hip", ".", "seen", "by", "dr", "lee"}
    assert counts == [len(words)] * 2
    assert one.vectors.shape == (len(words), 8)
    assert (one["hip"].vector == two["hip"].vector).all() and one["hip"].vector.any()
    with pytest.raises(ValueError, match="lower --min-count"):
        script.train_vectors(notes, tmp_path / "c", min_count=1000, **settings)


def test_model_card_names_sources_and_scores(data, tmp_path):
    spacy.blank("en").to_disk(tmp_path / "model")
    srsly.write_json(tmp_path / "scores.json", {"phi_token_r": 0.9, "speed": 1.0})
    script = load_script("scripts/model_card.py")
    meta = script.meta_data(tmp_path / "model", tmp_path / "scores.json", data / "carrier")
    assert "open clinical texts; 1 texts (CC0)" in meta["description"]
    names = [source["name"] for source in meta["sources"]]
    assert names == ["spacy-deid templates, charts and gazetteers", "texts"]  # there are no vectors
    assert meta["sources"][1]["license"] == "CC0"
    assert meta["performance"] == {"phi_token_r": 0.9}
    (tmp_path / "none").mkdir()
    alone = script.meta_data(tmp_path / "model", tmp_path / "scores.json", tmp_path / "none")
    assert "open clinical texts" not in alone["description"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Ann Lee", "Ann Lee"),
        ("Dr Lee", "Lee"),
        ("Drake", "Drake"),
        ("Mr.", None),
        ("91-year-old", "91"),
        ("aged 99", "99"),
        ("93 yo", "93"),
        ("94", "94"),
        ("1999-01-02", "1999-01-02"),
    ],
)
def test_quality_cuts_gold_down_to_what_i2b2_annotates(text, expected):
    span = load_script("benchmarks/quality.py")._shorten(text, PhiSpan(0, len(text), "NAME"))
    assert (span and text[span.start : span.end]) == expected


def test_quality_joins_places_and_leaves_out_what_a_set_does_not_label():
    quality = load_script("benchmarks/quality.py")
    text = "12 Oak St, Bell, MT; age 67, 91; ward 3 North"
    spans = [(0, 9, "STREET"), (11, 15, "CITY"), (17, 19, "STATE"), (25, 27, "AGE")]
    spans += [(29, 31, "AGE"), (38, 45, "HOSPITAL")]
    note = Note("1", text, tuple(PhiSpan(*span) for span in spans))
    foreign = quality.SETS["localscrub_templates"]
    labels = LABEL_SETS["localscrub"]
    adapted = quality._adapt(note, Note("1", text), labels, foreign)
    expected = [("12 Oak St, Bell, MT", "STREET"), ("91", "AGE")]
    assert [(text[s.start : s.end], s.type) for s in adapted.spans] == expected
    gold = Note("1", text, (PhiSpan(38, 45, "MRN"),))
    covered = quality._adapt(note, gold, labels, foreign)
    assert [text[s.start : s.end] for s in covered.spans][-1] == "3 North"


def test_all_evaluation_sets_are_listed_with_their_roles():
    own = load_script("benchmarks/sets.py").OWN
    assert sorted(one.path for one in own.values()) == sorted((ROOT / "benchmarks").glob("*.jsonl"))
    assert {one.role for one in own.values()} == {"dev", "test"}
    assert own["blind_ehr_test"].policy == (
        "i2b2 2014 types as they are; at the density of real notes; errors unread"
    )


def test_readme_tables_show_the_figures():
    tables = load_script("benchmarks/readme_tables.py")
    row = {"set": "x", "notes": 3, "recall": 0.9876, "precision": 0.5, "strict_f1": 0.25}
    row |= {f"{rate}_per_1000_words": 2.04 for rate in ("phi", "missed", "false_alarms")}
    quality = tables.quality_table({"sets": [{**row, "leak_free_notes": 0.5, "policy": "as is"}]})
    assert "| x | 3 | 2 | 0.988 | 0.500 | 0.250 | 2.0 | 2.0 | 50% |" in quality
    assert "- `x`: as is" in quality
    files = {"a": {"words": 1000, "spans": 2}, "b": {"words": 3000, "spans": 12}}
    reading = {"spans": 14, "no_phi": {"CITY": 1, "AGE": 1}}
    line = tables.alarm_line({"all": False, "files": files}, reading)
    assert "4,000 words" in line and "14 spans, 3.5 per" in line
    assert "2 of them are not PHI: 0.50 false alarms per 1,000 words (CITY 1, AGE 1)" in line
    stale = tables.alarm_line({"all": False, "files": files}, {**reading, "spans": 9})
    assert "not PHI:" not in stale
    micro = {"recall": 0.5, "precision": 0.75, "f1": 0.6}
    scores = {m: {"i2b2": {v: {"micro": micro} for v in ("typed", "binary")}} for m in MEASURES}
    costs = {"jiang2017": {"seconds": 90.0, "megabytes": 12.3}}
    systems = tables.systems_table({"systems": {"jiang2017": {"scores": scores}}, "costs": costs})
    assert "| jiang2017 | 0.500 | 0.750 | 0.600 | 0.600 | 1.5 | 12 | strict 0.899" in systems
    part = {"percent": 10, "train_tokens": 60_000, "epoch_seconds": 3.6, "train_peak_mib": 1001.2}
    points = [
        {"threshold": t, "recall": 0.98, "precision": 0.9, "leak_free_notes": 0.25}
        for t in (0.25, 0.55)
    ]
    assert tables.thresholds_table(points).splitlines()[2:] == [
        "| 0.25 | the default | 0.980 | 0.900 | 25% |"
    ]
    review = {"notes": 40, "recall": 0.98, "correlation": 0.0, "exact": 0.956, "bootstrap": 0.9}
    bounds = {"scenarios": [{**review, "clustered": 0.9805, "corrected": 0.991}]}
    row = "| 40 | 0.98 | 0 | 95.6% | 90.0% | 98.0% | 99.1% |"
    assert tables.bounds_table(bounds).splitlines()[2:] == [row]
    run = {"notes": 1000, "processes": 2, "seconds": 90, "words_per_second": 4e4, "peak_mib": 900}
    text = tables.redaction_text({"words_per_note": 400.2, "runs": [run]})
    assert "| 1,000 | 2 | 1.5 | 40,000 | 900 MiB |" in text
    scale = tables.scale_table({"parts": [{**part, "evaluate": {"seconds": 7.7}}]})
    assert "| 10 % | 60,000 | 4 | 1,001 MiB | 8 s |" in scale
    assert (
        tables.fill("a<!-- x -->\nold<!-- /x -->b", "x", "new") == "a<!-- x -->\nnew\n<!-- /x -->b"
    )
    with pytest.raises(SystemExit, match="<!-- y -->"):
        tables.fill("nothing", "y", "new")


def test_speed_table_begins_with_the_ratios():
    tables = load_script("benchmarks/readme_tables.py")
    ours = {"mtsamples": [20_000, 30_000, 40_000], "peak_mib": [500, 512.2], "load_seconds": [0.4]}
    peer = {"mtsamples": [5_000, 5_000, 20_000], "peak_mib": [99], "load_seconds": [1.0, 1.2]}
    ours["system"], peer["system"] = "ours 1", "peer 2"
    speed = {
        "texts": {"mtsamples": {"notes": 10, "words": 4320}},
        "systems": {"ours": ours, "peer": peer},
        "missing": {"other": "No module named 'other'"},
    }
    table = tables.speed_table(speed)
    assert "a million dictated reports of 432 words" in table
    assert "| ours 1 | 1 | 30,000 (20,000–40,000) | 4.0 | 512 MiB | 0.4 s |" in table
    assert "| peer 2 | 4.0 (2.0–6.0) | 5,000 (5,000–20,000) | 24.0 | 99 MiB | 1.1 s |" in table
    assert table.endswith("Not measured: other.")
    assert "Not measured" not in tables.speed_table({**speed, "missing": {}})


def test_speed_runs_the_systems_in_turns_and_names_the_missing(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    speed = load_script("benchmarks/speed.py")
    calls: list[tuple[str, str]] = []

    def run(python: str, name: str, path: Path, every: int) -> dict[str, Any] | str:
        calls.append((python, name))
        if name == "presidio":
            return "No module named 'presidio_analyzer'"
        return {"system": f"{name} 1", "words_per_second": 8.0 * every, "peak_mib": 9.0}

    monkeypatch.setattr(speed, "_measure_apart", run)
    monkeypatch.setattr(speed, "PEERS", dict.fromkeys(("en_deid", "presidio", "spacy")))
    pythons = speed.pythons_of(["spacy=other"])
    result = speed.measure(pythons, {Path("a.jsonl"): 1, Path("b.jsonl"): 2}, 2)
    figures = {"system": "spacy 1", "a": [8.0] * 2, "b": [16.0] * 2, "peak_mib": [9.0] * 4}
    assert result["systems"]["spacy"] == figures and "presidio" not in result["systems"]
    assert result["missing"] == {"presidio": "No module named 'presidio_analyzer'"}
    turn = [(sys.executable, "en_deid")] * 2, [("other", "spacy")] * 2
    assert calls == [*turn[0], (sys.executable, "presidio"), *turn[1], *turn[0], *turn[1]]
    with pytest.raises(Exception, match="'x=y' is not NAME=PYTHON"):
        speed.pythons_of(["x=y"])


def test_a_peer_reports_its_words_per_second(tmp_path, monkeypatch):
    peers = load_script("benchmarks/peers.py")
    seen: list[list[str]] = []
    monkeypatch.setitem(peers.PEERS, "en_deid", lambda: ("toy 1", seen.append))
    rows = [{"text": f"note {number}"} for number in range(5)]
    srsly.write_jsonl(tmp_path / "notes.jsonl", rows)
    figures = peers.measure("en_deid", tmp_path / "notes.jsonl", 2)
    assert seen[1] == ["note 0", "note 2", "note 4"] and len(seen[0]) == 1
    assert figures["system"] == "toy 1" and figures["words_per_second"] > 0


def test_tables_of_behaviour_begin_with_the_lowest():
    tables = load_script("benchmarks/readme_tables.py")
    groups = [
        {"kind": "given", "group": name, "names": 1000, "found": found, "names_at_goal": 0.9}
        for name, found in (("often", 0.99), ("rare", 0.9))
    ]
    worst = {"family": {"Brown": 0.6}, "given": {"Mark": 0.7}}
    names = {"groups": groups, "worst_names": worst}
    changes = [{"change": "capitals", "kept": 0.9723}]
    behaviour = {"model": "m 1", "sets": {"test": {"names": names, "invariance": changes}}}
    text = tables.names_text(behaviour)
    assert "With m 1:" in text and "least: Brown 60%; Mark 70%." in text
    assert text.index("| given names | rare | 1,000 | 90.0% | 90% |") < text.index("often")
    assert "| capitals | 97.2% |" in tables.changes_table(behaviour)


@pytest.fixture
def release(tmp_path) -> Path:
    """An i2b2 release in small: two training folders, a test folder, a broken note."""
    folder = tmp_path / "release"
    for name, patients in (("training-Set1", range(40)), ("training-Set2", range(40, 60))):
        spans = (PhiSpan(4, 6, "MEDICALRECORD"),)
        ids = [f"{patient:03}-{n:02}" for patient in patients for n in (1, 2)]
        notes = [Note(note_id, "MRN 77", spans) for note_id in ids]
        write_notes(notes, folder / name, fmt="i2b2")
    write_notes([Note("900-01", "Seen.")], folder / "testing-Gold", fmt="i2b2")
    (folder / "training-Set2" / "061-01.xml").write_text("<broken")
    return folder


def test_i2b2_corpus_keeps_patients_apart(release, tmp_path, capsys):
    load_script("scripts/i2b2_corpus.py").main(release, tmp_path / "out")
    files = {path.stem: path for path in (tmp_path / "out").glob("*.spacy")}
    sets = {name: list(read_notes(path)) for name, path in files.items()}
    assert len(sets["train"]) + len(sets["dev"]) == 120 and len(sets["dev"]) >= 4
    patients = [{note.patient_id for note in sets[name]} for name in ("train", "dev")]
    assert not patients[0] & patients[1]
    assert [note.id for note in sets["test"]] == ["900-01"]
    printed = capsys.readouterr().out
    assert "set aside" in printed and "061-01.xml" in printed


def test_i2b2_corpus_fails_where_a_note_of_the_test_is_set_aside(release, tmp_path, capsys):
    (release / "testing-Gold" / "901-01.xml").write_text("<broken")
    with pytest.raises(SystemExit) as stopped:
        load_script("scripts/i2b2_corpus.py").main(release, tmp_path / "out")
    assert stopped.value.code == 1 and (tmp_path / "out" / "test.spacy").exists()
    printed = capsys.readouterr().out
    assert "901-01.xml" in printed and "notes of the test set that were set aside: 1" in printed


@pytest.mark.parametrize(
    "folder, note, message",
    [
        ("training-Set3", "001-02", "note 001-02 is in {0}/training-Set1 and in {0}/{1}"),
        ("testing-Other", "900-01", "note 900-01 is in {0}/testing-Gold and in {0}/{1}"),
    ],
)
def test_i2b2_corpus_refuses_what_is_there_twice(release, tmp_path, capsys, folder, note, message):
    write_notes([Note(note, "MRN 77")], release / folder, fmt="i2b2")
    with pytest.raises(SystemExit) as stopped:
        load_script("scripts/i2b2_corpus.py").main(release, tmp_path / "out")
    printed = "".join(capsys.readouterr().out.split())
    assert stopped.value.code == 1 and not (tmp_path / "out").exists()
    assert "".join(message.format(release, folder).split()) in printed


def test_i2b2_corpus_warns_of_a_patient_in_training_and_test(release, tmp_path, capsys):
    write_notes([Note("003-07", "MRN 77")], release / "testing-More", fmt="i2b2")
    load_script("scripts/i2b2_corpus.py").main(release, tmp_path / "out")
    printed = " ".join(capsys.readouterr().out.split())
    assert "1 patients, such as 003, have notes in the folders train* and in test*" in printed


def test_i2b2_corpus_refuses_an_empty_part(tmp_path, capsys):
    for folder in ("train", "test"):
        notes = [Note(f"note-{number}", "Seen.") for number in range(40)]  # all of patient "note"
        write_notes(notes, tmp_path / "own" / folder, fmt="i2b2")
    with pytest.raises(SystemExit):
        load_script("scripts/i2b2_corpus.py").main(tmp_path / "own", tmp_path / "out")
    assert "there are no notes for" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


def test_i2b2_corpus_says_what_is_missing(tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        load_script("scripts/i2b2_corpus.py").main(tmp_path / "none", tmp_path / "out")
    assert stopped.value.code == 1
    assert "training-PHI-Gold-Set1" in capsys.readouterr().out
    (convert,) = (
        command
        for command in srsly.read_yaml(ROOT / "project.yml")["commands"]
        if command["name"] == "i2b2-convert"
    )
    assert convert["deps"] == ["scripts/i2b2_corpus.py"]  # spaCy would stop before the script


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    for set_name, n in (("train", 16), ("dev", 3), ("test", 6)):
        notes = folder / set_name
        synthesize(notes, n, assets=ROOT / "assets", set_name=set_name)
        write_notes(read_notes(notes), folder / f"{set_name}.spacy")
    return folder


@pytest.mark.slow
def test_compare_systems_writes_one_table_and_goes_on_where_it_was(corpus, tmp_path, monkeypatch):
    """Two systems, an ablation and a learning curve, each trained for a step or two."""
    words = load_script("scripts/word_vectors.py")
    monkeypatch.setattr(words, "_download", pack_vectors)
    words.word_vectors(tmp_path / "vectors", words=2)
    script = load_script("scripts/compare_systems.py")
    settings = {
        "systems": "liu2015_rules dernoncourt2017:6",
        "ablate": "dernoncourt2017:6",
        "curve": "liu2015_rules",
        "percents": "50",
        "notes": 12,
        "vectors": tmp_path / "vectors",
        "steps": 2,
        "jobs": 2,
    }
    script.main(corpus, tmp_path / "out", **settings)
    table = (tmp_path / "out" / "comparison.md").read_text()
    rules, characters = "| liu2015_rules | 12 |", "| dernoncourt2017 6 notes - chars | 6 |"
    for row in (rules, characters, "**dernoncourt2017 6 notes without …**"):
        assert row in table
    values = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert set(values["systems"]) == {"liu2015_rules", "dernoncourt2017 6 notes"}
    assert set(values["learning curve"]) == {f"liu2015_rules@{n}" for n in (6, 12)}
    assert {path.name for path in (tmp_path / "out").glob("*.png")} == {
        "categories.png",
        "learning_curve.png",
    }

    monkeypatch.setattr(subprocess, "Popen", None)  # nothing may be trained again
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # figures are left out
    script.main(corpus, tmp_path / "out", **settings)
    assert "liu2015_rules" in (tmp_path / "out" / "comparison.md").read_text()


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ("liu2016", "there are ahmed2021_bilstm"),
        ("liu2015:half", "a number of notes after the colon, such as liu2015:300"),
    ],
)
def test_compare_systems_says_what_it_can_train(corpus, tmp_path, capsys, systems, message):
    script = load_script("scripts/compare_systems.py")
    with pytest.raises(SystemExit):
        script.main(corpus, tmp_path, systems=systems, vectors=tmp_path)
    assert message in " ".join(capsys.readouterr().out.split())


def test_chart_copies_have_other_names_in_half(tmp_path, capsys):
    charts = tmp_path / "charts"
    charts.mkdir()
    shutil.copy(ROOT / "assets/charts/a.jsonl", charts)
    load_script("scripts/chart_copies.py").main(charts, tmp_path / "copies", copies=4)
    originals = {note.id: note for note in read_notes(charts)}
    copies = list(read_notes(tmp_path / "copies"))
    assert len(copies) == 4 * len(originals)
    same = [note for note in copies if note.text == originals[note.id.rpartition("-")[0]].text]
    assert len(same) == len(copies) / 2
    assert f"{len(copies)} copies" in " ".join(capsys.readouterr().out.split())


def test_real_density_takes_charts_and_notes_with_little_phi(corpus, tmp_path):
    script = load_script("scripts/real_density.py")
    script.main(corpus / "train.spacy", tmp_path / "real", notes=130, test="long_dev broken_dev")
    train, dev, test = (
        list(read_notes(tmp_path / "real" / f"{name}.spacy")) for name in ("train", "dev", "test")
    )
    assert [note.id[:6] for note in train[:128]] == ["chart-"] * 128
    assert len(train) > 128
    for note in train[128:]:
        assert len(note.spans) / len(note.text.split()) <= 0.07
    assert len(dev) == 60
    assert len(test) == 16 + 14


@pytest.fixture
def trainings(tmp_path) -> list[Path]:
    """Two small taggers that differ in their weights alone."""
    example = Example.from_dict(spacy.blank("en")("Seen by Lee"), {"entities": [(8, 11, "DOCTOR")]})
    folders = []
    for seed in (1, 2):
        nlp = spacy.blank("en")
        nlp.add_pipe("phi_tagger")
        fix_random_seed(seed)
        nlp.initialize(lambda: [example])
        folders.append(tmp_path / str(seed))
        nlp.to_disk(folders[-1])
    return folders


def test_average_models_is_the_mean_of_their_weights(trainings, tmp_path):
    script = load_script("scripts/average_models.py")
    script.main(tmp_path / "mean", trainings)
    first, second, mean = (
        dict(script._parameters(spacy.load(folder))) for folder in (*trainings, tmp_path / "mean")
    )
    for name, value in mean.items():
        assert torch.allclose(value, (first[name] + second[name]) / 2)
    assert any(not torch.equal(first[name], second[name]) for name in mean)


def test_calibrate_saves_the_temperature_that_fits(trainings, tmp_path, capsys):
    script = load_script("scripts/calibrate.py")
    right = np.array([[0.9, n < 6] for n in range(10)], dtype=float)  # surer than right
    assert script.fit(right) > 1
    assert Calibration.of(right).expected_error == pytest.approx(0.3)
    notes = tmp_path / "notes.jsonl"
    write_notes([Note("1", "Seen by Lee", (PhiSpan(8, 11, "DOCTOR"),))], notes, fmt="jsonl")
    script.main(str(trainings[0]), tmp_path / "new", notes=notes)
    temperature = spacy.load(tmp_path / "new").get_pipe("phi_tagger").temperature
    assert f"Temperature {temperature:g}: expected" in capsys.readouterr().out


def test_fit_fractions_shows_weights_and_what_they_are_worth(tmp_path, capsys, monkeypatch):
    script = load_script("scripts/fit_fractions.py")
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": TOKENIZER}})

    @Language.component("half_sure")
    def half_sure(doc):
        spans = [Span(doc, t.i, t.i + 1, label="DATE") for t in doc if "/" in t.text]
        write_candidates(doc, "phi_tagger", [(span, 0.5) for span in spans])
        return doc

    nlp.add_pipe("half_sure")
    monkeypatch.setattr(spacy, "load", lambda name: nlp)
    text = "Seen 7 May: better since 5/5, abx 3/7, review 2/52."
    phi = tuple(PhiSpan(*span, "DATE") for span in ((5, 10), (25, 28)))
    notes = tmp_path / "notes.jsonl"
    write_notes([Note(f"set_{author}1", text, phi) for author in "abc"], notes, fmt="jsonl")
    script.main([notes])
    out = capsys.readouterr().out
    assert "tagger: 6 wrong, 0 missed" in out and "fitted: 0 wrong, 0 missed" in out
    assert "distance" in out
    write_notes([Note("set_a1", text, phi)], notes, fmt="jsonl", force=True)
    with pytest.raises(SystemExit, match="two authors"):
        script.main([notes])


def test_average_models_refuses_what_does_not_fit(trainings, tmp_path):
    script = load_script("scripts/average_models.py")
    spacy.blank("en").to_disk(tmp_path / "other")
    with pytest.raises(typer.BadParameter, match="differ in labels or layers"):
        script.main(tmp_path / "mean", [trainings[0], tmp_path / "other"])
    with pytest.raises(typer.BadParameter, match="two models or more"):
        script.main(tmp_path / "mean", trainings[:1])
    with pytest.raises(typer.BadParameter, match="is there already"):
        script.main(trainings[0], trainings)
    assert not (tmp_path / "mean").exists()


def test_export_onnx_replaces_a_folder_only_when_told_to(trainings, tmp_path):
    script = load_script("scripts/export_onnx.py")
    out = tmp_path / "exported"
    script.main(str(trainings[0]), out)
    assert predicts_with_onnx(spacy.load(out).get_pipe("phi_tagger").model)
    with pytest.raises(typer.BadParameter, match="is there already"):
        script.main(str(trainings[0]), out)
    script.main(str(trainings[1]), out, force=True)
    spacy.blank("en").to_disk(tmp_path / "other")
    with pytest.raises(typer.BadParameter, match="no phi_tagger"):
        script.main(str(tmp_path / "other"), tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_train_screen_adds_a_screen(trainings, tmp_path):
    load_script("scripts/export_onnx.py").main(str(trainings[0]), tmp_path / "exported")
    notes = tmp_path / "notes.jsonl"
    write_notes([Note(str(i), "Seen by Lee. Well.") for i in range(3)], notes, fmt="jsonl")
    script = load_script("scripts/train_screen.py")
    model, out = str(tmp_path / "exported"), tmp_path / "screened"
    script.main(model, [notes, notes], out, most=2, steps=3)
    nlp = spacy.load(out)
    assert onnx_shim(nlp.get_pipe("phi_tagger").model).network.screen
    assert "Lee" not in nlp.vocab.strings
    with pytest.raises(typer.BadParameter, match="is there already"):
        script.main(model, [notes], out)
    with pytest.raises(typer.BadParameter, match="no exported phi_tagger"):
        script.main(str(trainings[0]), [notes], tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_average_of_exported_models_predicts_with_the_new_weights(trainings, tmp_path):
    export = load_script("scripts/export_onnx.py")
    for folder in trainings:
        export.main(str(folder), folder, force=True)
    script = load_script("scripts/average_models.py")
    script.main(tmp_path / "mean", trainings)
    mean = spacy.load(tmp_path / "mean")
    assert not predicts_with_onnx(mean.get_pipe("phi_tagger").model)
    values = [dict(script._parameters(spacy.load(folder))) for folder in trainings]
    for name, value in script._parameters(mean):
        assert torch.allclose(value, (values[0][name] + values[1][name]) / 2)


@pytest.mark.slow
def test_narrow_tagger_drops_the_units_that_nothing_reads(trainings, tmp_path):
    nlp = spacy.load(trainings[0])
    network = network_of(nlp.get_pipe("phi_tagger").model)
    width = network.encoder.hidden_width
    unread = torch.arange(0, width, 2)  # every second unit of each layer
    hidden, _, output = network.decoder.emit
    with torch.no_grad():
        hidden.weight[:, torch.cat([unread, width + unread])] = 0
        output.weight[:, torch.cat([unread, width + unread])] = 0
        for lstm in (network.encoder.recurrent.ahead, network.encoder.recurrent.back):
            lstm.weight_hh_l0[:, unread] = 0
    nlp.to_disk(tmp_path / "wide")
    script = load_script("scripts/narrow_tagger.py")
    script.main(str(tmp_path / "wide"), tmp_path / "narrow", width=width // 2)
    wide, narrow = (
        spacy.load(tmp_path / name).get_pipe("phi_tagger").model for name in ("wide", "narrow")
    )
    doc = spacy.load(tmp_path / "wide").make_doc("Seen by Lee again, on the ward")
    (_, (expected, *_)), (_, (scores, *_)) = wide.predict([doc])[0], narrow.predict([doc])[0]
    np.testing.assert_allclose(scores, expected, atol=1e-5)
    assert network_of(narrow).encoder.recurrent.ahead.hidden_size == width // 2


@pytest.mark.slow
def test_narrow_tagger_is_tuned_and_exported(trainings, tmp_path):
    """The commands of docs/how-to/train.md, with fewer steps."""
    narrow, tuned, exported = (tmp_path / name for name in ("narrow", "tuned", "exported"))
    load_script("scripts/narrow_tagger.py").main(str(trainings[0]), narrow, width=8)
    load_script("scripts/tune_on_charts.py").main(str(narrow), tuned, steps=3)
    load_script("scripts/export_onnx.py").main(str(tuned), exported, quantize=True)
    before, after = (
        dict(network_of(torch_tagger(spacy.load(folder).get_pipe("phi_tagger").model)).state_dict())
        for folder in (narrow, tuned)
    )
    assert not torch.equal(before["decoder.start"], after["decoder.start"])
    nlp = spacy.load(exported)
    assert predicts_with_onnx(nlp.get_pipe("phi_tagger").model)
    nlp("Seen by Lee")


@pytest.mark.slow
def test_narrow_tagger_keeps_units_in_an_exported_pipeline_too(trainings, tmp_path):
    load_script("scripts/export_onnx.py").main(str(trainings[0]), tmp_path / "exported")
    script = load_script("scripts/narrow_tagger.py")
    script.main(str(tmp_path / "exported"), tmp_path / "narrow", width=8)
    tagger = spacy.load(tmp_path / "narrow").get_pipe("phi_tagger")
    assert network_of(torch_tagger(tagger.model)).encoder.hidden_width == 8
    assert not predicts_with_onnx(tagger.model)


def test_narrow_tagger_refuses_what_does_not_fit(trainings, tmp_path):
    script = load_script("scripts/narrow_tagger.py")
    with pytest.raises(typer.BadParameter, match="choose a width below that"):
        script.main(str(trainings[0]), tmp_path / "narrow", width=10_000)
    with pytest.raises(typer.BadParameter, match="is there already"):
        script.main(str(trainings[0]), trainings[1], width=8)
    spacy.blank("en").to_disk(tmp_path / "other")
    with pytest.raises(typer.BadParameter, match="no phi_tagger"):
        script.main(str(tmp_path / "other"), tmp_path / "narrow", width=8)
    assert not (tmp_path / "narrow").exists()
