"""Known PHI in every form it may take, and nothing beside it."""

from __future__ import annotations

import pickle
import re
from unicodedata import normalize

import numpy as np
import pandas as pd
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from spacy_deid.annotation.candidates import ALIKE, EXACT, read_candidates
from spacy_deid.known.data import check_known
from spacy_deid.known.forms import forms_of
from spacy_deid.known.full_names import name_words
from spacy_deid.known.names import one_edit_apart
from spacy_deid.known.pipe import KNOWN
from spacy_deid.merger import using_threshold

FACTS = {
    "PATIENT": ["Maria T. Lopez-Whitacre", "Will Young"],
    "DOCTOR": "Chen, Wei",
    "DATE": ["1956-03-04"],
    "MEDICALRECORD": ["44-71902"],
    "PHONE": ["(412) 555-0116"],
    "STREET": ["14 North Oak Street"],
    "CITY": ["Bell"],
    "EMAIL": ["m.lopez@example.org"],
}


@pytest.fixture(scope="module")
def nlp(gazetteers):
    tokenizer = {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": tokenizer}})
    nlp.vocab.lookups = gazetteers
    nlp.add_pipe("phi_known")
    nlp.add_pipe("phi_merger", config={"detectors": ["phi_known"]})
    return nlp


def find(nlp, text, facts=FACTS):
    ((doc, _),) = nlp.pipe([(text, {KNOWN: facts})], as_tuples=True)
    return [(span.text, span.label_) for span, _ in read_candidates(doc, "phi_known")]


@pytest.mark.parametrize(
    "text, found",
    [
        ("Maria came", ["Maria"]),
        ("MARIA LOPEZ came", ["MARIA LOPEZ"]),
        ("seen with lopez today", ["lopez"]),
        ("Lopez-Whitacre, Maria T. came", ["Lopez-Whitacre, Maria T"]),
        ("M.T. Lopez; M. T. Lopez; Lopez, M.", ["M.T. Lopez", "M. T. Lopez", "Lopez, M"]),
        ("Lopez, T cells 300; I saw W. Lopez", ["Lopez", "W. Lopez"]),
        ("Maria T Whitacre's leg", ["Maria T Whitacre"]),
        ("Mrs. Whitcare came", ["Whitcare"]),
        ("a marina; the whitacres", []),
        ("Will came, he will stay", ["Will"]),
        ("a young man of an age", []),
        ("d/w YOUNG today, she agrees", ["YOUNG"]),
        ("WILL RETURN IF WORSE", []),
        ("WILL YOUNG RETURNED", ["WILL YOUNG"]),
        ("W. Young came; Will Young came", ["W. Young", "Will Young"]),
        ("d/w Dr. Chen and Wei Chen", ["Chen", "Wei Chen"]),
        ("d/w Dr. Chen. Maria came. Dr. Chen. Wei", ["Chen", "Maria", "Chen. Wei"]),
        ("d/w Dr. Chen.  Maria came to Chen.\n\nMaria", ["Chen", "Maria", "Chen", "Maria"]),
    ],
)
def test_known_names(nlp, text, found):
    assert [span for span, _ in find(nlp, text)] == found


@pytest.mark.parametrize(
    "name, text, found",
    [
        (
            "Siobhan O'Brien",
            "Siobhan O\u2019Brien; O'Brien's son; OBRIEN",
            ["Siobhan O\u2019Brien", "O'Brien", "OBRIEN"],
        ),
        ("Ann VanDyke", "Mrs. VanDyke; VANDYKE, ANN", ["VanDyke", "VANDYKE, ANN"]),
        ("José Núñez", "Jose Nunez; NÚÑEZ", ["Jose Nunez", "NÚÑEZ"]),
        ("Jose Nunez", "José Núñez", ["José Núñez"]),
    ],
)
def test_known_names_however_they_are_spelt(nlp, name, text, found):
    assert [span for span, _ in find(nlp, text, {"PATIENT": name})] == found


@pytest.mark.parametrize(
    "name, words",
    [
        ("Greta Vanholt, DO", "Greta Vanholt"),
        ("VANHOLT, GRETA, DO", "VANHOLT GRETA"),
        ("Paz Iturbe NP", "Paz Iturbe"),
        ("Ann Lee, M.D., Ph.D.", "Ann Lee"),
        ("Lind, Astrid RN, MD/PhD", "Lind Astrid"),
        ("SMITH MD", "SMITH"),
        ("Mr. Amir Haddad", "Amir Haddad"),
        ("Prof. Dr.Bell", "Bell"),
        ("Bell, Dr.", "Bell"),
        ("Whitacre, Orville Jr.", "Whitacre Orville"),
        ("Ines Farrow (daughter)", "Ines Farrow"),
        ("William (Bill) Farrow", "William Bill Farrow"),
        ("Do, Anh", "Do Anh"),
        ("Anh Do", "Anh Do"),
        ("ANH MINH DO", "ANH MINH DO"),
        ("KIM, DO", "KIM DO"),
        ("Rahman, Md", "Rahman Md"),
        ("Doctor, Ravi", "Doctor Ravi"),
        ("Patel, Shri", "Patel Shri"),
        ("Thi Anh DO", "Thi Anh DO"),
        ("Sokha Iv", "Sokha Iv"),
        ("Sokha Roux IV", "Sokha Roux"),
        ("lopez, maria (xiomy)", "lopez maria xiomy"),
        ("王小明", "王小明"),
    ],
)
def test_words_of_a_full_name(name, words):
    assert name_words(name) == words.split()


def test_credentials_and_titles_of_known_people_are_not_known(nlp):
    facts = {"DOCTOR": ["Greta Vanholt, DO", "Wim Terlouw, PA"], "PATIENT": "Mr. Amir Haddad"}
    text = "Do not give aspirin. PA and lateral film. Mr Bell left Vanholt."
    assert find(nlp, text, facts) == [("Vanholt", "DOCTOR")]


@pytest.mark.parametrize(
    "name, text, found",
    [
        ("Piet van der Berg", "VANDERBERG came; v.d. Berg left", ["VANDERBERG", "v.d. Berg"]),
        ("Peter Thorn", "pt. Thorn and Pt. Thorn", ["Thorn", "Thorn"]),
        ("Ines Farrow", "inesfarrow; F a r r o w; F.A.R.R.O.W", None),
        ("Ines Farrow", "I n e s  f a r r o w", ["I n e s  f a r r o w"]),
        ("Ines Farrow", "a r r o w; f/u; A B C D E F a r", []),
    ],
)
def test_known_names_run_together_or_letter_by_letter(nlp, name, text, found):
    expected = text.split("; ") if found is None else found
    assert [span for span, _ in find(nlp, text, {"PATIENT": name})] == expected


@pytest.mark.parametrize("known", ["15213", "15213-1234", "152131234"])
@pytest.mark.parametrize("form", ["15213", "15213-1234", "152131234", "15213-9999"])
def test_known_zip_with_and_without_its_extension(nlp, known, form):
    assert find(nlp, f"PA {form}, not 115213 or 1521312345", {"ZIP": known}) == [(form, "ZIP")]


def test_a_known_zip_takes_in_its_own_extension_however_it_is_written(nlp):
    for form in ("15213 1234", "15213 - 1234"):
        assert find(nlp, f"PA {form}", {"ZIP": "15213-1234"}) == [(form, "ZIP")]
    assert find(nlp, "PA 15213 9999", {"ZIP": "15213-1234"}) == [("15213", "ZIP")]


@pytest.mark.parametrize("street", ["12 Main Street", "12 Main St.", "12 MAIN ST"])
def test_known_street_by_its_other_words(nlp, street):
    assert find(nlp, f"lives at {street}", {"STREET": "12 Main St"}) == [
        (street.rstrip("."), "STREET")
    ]
    assert find(nlp, "12 Saint Paul Ave", {"STREET": "12 St Paul Avenue"})


@pytest.mark.parametrize("known", ["412-555-0116", "(412) 555-0116 x22", "+1 412 555 0116 ext. 4"])
@pytest.mark.parametrize(
    "form", ["14125550116", "+14125550116", "+1 (412) 555-0116", "412.555.0116", "555-0116"]
)
def test_known_phone_with_a_prefix_or_an_extension(nlp, known, form):
    assert find(nlp, f"call {form} now", {"PHONE": known}) == [(form, "PHONE")]


def test_known_phone_abroad(nlp):
    found = find(nlp, "or 020 7946 0958, +44 20 7946 0958", {"PHONE": "+44 20 7946 0958"})
    assert found == [("020 7946 0958", "PHONE"), ("+44 20 7946 0958", "PHONE")]


def test_a_name_repeated_many_times_takes_linear_time(nlp):
    assert len(find(nlp, "Lopez came. " * 20_000)) == 20_000


@pytest.mark.parametrize(
    "form",
    """3/4/1956 03/04/56 03-04-1956 4.3.56 1956-03-04 19560304 March|4,|1956 Mar|4 4|March|1956
    the|4th|of|March 04-Mar-1956""".split(),
)
def test_known_dates(nlp, form):
    form = form.replace("|", " ")
    found = find(nlp, f"born {form}; 5/4/1956, 13/4/1956 and 3/14/56 are others")
    assert found == [(form.removeprefix("the "), "DATE")]


def test_a_fraction_is_no_known_date(nlp):
    assert not find(nlp, "Strength 5/5 throughout", {"DATE": "1985-05-05"})


@pytest.mark.parametrize(
    "text, found",
    [
        ("MRN 4471902.", ["4471902"]),
        ("MRN 44 71902, not 144719023", ["44 71902"]),
        ("call 412.555.0116 or 555-0116", ["412.555.0116", "555-0116"]),
        ("call +1 (412) 555 0116", ["+1 (412) 555 0116"]),
        ("lives at 14 N. Oak St in Bell", ["14 N. Oak St", "Bell"]),
        ("14  north oak\nstreet; doorbell", ["14  north oak\nstreet"]),
        ("write to M.Lopez@example.org", ["M.Lopez@example.org"]),
        ("Oak Street alone", []),
    ],
)
def test_known_numbers_and_places(nlp, text, found):
    rows = [span for span, label in find(nlp, text) if label not in ("PATIENT", "DOCTOR")]
    assert rows == found


@pytest.mark.parametrize("value", ["ABC-1234", "ABCD1234", "AB-12/34", "J4471K-Q"])
def test_known_ids_with_many_letters_are_found_in_any_spelling(nlp, value):
    plain = re.sub(r"\W", "", value)
    written = [value, plain, plain.lower(), f"{plain[:3]} {plain[3:]}", "-".join(plain)]
    for text in written:
        assert find(nlp, f"see {text} there", {"MEDICALRECORD": value}) == [(text, "MEDICALRECORD")]


@pytest.mark.parametrize("value", ["41882", "0041882"])
@pytest.mark.parametrize("written", ["41882", "0041882", "00000041882"])
def test_known_numbers_are_found_with_any_zeros_in_front(nlp, value, written):
    found = find(nlp, f"see {written} there", {"MEDICALRECORD": value})
    assert found == [(written, "MEDICALRECORD")]


@pytest.mark.parametrize(("value", "found"), [("002067", ["02067"]), ("2067", ["2067", "02067"])])
def test_a_short_number_is_known_with_zeros_or_as_it_is_given(nlp, value, found):
    assert find(nlp, "in 2067, 02067", {"MEDICALRECORD": value}) == [
        (written, "MEDICALRECORD") for written in found
    ]


@pytest.mark.parametrize("before", ["potassium 4.0", "BP 120/0", "WBC 9.0,", "sodium 140"])
@pytest.mark.parametrize("written", ["41882", "0041882"])
def test_a_zero_of_a_value_before_it_is_no_part_of_a_known_number(nlp, before, written):
    found = find(nlp, f"{before} {written}", {"MEDICALRECORD": "0041882"})
    assert found == [(written, "MEDICALRECORD")]


def test_a_known_number_stands_after_any_sign(nlp):
    found = find(nlp, "12,0041882 1/0041882 1,041882", {"MEDICALRECORD": "41882"})
    assert [text for text, _ in found] == ["0041882", "0041882", "041882"]


@pytest.mark.parametrize("value", ["ABC_1234", "PAT#0001", "UHID:AB/1234", "A-12", "\u00dcnit1234"])
def test_known_ids_are_found_as_they_are_given(nlp, value):
    found = find(nlp, f"see {value} there", {"MEDICALRECORD": value})
    assert found == [(value, "MEDICALRECORD")]


def test_known_scores(nlp):
    ((doc, _),) = nlp.pipe([("Whitacre, Whitcare", {KNOWN: FACTS})], as_tuples=True)
    assert [score for _, score in read_candidates(doc, "phi_known")] == [EXACT]
    ((doc, _),) = nlp.pipe([("Mr. Whitcare", {KNOWN: FACTS})], as_tuples=True)
    assert [score for _, score in read_candidates(doc, "phi_known")] == [ALIKE]


def test_no_threshold_drops_what_is_known(nlp):
    with using_threshold(nlp, 0.95):
        ((doc, _),) = nlp.pipe([("Mrs. Whitcare said Will came", {KNOWN: FACTS})], as_tuples=True)
    assert [ent.text for ent in doc.ents] == ["Whitcare", "Will"]


def test_facts_may_come_with_the_doc(nlp):
    doc = nlp.make_doc("Maria called.")
    doc.user_data[KNOWN] = {"PATIENT": ["Maria Lopez"]}
    (done,) = nlp.pipe([doc])
    assert [ent.text for ent in done.ents] == ["Maria"]


@pytest.mark.parametrize("context", [None, "id 7", {}, {KNOWN: {}}, {KNOWN: {"PATIENT": [" "]}}])
def test_without_facts_nothing_is_known(nlp, context):
    ((doc, _),) = nlp.pipe([("Maria Lopez, 3/4/1956", context)], as_tuples=True)
    assert "phi_known" in doc.spans and not doc.ents


@pytest.mark.parametrize(
    "values",
    [None, float("nan"), ["Orville Roe", None], "None", "Unknown", "TEST, PATIENT", "N/A", "null"],
)
def test_what_stands_for_no_value_is_not_known(nlp, values):
    text = "None of them. Unknown cause. N/A. A test of the Patient, Null result, NaN."
    assert not find(nlp, text, {"PATIENT": values, "CITY": values})
    check_known({"PATIENT": values, "DATE": None})


def test_a_name_like_no_value_is_known(nlp):
    assert find(nlp, "Does Nan eat?", {"PATIENT": ["Nan"]}) == [("Nan", "PATIENT")]


def test_a_number_may_be_known(nlp):
    assert find(nlp, "MRN 4471902", {"MEDICALRECORD": 4471902}) == [("4471902", "MEDICALRECORD")]


@pytest.mark.parametrize(
    "facts, message",
    [
        ({"NAME": ["Ann"]}, "unknown PHI type 'NAME'"),
        ({"DATE": ["March 4"]}, "year-month-day"),
        ({"PATIENT": map(str.strip, ["Ann"])}, "read only once; give a list"),
    ],
)
def test_bad_facts_are_refused_without_their_values(nlp, facts, message):
    with pytest.raises(ValueError, match=message) as error:
        find(nlp, "x", facts)
    assert "March" not in str(error.value)


def test_facts_of_one_note_stay_with_it(nlp):
    texts = ["Maria and Wei", "Maria and Wei"]
    contexts = [{KNOWN: {"PATIENT": ["Maria Roe"]}}, {KNOWN: {"DOCTOR": ["Wei Roe"]}}]
    docs = nlp.pipe(zip(texts, contexts, strict=True), as_tuples=True, n_process=2)
    assert [[ent.text for ent in doc.ents] for doc, _ in docs] == [["Maria"], ["Wei"]]


def test_known_survives_disk_and_pickle(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    assert find(spacy.load(tmp_path), "Maria") == [("Maria", "PATIENT")]
    assert pickle.loads(pickle.dumps(nlp.get_pipe("phi_known"))).name == "phi_known"


@pytest.mark.parametrize("value", ["7", "123", "A1"])
def test_short_values_have_no_form(value):
    assert forms_of("MEDICALRECORD", value) == []


@pytest.mark.parametrize(
    "one, other, expected",
    [
        ("lopez", "lopes", True),
        ("lopez", "lopz", True),
        ("lopez", "loopez", True),
        ("lopez", "loepz", True),
        ("lopez", "lopezz", True),
        ("lopez", "lopez", False),
        ("lopez", "opez", False),
        ("lopez", "lipes", False),
        ("lopez", "lope", True),
    ],
)
def test_one_edit_apart(one, other, expected):
    assert one_edit_apart(one, other) is one_edit_apart(other, one) is expected


@given(st.text("abcd", min_size=3, max_size=6), st.integers(1, 5), st.sampled_from("xyz"))
def test_a_changed_letter_is_one_edit(word, place, letter):
    place = min(place, len(word) - 1)
    assert one_edit_apart(word, word[:place] + letter + word[place + 1 :])


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("written", ["NFC", "NFD"])
def test_accents_may_be_letters_or_marks_of_their_own(nlp, form, written):
    facts = {
        "PATIENT": normalize(form, "Zo\u00eb M\u00fcller"),
        "CITY": [normalize(form, "Besan\u00e7on")],
    }
    text = normalize(written, "Spoke with Zo\u00eb M\u00fcller of Besan\u00e7on.")
    found = find(nlp, text, facts)
    assert [(normalize("NFC", value), label) for value, label in found] == [
        ("Zo\u00eb M\u00fcller", "PATIENT"),
        ("Besan\u00e7on", "CITY"),
    ]


@pytest.mark.parametrize("number", [418820.0, "418820.0"])
def test_numbers_are_known_as_tables_give_them(nlp, number):
    assert find(nlp, "see 418820 there", {"MEDICALRECORD": [number, np.float32("nan"), pd.NA]}) == [
        ("418820", "MEDICALRECORD")
    ]
