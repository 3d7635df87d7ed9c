from __future__ import annotations

import threading

import pytest

from spacy_deid.engine.pool import Pool
from spacy_deid.engine.work import InputText
from spacy_deid.redaction import STYLES, RedactionError, Redactor, find_policy, random_key
from spacy_deid.redaction.surrogates import KINDS


@pytest.fixture
def redactor():
    return Redactor(find_policy("tag"), random_key())


def batches(texts, size=3):
    jobs = [InputText(text=text) for text in texts]
    return [jobs[i : i + size] for i in range(0, len(jobs), size)]


def managers():
    """Threads of executors; one left by a broken executor may keep the program from ending."""
    return [each for each in threading.enumerate() if "Executor" in type(each).__name__]


@pytest.mark.parametrize("deadly", [{4}, {0, 1, 29}, {10, 11, 12}])
def test_note_that_kills_its_process_is_withheld(nlp, redactor, deadly):
    nlp.add_pipe("toy_killer", first=True)
    texts = ["DIE Maria" if i in deadly else f"Maria {i}" for i in range(30)]
    with Pool(nlp, redactor, 2) as pool:
        outcomes = [outcome for batch in pool.redact(batches(texts)) for outcome in batch]
    assert [outcome.text for outcome in outcomes] == [
        None if i in deadly else f"[PATIENT] {i}" for i in range(30)
    ]
    errors = {outcome.error for outcome in outcomes}
    assert errors == {"", "the process that worked on it died or hung"}
    assert managers() == []


def test_note_that_hangs_its_process_is_withheld(nlp, redactor, capfd):
    nlp.add_pipe("toy_killer", first=True)
    texts = ["HANG Maria" if i in {1, 8} else f"Maria {i}" for i in range(12)]
    with Pool(nlp, redactor, 2, timeout=1.0) as pool:
        outcomes = [outcome for batch in pool.redact(batches(texts)) for outcome in batch]
    assert [outcome.text for outcome in outcomes] == [
        None if i in {1, 8} else f"[PATIENT] {i}" for i in range(12)
    ]
    assert outcomes[1].error == "the process that worked on it died or hung"
    assert "Maria" not in capfd.readouterr().err


@pytest.mark.parametrize("timeout", [1e12, float("inf")])
def test_a_process_may_take_forever(nlp, redactor, timeout):
    with Pool(nlp, redactor, 2, timeout=timeout) as pool:
        assert [outcome.text for (outcome,) in pool.redact(batches(["Maria"]))] == ["[PATIENT]"]


def test_batches_are_read_as_they_are_needed(nlp, redactor):
    read = []

    def reading():
        for batch in batches(map(str, range(60)), 2):
            read.append(batch)
            yield batch

    with Pool(nlp, redactor, 2) as pool:
        for number, _ in enumerate(pool.redact(reading())):
            assert len(read) <= number + 5
    assert len(read) == 30


def test_runtime_settings_reach_the_processes(nlp, redactor):
    nlp.get_pipe("phi_merger").threshold = 0.95
    with Pool(nlp, redactor, 2) as pool:
        ((outcome,),) = pool.redact([[InputText(text="Maria")]])
    assert outcome.text == "Maria"


def test_words_of_notes_do_not_stay_in_memory(nlp, redactor, monkeypatch):
    monkeypatch.setattr("spacy_deid.engine.search._KEPT_WORDS", 0)
    texts = [f"Maria word{i}" for i in range(200)]
    with Pool(nlp, redactor, 1, exclusive=True) as pool:
        before = len(nlp.vocab.strings)
        outcomes = [outcome.text for batch in pool.redact(batches(texts)) for outcome in batch]
    assert outcomes[-1] == "[PATIENT] word199"
    assert len(nlp.vocab.strings) < before + 50


def test_job_with_an_error_is_withheld_and_not_searched(nlp, redactor):
    with Pool(nlp, redactor, 1) as pool:
        ((bad, good),) = pool.redact(
            [[InputText(text="BOOM", error="broken"), InputText(text="Maria")]]
        )
    assert (bad.text, bad.error) == (None, "broken")
    assert (good.text, good.phi, good.sources) == ("[PATIENT]", {"PATIENT": 1}, {"toy_detector": 1})


def test_pipeline_that_cannot_be_sent_is_told(nlp, redactor):
    nlp.get_pipe("phi_merger").scorer = lambda examples: {}
    with pytest.raises(RedactionError, match="cannot be sent to other processes"):
        Pool(nlp, redactor, 2)


def test_processes_that_cannot_start_are_told(nlp, redactor, caplog):
    pool = Pool(nlp, redactor, 2)
    pool.data = b"nothing"
    with pytest.raises(RedactionError, match="the worker processes cannot start"):
        pool.__enter__()
    assert managers() == []


@pytest.mark.parametrize("error", [BrokenPipeError, EOFError])
def test_processes_whose_server_dies_are_told(nlp, redactor, monkeypatch, error):
    def launch(*args):
        raise error

    monkeypatch.setattr("multiprocessing.popen_forkserver.Popen._launch", launch)
    with pytest.raises(RedactionError, match="the worker processes cannot start"):
        Pool(nlp, redactor, 2).__enter__()
    assert managers() == []


def test_styles_and_surrogates_that_other_processes_lack_are_told(nlp, monkeypatch):
    monkeypatch.setitem(STYLES, "star", lambda note: ["*"] * len(note.spans))
    monkeypatch.setitem(KINDS, "DOCTOR", lambda note: ["Dr. Star"] * len(note.spans))
    for policy in ("star", "surrogate"):
        with pytest.raises(RedactionError, match="do not know your styles or surrogates"):
            Pool(nlp, Redactor(policy, random_key()), 2).__enter__()
    with Pool(nlp, Redactor("tag", random_key()), 2):
        pass


@pytest.mark.parametrize(("n_process", "exclusive"), [(1, False), (2, True)])
def test_nothing_else_uses_the_copies_of_the_pipeline(nlp, redactor, n_process, exclusive):
    assert Pool(nlp, redactor, n_process).worker.search.exclusive is exclusive
