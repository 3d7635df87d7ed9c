from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import spacy_deid
from spacy_deid import Redacted, deidentify
from spacy_deid.batch import redact_files
from spacy_deid.engine import loading as module
from spacy_deid.redaction import RedactionError, Withheld

KEY = "a key of sixteen bytes"


def test_a_text_and_several(nlp):
    assert deidentify("Maria on 3/4/2067", model=nlp).text == "[PATIENT] on [DATE]"
    found = deidentify(iter(["Lopez", "nobody"]), "mask", model=nlp)
    assert [type(each) for each in found] == [Redacted, Redacted]
    assert [each.text for each in found] == ["*****", "nobody"]
    assert deidentify([], model=nlp) == []


def test_a_text_of_any_length_gives_what_the_command_line_gives(nlp, tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_deid.engine.search.LONGEST", 200)
    nlp.max_length = 300
    text = "".join(f"Maria {i} on 3/4/{i}.\r\n" for i in range(10, 99))
    (tmp_path / "a.txt").write_bytes(text.encode())
    redact_files([tmp_path / "a.txt"], tmp_path / "out", nlp, policy="surrogate", key=KEY)
    found = deidentify(text, "surrogate", model=nlp, key=KEY)
    assert found.text.encode() == (tmp_path / "out" / "a.txt").read_bytes()
    assert len(found.replacements) == 178


def test_patients_and_known_data(nlp):
    notes = ["Maria and Ada Zorg", "Maria and Ada Zorg"]
    settings = {"model": nlp, "key": KEY, "policy": "surrogate"}
    one, other = deidentify(notes, patient_id="7", known={"patient": ["Ada Zorg"]}, **settings)
    assert one == other and len(one.replacements) == 2
    one, other = deidentify(
        notes, patient_id=["7", "8"], known=[{"PATIENT": "Zorg"}, {}], **settings
    )
    assert "Zorg" not in one.text and "Zorg" in other.text
    assert one.replacements[0].text != other.replacements[0].text


def test_a_model_is_loaded_once(nlp, tmp_path, monkeypatch):
    loaded = []
    monkeypatch.setattr(module, "load_pipeline", lambda name: loaded.append(name) or nlp)
    module.load_once.cache_clear()
    assert [deidentify("Maria", model=tmp_path).text for _ in range(2)] == ["[PATIENT]"] * 2
    assert loaded == [str(tmp_path)]
    module.load_once.cache_clear()


def test_threads_load_a_model_once(nlp, monkeypatch):
    loaded = []

    def load(name):
        loaded.append(name)
        time.sleep(0.05)
        return nlp

    monkeypatch.setattr(module, "load_pipeline", load)
    module.load_once.cache_clear()
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: deidentify("Maria", known={"CITY": "Bell"}), range(4)))
    assert [each.text for each in found] == ["[PATIENT]"] * 4
    assert loaded == ["en_deid"]
    assert nlp.pipe_names == ["toy_detector", "phi_merger"]
    module.load_once.cache_clear()


@pytest.mark.parametrize(
    ("given", "settings", "message"),
    [
        (3, {}, "expects a text, or several, not int"),
        (b"Maria", {}, "not bytes"),
        (type("DataFrame", (list,), {"columns": ["Maria"]})(["Maria"]), {}, "not DataFrame"),
        (["Maria", None], {}, "text 1 is NoneType"),
        ("BOOM", {}, r"the text cannot be .*'toy_detector' failed \(ValueError\)"),
        ("a", {"model": "no_such_model"}, "is not installed"),
        ("a", {"policy": "blur"}, "unknown style or policy 'blur'"),
        ("a", {"key": "short"}, "too short"),
        ("a", {"known": {"MRN": "1"}}, "is not a PHI type"),
        ("a", {"known": {"DATE": ["3/4/1956"]}}, "year-month-day"),
        ("a", {"known": {"PATIENT": b"Maria"}}, "known data is bytes"),
        ("a", {"known": {"PATIENT": [b"Maria"]}}, "known data is bytes"),
        ("a", {"known": {"PATIENT": {"first": "Maria"}}}, "known data is dict"),
        ("a", {"known": {"PATIENT": [["Maria"]]}}, "known data is list"),
        (["a", "b"], {"patient_id": ["7"]}, "patient_id has 1 values for 2 texts"),
        ("a", {"patient_id": 7}, "patient_id is neither a str"),
    ],
)
def test_mistakes_are_told_in_one_sentence(nlp, given, settings, message):
    with pytest.raises(ValueError, match=message) as error:
        deidentify(given, **{"model": nlp, **settings})
    assert "Maria" not in str(error.value) and "BOOM" not in str(error.value)


def test_a_text_that_fails_stops_no_other(nlp):
    first, failed, last = deidentify(["Maria", "BOOM", "Lopez"], model=nlp)
    assert (first.text, first.error, last.text) == ("[PATIENT]", "", "[PATIENT]")
    assert failed == Withheld("the pipe 'toy_detector' failed (ValueError)")
    assert failed.text is None and failed.replacements == ()


def test_redact_of_a_text_names_deidentify():
    with pytest.raises(RedactionError, match=r"call spacy_deid.deidentify\(text\)"):
        spacy_deid.redact("Maria")


def test_importing_the_package_imports_no_spacy():
    code = "import spacy_deid, sys; sys.exit('spacy' in sys.modules or 'torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
