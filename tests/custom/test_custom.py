"""Own terms: what is always PHI is found, what never is unmasks nothing else."""

from __future__ import annotations

import pickle

import pytest
import spacy
from linear import assert_linear

from spacy_deid import deidentify
from spacy_deid.batch import redact_files
from spacy_deid.custom import Term, Terms, add_terms, using_terms
from spacy_deid.custom.patterns import find_pattern
from spacy_deid.redaction import RedactionError


@pytest.fixture(scope="module")
def custom(gazetteers):
    tokenizer = {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": tokenizer}})
    nlp.vocab.lookups = gazetteers
    nlp.add_pipe("text_normalizer")
    nlp.add_pipe("phi_merger", config={"detectors": []})
    return nlp


def find(nlp, text, *terms):
    add_terms(nlp, Terms(terms))
    return [(ent.text, ent.label_) for ent in nlp(text).ents]


@pytest.mark.parametrize(
    ("term", "text", "found"),
    [
        ("Lind, Astrid", "ASTRID LIND; Astrid Lind; Lind, Astrid", 3),
        ("Astrid Lind", "lind, astrid came; Astrid\nLind; Astrid  Lind and a lind", 3),
        ("José Núñez", "Jose Nunez; JOSÉ NÚÑEZ; Jose\u0301 Nu\u0301n\u0303ez", 3),
        ("Ada VanDyke", "Ada VanDyke's; ADA VANDYKE; ada vandyke", 3),
        ("Siobhan O'Brien", "Siobhan O\u2019Brien; SIOBHAN O'BRIEN", 2),
        ("Will", "Will came, he will stay; WILL", 2),
        ("will", "Will came, he will stay", 2),
        ("Lind", "Lindt, Blind, Lind.", 1),
    ],
)
def test_names_in_every_spelling(custom, term, text, found):
    assert len(find(custom, text, Term("DOCTOR", term))) == found


def test_places_are_found_only_in_their_order(custom):
    terms = Term("STREET", "Zorg Lane"), Term("HOSPITAL", "St. Zorg Clinic")
    text = "12 zorg lane; Lane Zorg; St. Zorg\nClinic"
    assert find(custom, text, *terms) == [("zorg lane", "STREET"), ("St. Zorg\nClinic", "HOSPITAL")]


def test_patterns_and_context(custom):
    pytest.importorskip("re2")
    terms = (
        Term("IDNUM", pattern=r"\bNX-\d+\b"),
        Term("ROOM", pattern=r"\b\d{1,2}[A-D]\b", context="bed Zimmer"),
        Term("HOSPITAL", "Mercy", context="transfer transferred"),
    )
    text = "NX-44719, NX-x. Bed 12B, which is not one of the leads 3A and 4C"
    assert find(custom, text, *terms) == [("NX-44719", "IDNUM"), ("12B", "ROOM")]
    assert find(custom, "transferred from Mercy", *terms) == [("Mercy", "HOSPITAL")]
    assert find(custom, "God have mercy; Mercy", *terms) == []


def test_a_pattern_takes_linear_time_and_sees_what_is_before_it():
    pytest.importorskip("re2")
    assert_linear(lambda text: list(find_pattern(r"x[^y]*y|x", text)), "x", 20_000)
    text = "".join(f"{i:05} " for i in range(1000))
    assert len(list(find_pattern(r"\b\d{5}\b", text))) == 1000
    assert list(find_pattern(r"\b\d{4}\b", text)) == []


def test_many_names_take_linear_time(custom):
    names = Terms(Term("DOCTOR", f"Lind {chr(97 + i % 26)}x{i}") for i in range(2000))
    add_terms(custom, names)
    pipe = custom.get_pipe("phi_custom")
    assert_linear(lambda text: pipe(custom.make_doc(text)), "Lind a Lind ax0 ", 20_000)


def detected(nlp, text, *terms):
    """What is left of the toy detector's PHI (Maria, Lopez, dates)."""
    add_terms(nlp, Terms(terms))
    doc = nlp(text)
    return [ent.text for ent in doc.ents], [span.id_ for span in doc.spans.get("phi_spared", ())]


MARIA = Term("never", "Maria", name="trials")


@pytest.mark.parametrize(
    ("text", "found", "spared"),
    [
        ("the Maria trial", [], 1),
        ("Maria Lopez came", ["Maria", "Lopez"], 0),
        ("Lopez, Maria came", ["Lopez", "Maria"], 0),
        ("Maria T. Lopez came", ["Maria", "Lopez"], 0),
        ("seen by Maria\nLopez", ["Maria", "Lopez"], 0),
        ("Maria\n\nLopez called", ["Lopez"], 1),
        ("Maria on 3/4/2067", ["3/4/2067"], 1),
        ("Maria 3/4/2067", ["3/4/2067"], 1),
        ("Maria and Lopez", ["Lopez"], 1),
        ("Maria Maria", [], 2),
    ],
)
def test_never_phi_unmasks_no_longer_name(nlp, text, found, spared):
    nlp.get_pipe("phi_merger").propagate = False
    assert detected(nlp, text, MARIA) == (found, ["never.trials"] * spared)


def test_a_word_of_a_name_in_the_note_stays_phi(nlp):
    found, _ = detected(nlp, "Maria Lopez came. Then Maria left.", MARIA)
    assert found == ["Maria", "Lopez", "Maria"]


def test_always_and_known_come_before_never(nlp):
    assert detected(nlp, "Maria", MARIA, Term("PATIENT", "Maria")) == (["Maria"], [])
    add_terms(nlp, Terms([MARIA]))
    assert deidentify("Maria", model=nlp, known={"PATIENT": "Maria Zorg"}).text == "[PATIENT]"


@pytest.mark.parametrize(
    ("factory", "always", "known"),
    [
        ("phi_custom", [Term("PATIENT", "Maria")], {}),
        ("phi_known", [], {"PATIENT": "Maria Zorg"}),
    ],
)
def test_always_and_known_come_before_never_under_any_name(nlp, factory, always, known):
    nlp.add_pipe(factory, "ours", first=True)
    nlp.get_pipe("phi_merger").detectors.insert(0, "ours")
    add_terms(nlp, Terms([MARIA, *always]))
    assert deidentify("Maria", model=nlp, known=known).text == "[PATIENT]"


def test_never_in_capitals_is_only_what_is_in_capitals(nlp):
    assert detected(nlp, "the Maria trial", Term("never", "MARIA"))[0] == ["Maria"]


def test_terms_survive_disk_bytes_and_pickle(custom, tmp_path):
    add_terms(custom, Terms([Term("CITY", "Zorgstad", name="towns")]))
    custom.to_disk(tmp_path)
    for nlp in (spacy.load(tmp_path), pickle.loads(pickle.dumps(custom))):
        assert [ent.text for ent in nlp("in ZORGSTAD").ents] == ["ZORGSTAD"]
    pipe = custom.get_pipe("phi_custom")
    assert [*pipe.from_bytes(pipe.to_bytes()).terms] == [Term("CITY", "Zorgstad", name="towns")]


def test_terms_need_a_merger():
    with pytest.raises(RedactionError, match="phi_custom needs a phi_merger"):
        add_terms(spacy.blank("en"), Terms())


def test_deidentify_with_terms_of_one_call(nlp, tmp_path):
    path = tmp_path / "ours.csv"
    path.write_text("type,term\nCITY,Zorg\nnever,Maria\n")
    assert deidentify("Zorg, Maria", model=nlp, terms=path).text == "[CITY], Maria"
    assert deidentify("Zorg, Maria", model=nlp).text == "Zorg, [PATIENT]"
    add_terms(nlp, Terms([Term("STREET", "Zorg")]))
    assert deidentify(["Zorg"], model=nlp, terms=path)[0].text == "[CITY]"
    assert deidentify(["Zorg"], model=nlp)[0].text == "[STREET]"


def test_a_run_counts_terms_by_name_and_resumes_only_with_the_same(nlp, tmp_path):
    from spacy_deid.batch import read_manifest
    from spacy_deid.batch.report import read_run, run_tables
    from spacy_deid.redaction import RedactionError

    (tmp_path / "a.txt").write_text("Zorg, zorg and the Maria trial" + " x" * 100)
    add_terms(nlp, Terms([Term("CITY", "Zorg", name="towns"), MARIA]))
    key = "a key of sixteen bytes"
    out = tmp_path / "out"
    redact_files([tmp_path / "a.txt"], out, nlp, key=key)
    run, note, *_ = read_manifest(out / "manifest.jsonl")
    assert note["terms"] == {"custom.towns": 2, "never.trials": 1}
    assert len(run["run"]["terms"]) == 16 and "Zorg" not in str(run)
    (table,) = [table for table in run_tables(read_run(out)) if table.title == "Own terms"]
    assert table.rows == [("custom.towns", "2"), ("never.trials", "1")]
    add_terms(nlp, Terms([MARIA]))
    with pytest.raises(RedactionError, match="differs from the one before in its terms"):
        redact_files([tmp_path / "a.txt"], out, nlp, key=key, resume=True)


def test_terms_of_one_call_take_the_place_of_those_of_a_pipe_of_any_name(nlp):
    nlp.add_pipe("phi_custom", "ours", first=True).terms = Terms([Term("CITY", "Zorg")])
    nlp.get_pipe("phi_merger").detectors.append("ours")
    terms = Terms([Term("CITY", "Bell")])
    assert deidentify("Zorg, Bell", model=nlp, terms=terms).text == "Zorg, [CITY]"
    assert deidentify("Zorg, Bell", model=nlp).text == "[CITY], Bell"


def test_terms_of_one_call_reach_all_mergers_and_normalised_text(custom):
    custom.add_pipe("phi_merger", "second", config={"detectors": []})
    terms = Terms([Term("CITY", "Zorgstad")])
    assert deidentify("in Zorg\u200bstad", model=custom, terms=terms).text == "in [CITY]"
    custom.remove_pipe("second")


def test_terms_for_a_while_change_no_pipeline(custom):
    add_terms(custom, Terms([Term("CITY", "Zorgstad", name="towns")]))
    before = custom.get_pipe("phi_custom").to_bytes()
    with using_terms(custom, Terms([Term("CITY", "Quist", name="towns")])):
        assert [ent.text for ent in custom("in Zorgstad, Quist").ents] == ["Quist"]
        assert custom.get_pipe("phi_custom").to_bytes() == before
        assert deidentify("in Zorgstad, Quist", model=custom).text == "in Zorgstad, [CITY]"
        with using_terms(custom, None):
            assert [ent.text for ent in custom("in Zorgstad, Quist").ents] == ["Quist"]
    assert [ent.text for ent in custom("in Zorgstad, Quist").ents] == ["Zorgstad"]
