from __future__ import annotations

from dataclasses import replace

import pytest
import spacy

pytest.importorskip("scipy")
pytest.importorskip("torch")
pytest.importorskip("onnx")

from spacy_deid.adapt.adaptation import Adapted, adapt, choose_threshold, save
from spacy_deid.adapt.gain import compare_gain, gain_table, measure
from spacy_deid.adapt.split import leave_out_learned, split
from spacy_deid.adapt.tune import Tuning, tune, unknown_types
from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.tagger.onnx_model import predicts_with_onnx
from spacy_deid.tagger.pipe import PhiTagger


@pytest.fixture(scope="module")
def parts(local):
    return split(local, [])


@pytest.fixture(scope="module")
def adapted(saved, parts):
    folder, replay = saved
    return adapt(spacy.load(folder), parts, replay, Tuning(30, 60, 0.05, 0.0))


def test_it_learns_what_is_local_and_forgets_nothing(adapted):
    before, after = adapted.local.before.scores.token, adapted.local.after.scores.token
    assert before.recall == 0  # names are in lower case
    assert after.recall == 1 and after.precision > 0.8
    assert adapted.replayed.after.scores.token.f2 == 1
    assert adapted.worse == "" and adapted.local.p_values.recall < 0.05
    rows = {row[0]: row[1:] for row in gain_table("Held out", adapted.local).rows}
    assert rows["recall of tokens"][:2] == ["0.00%", "100.00%"]
    assert rows["pieces of PHI found"] == ["0.00%", "100.00%", ""]


def test_the_saved_model_holds_no_word_of_the_notes(adapted, parts, tmp_path):
    save(adapted, tmp_path / "ours")
    files = [path for path in (tmp_path / "ours").rglob("*") if path.is_file()]
    words = [b"quistgaard", b"resident", b"okafor"]
    assert not [path for path in files for word in words if word in path.read_bytes()]
    assert [path.name for path in tmp_path.iterdir()] == ["ours"]
    nlp = spacy.load(tmp_path / "ours")
    assert predicts_with_onnx(nlp.get_pipe("phi_tagger").model)
    assert nlp.get_pipe("phi_merger").threshold == adapted.threshold
    assert nlp("resident chen was here .").ents[0].text == "chen"
    left = leave_out_learned(nlp, [*parts.learn, *parts.choose, *parts.held_out])
    assert left == parts.held_out
    with pytest.raises(ValueError, match="is there already; name a new folder"):
        save(adapted, tmp_path / "ours")


def test_a_replayed_note_was_learned_from_unless_it_was_generated(saved, parts):
    folder, replay = saved
    note = replace(parts.held_out[0], gold=replay.learn[0])
    for generated, left in ((False, []), (True, [note])):
        replayed = replace(replay, generated=generated)
        adapted = adapt(spacy.load(folder), parts, replayed, Tuning(1))
        assert leave_out_learned(adapted.nlp, [note]) == left


def test_other_notes_of_a_learned_patient_are_left_out_too(adapted, parts):
    learned = parts.learn[0]
    other = replace(learned, gold=Note("new", "Another note."))
    assert leave_out_learned(adapted.nlp, [learned, other]) == []
    assert leave_out_learned(adapted.nlp, [other]) == [other]


def test_finding_less_or_forgetting_is_worse(adapted, parts):
    notes = parts.held_out
    good = measure(notes, [note.gold for note in notes])
    bad = measure(notes, [replace(note.gold, spans=()) for note in notes])
    same, loss = compare_gain(good, good), compare_gain(good, bad)
    assert Adapted(adapted.nlp, 0.4, same, same).worse == ""
    assert "held-out notes falls by 1.0000" in Adapted(adapted.nlp, 0.4, loss, same).worse
    assert "its training falls by 1.0000" in Adapted(adapted.nlp, 0.4, same, loss).worse


def test_the_threshold_stays_where_others_gain_nothing(adapted, parts):
    notes = [note.gold for note in parts.choose]
    assert choose_threshold(adapted.nlp, notes, 0.4) == 0.4


def test_types_that_the_tagger_does_not_know_are_no_loss(saved):
    nlp = spacy.load(saved[0])
    text = "Seen by Dr. Chen today ."
    notes = [Note("n", text, (PhiSpan(0, 4, "DEVICE"), PhiSpan(12, 16, "DOCTOR")))]
    tune(nlp, notes, Tuning(1))
    assert unknown_types(nlp, notes) == {"DEVICE": 1}
    assert nlp.get_pipe("phi_tagger").labels == ("DOCTOR",)


def test_the_tagger_learns_on_the_sentences_of_the_pipeline(saved, monkeypatch):
    seen = []
    monkeypatch.setattr(PhiTagger, "update", lambda tagger, batch, **_: seen.extend(batch))
    nlp = spacy.load(saved[0])
    nlp.add_pipe("clinical_sentencizer", "sentences", first=True)
    tune(nlp, [Note("n", "Chen came. Chen left.")], Tuning(1))
    assert len(list(seen[0].predicted.sents)) == 2


def test_a_model_without_a_tagger_is_refused(nlp, parts, saved):
    with pytest.raises(ValueError, match="no phi_tagger to train on"):
        adapt(nlp, parts, saved[1])
    nlp.remove_pipe("phi_merger")
    with pytest.raises(ValueError, match="whose last pipe is a phi_merger"):
        adapt(nlp, parts, saved[1])
