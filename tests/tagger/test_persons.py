import numpy as np
import pytest
import spacy

from spacy_deid.tagger.persons import Candidate, agree_on_persons

LABELS = ("DATE", "DOCTOR", "PATIENT")


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("en")


def agree(nlp, *mentions: tuple[str, str, float], labels=LABELS) -> list[str]:
    """Types of mentions given as (text, type, chance that it is a patient and no doctor)."""
    doc = nlp.make_doc(" / ".join(text for text, _, _ in mentions))
    found, start = [], 0
    for text, label, patient in mentions:
        end = start + len(nlp.make_doc(text))
        by_type = np.array([[0.0, 1 - patient, patient]] * (end - start))
        found.append(Candidate(start, end, label, 0.9, by_type))
        start = end + 1
    return [mention.label for mention in agree_on_persons(doc, found, labels)]


@pytest.mark.parametrize(
    "first, second",
    [
        ("Araceli Ruiz", "Ruiz"),
        ("RUIZ , ARACELI", "Araceli"),
        ("Ruiz", "ruiz"),
        ("B Ruiz", "Ruiz , Buford"),
        ("B. Ruiz", "Ruiz"),
        ("Ana Isabel Maria Sol Luz Vega de Ruiz", "Ruiz"),
    ],
)
def test_the_surer_mention_of_a_person_gives_the_type(nlp, first, second):
    assert agree(nlp, (first, "PATIENT", 0.99), (second, "DOCTOR", 0.4)) == ["PATIENT"] * 2
    assert agree(nlp, (first, "PATIENT", 0.6), (second, "DOCTOR", 0.01)) == ["DOCTOR"] * 2


def test_mentions_add_up(nlp):
    mentions = [("Ruiz", "PATIENT", 0.95), ("Ruiz", "DOCTOR", 0.1), ("Ana Ruiz", "DOCTOR", 0.1)]
    assert agree(nlp, *mentions) == ["DOCTOR"] * 3


@pytest.mark.parametrize(
    "mentions",
    [
        [("Ana Ruiz", "PATIENT", 0.99), ("Bo Ruiz", "DOCTOR", 0.4)],  # a surname in common
        [("Ana Ruiz", "PATIENT", 0.99), ("Lee", "DOCTOR", 0.4)],
        [("K. Ruiz", "PATIENT", 0.99), ("J. Ruiz", "DOCTOR", 0.4)],
        [("K. Ruiz", "PATIENT", 0.99), ("Jane Ruiz", "DOCTOR", 0.4)],
        [("Ana O'Neil", "PATIENT", 0.99), ("Ana O'Connor", "DOCTOR", 0.4)],
        [("Ana Mun\u0303oz", "PATIENT", 0.99), ("Ana Nu\u0301n\u0303ez", "DOCTOR", 0.4)],
        [("Ana Ruiz", "PATIENT", 0.999), ("Ruiz", "DOCTOR", 0.001)],  # two beyond doubt
        [("E. B. L.", "PATIENT", 0.99), ("E. Ruiz", "DOCTOR", 0.4)],  # initials
        [("May", "DATE", 0.5), ("May", "DOCTOR", 0.4)],
        [("Ruiz", "PATIENT", 0.4), ("Ruiz", "PATIENT", 0.4)],  # the path's type stands unopposed
    ],
)
def test_others_keep_their_types(nlp, mentions):
    assert agree(nlp, *mentions) == [label for _, label, _ in mentions]


def test_a_namesake_does_not_join_two_others(nlp):
    mentions = [("Ana Ruiz", "PATIENT", 0.99), ("Bo Ruiz", "DOCTOR", 0.01), ("Ruiz", "DOCTOR", 0.3)]
    assert agree(nlp, *mentions) == ["PATIENT", "DOCTOR", "DOCTOR"]


def test_types_without_persons_are_left_alone(nlp):
    assert agree(nlp, ("May", "DATE", 0.5), labels=("AGE", "DATE", "ZIP")) == ["DATE"]
