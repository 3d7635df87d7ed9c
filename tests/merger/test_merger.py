from __future__ import annotations

import pickle

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin, Span

from spacy_deid.annotation.candidates import write_candidates
from spacy_deid.merger import PHI_GROUP, PhiMerger, propagation, set_threshold, using_threshold
from spacy_deid.redaction import RedactionError

SUPPORT = {"phi_matcher": "phi_tagger"}
WORD_TEXT = "Seen March 4 , 2067 per Dr. Lee near Mercy"


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("en", config={"nlp": {"tokenizer": TOKENIZER}})


TOKENIZER = {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}


def merge(nlp, text, rules=(), tagger=(), **settings):
    """Merge candidates given as (text of the span, type, score) and return the doc."""
    doc = nlp.make_doc(text)
    for detector, candidates in (("phi_matcher", rules), ("phi_tagger", tagger)):
        write_candidates(doc, detector, [(find(doc, *c[:2]), c[2]) for c in candidates])
    settings.setdefault("propagate", False)
    merger = PhiMerger(nlp, detectors=["phi_matcher", "phi_tagger"], **settings)
    return merger(doc)


def find(doc, text, label):
    start = doc.text.index(text)
    end = start + len(text)
    return doc.char_span(start, end, label=label, span_id=f"rule_{label}", alignment_mode="expand")


def ents(doc):
    return [(ent.text, ent.label_) for ent in doc.ents]


def test_merger_keeps_what_does_not_overlap(nlp):
    doc = merge(nlp, WORD_TEXT, [("2067", "DATE", 0.9)], [("Lee", "DOCTOR", 0.8)])
    assert ents(doc) == [("2067", "DATE"), ("Lee", "DOCTOR")]
    group = doc.spans[PHI_GROUP]
    assert [span.id_ for span in group] == ["rule_DATE", "rule_DOCTOR"]
    assert group.attrs["sources"] == ["phi_matcher", "phi_tagger"]
    assert group.attrs["scores"] == [0.9, 0.8]
    assert [token.ent_iob_ for token in doc][:2] == ["O", "O"]


def test_merger_first_detector_wins(nlp):
    doc = merge(nlp, WORD_TEXT, [("Lee", "DOCTOR", 0.9)], [("Lee", "PATIENT", 0.99)])
    assert ents(doc) == [("Lee", "DOCTOR")]
    assert doc.spans[PHI_GROUP].attrs["sources"] == ["phi_matcher"]


def test_merger_order_is_a_setting(nlp):
    doc = merge(nlp, WORD_TEXT, [("Lee", "DOCTOR", 0.9)], [("Lee", "PATIENT", 0.99)])
    merger = PhiMerger(nlp, detectors=["phi_tagger", "phi_matcher"], propagate=False)
    assert ents(merger(doc)) == [("Lee", "PATIENT")]


@pytest.mark.parametrize(
    "rule, tagger, winner",
    [
        (0.9, 0.95, "CITY"),
        (0.89, 0.95, "HOSPITAL"),
        (0.89, 0.6, "CITY"),
        (0.6, 0.7, "HOSPITAL"),
        (0.95, 0.6, "CITY"),
    ],
)
def test_merger_ranks_guesses_by_score(nlp, rule, tagger, winner):
    doc = merge(nlp, WORD_TEXT, [("Mercy", "CITY", rule)], [("Mercy", "HOSPITAL", tagger)])
    assert ents(doc) == [("Mercy", winner)]


def test_merger_sure_score_zero_ranks_by_detector_alone(nlp):
    rule, tagger = [("Mercy", "CITY", 0.6)], [("Mercy", "HOSPITAL", 0.9)]
    assert ents(merge(nlp, WORD_TEXT, rule, tagger, sure_score=0.0)) == [("Mercy", "CITY")]


@pytest.mark.parametrize(
    "settings, found",
    [
        ({}, ["Seen"]),
        ({"threshold": 0.3}, ["Seen", "Lee"]),
        ({"threshold": 0.29}, ["Seen", "Lee", "Mercy"]),
        ({"threshold": 0.51}, []),
        ({"type_thresholds": {"HOSPITAL": 0.1}}, ["Seen", "Mercy"]),
    ],
)
def test_merger_thresholds(nlp, settings, found):
    tagger = [("Seen", "CITY", 0.5), ("Lee", "DOCTOR", 0.3), ("Mercy", "HOSPITAL", 0.29)]
    doc = merge(nlp, WORD_TEXT, [], tagger, **settings)
    assert {text for text, _ in ents(doc)} == set(found)


@pytest.mark.parametrize(
    "rule, tagger, settings, found",
    [
        (0.7, [], {}, []),
        (0.7, [], {"threshold": 0.05}, [("Mercy", "CITY")]),  # a tenth of 0.7 is left
        (0.7, [("Lee", "DOCTOR", 0.02)], {}, []),
        (0.7, [("Mercy", "HOSPITAL", 0.02)], {}, [("Mercy", "CITY")]),
        (0.96, [], {}, []),
        (0.97, [], {}, [("Mercy", "CITY")]),  # all but certain
        (0.7, [], {"second_opinions": {}}, [("Mercy", "CITY")]),
        (0.7, [], {"second_opinions": {"phi_tagger": "phi_matcher"}}, [("Mercy", "CITY")]),
    ],
)
def test_merger_drops_candidates_without_support(nlp, rule, tagger, settings, found):
    settings = {"second_opinions": SUPPORT, "threshold": 0.3, **settings}
    assert ents(merge(nlp, WORD_TEXT, [("Mercy", "CITY", rule)], tagger, **settings)) == found


@pytest.mark.parametrize(
    "rule, tagger, winner",
    [
        (0.97, 0.99, "CITY"),
        (0.96, 0.99, "HOSPITAL"),
        (0.96, 0.9, "HOSPITAL"),  # sure
        (0.96, 0.89, "CITY"),
        (0.74, 0.5, "HOSPITAL"),
    ],
)
def test_merger_supporting_detector_comes_before_uncertain_rules(nlp, rule, tagger, winner):
    candidates = [("Mercy", "CITY", rule)], [("Mercy", "HOSPITAL", tagger)]
    doc = merge(nlp, WORD_TEXT, *candidates, second_opinions=SUPPORT)
    assert ents(doc) == [("Mercy", winner)]


@pytest.mark.parametrize(
    "rule, decided, label, kept",
    [
        (0.7, "DATE", "DATE", "4 , 2067"),
        (0.96, "DATE", "DATE", "4 , 2067"),
        (0.97, "DATE", "DATE", "March 4 , 2067 per"),
        (0.96, "AGE", "DATE", "March 4 , 2067 per"),  # it does not find the same
        (0.96, "IDNUM", "IDNUM", "March 4 , 2067 per"),  # rules know best
    ],
)
def test_merger_trims_ends_without_support(nlp, rule, decided, label, kept):
    rules = [("March 4 , 2067 per", label, rule)]
    tagger = [("4", decided, 0.74), ("2067", "ZIP", 0.02)]
    doc = merge(nlp, WORD_TEXT, rules, tagger, second_opinions=SUPPORT, threshold=0.3)
    assert " ".join(text for text, _ in ents(doc)) == kept


def test_merger_sure_rules_for_identifiers_come_before_the_supporting_detector(nlp):
    candidates = [("2067", "HEALTHPLAN", 0.9)], [("2067", "IDNUM", 0.99)]
    doc = merge(nlp, WORD_TEXT, *candidates, second_opinions=SUPPORT)
    assert ents(doc) == [("2067", "HEALTHPLAN")]


def test_merger_needs_no_support_for_a_type_the_supporting_detector_lacks(nlp):
    doc = nlp.make_doc(WORD_TEXT)
    write_candidates(doc, "phi_matcher", [(find(doc, "Mercy", "CITY"), 0.7)])
    write_candidates(doc, "phi_tagger", [])
    merger = PhiMerger(nlp, detectors=[*SUPPORT, *SUPPORT.values()], second_opinions=SUPPORT)
    doc.spans["phi_tagger"].attrs["types"] = ["DATE"]
    assert ents(merger(doc)) == [("Mercy", "CITY")]
    doc.spans["phi_tagger"].attrs["types"] = ["DATE", "CITY"]
    assert ents(merger(doc)) == []


def test_merger_needs_no_support_for_known_patient_data(nlp):
    doc = nlp.make_doc(WORD_TEXT)
    write_candidates(doc, "phi_known", [(find(doc, "Lee", "DOCTOR"), 0.7)])
    write_candidates(doc, "phi_matcher", [])
    write_candidates(doc, "phi_tagger", [])
    detectors = ["phi_known", *SUPPORT, *SUPPORT.values()]
    assert ents(PhiMerger(nlp, detectors=detectors, second_opinions=SUPPORT)(doc)) == [
        ("Lee", "DOCTOR")
    ]


def test_merger_joins_undecided_neighbours_of_one_type(nlp):
    tagger = [("March", "DATE", 0.2), ("4", "DATE", 0.3), (",", "CITY", 0.3), ("2067", "DATE", 0.3)]
    doc = merge(nlp, WORD_TEXT, [], tagger, threshold=0.1)
    assert ents(doc) == [("March 4", "DATE"), ("2067", "DATE")]
    assert doc.spans[PHI_GROUP].attrs["scores"] == [0.3, 0.3]
    decided = [("March", "DATE", 0.5), ("4", "DATE", 0.5)]
    assert len(merge(nlp, WORD_TEXT, [], decided).ents) == 2


@pytest.mark.parametrize(("first", "second"), [(0.4, 0.9), (0.9, 0.4)])
def test_merger_joins_an_undecided_piece_to_its_decided_neighbour(nlp, first, second):
    tagger = [("March", "DATE", first), ("4", "DATE", second), (",", "CITY", 0.4)]
    doc = merge(nlp, WORD_TEXT, [], tagger, threshold=0.3)
    assert ents(doc) == [("March 4", "DATE")]
    assert doc.spans[PHI_GROUP].attrs["scores"] == [0.9]


def test_merger_joins_nothing_over_a_line_break(nlp):
    tagger = [("Lee", "DOCTOR", 0.9), ("\n", "DOCTOR", 0.4), ("Mo", "DOCTOR", 0.4)]
    doc = merge(nlp, "per Lee\nMo went", [], tagger, threshold=0.3)
    assert ents(doc) == [("Lee", "DOCTOR"), ("Mo", "DOCTOR")]


@pytest.mark.parametrize(
    "loser", ["March 4 , 2067", "Seen March 4 , 2067 per", "2067 per", "March 4 , 2067 per Dr. Lee"]
)
def test_merger_loser_of_the_same_type_makes_the_winner_longer(nlp, loser):
    doc = merge(nlp, WORD_TEXT, [("2067", "DATE", 0.9)], [(loser, "DATE", 0.95)])
    assert ents(doc) == [(loser, "DATE")]
    assert doc.spans[PHI_GROUP].attrs == {"sources": ["phi_matcher+phi_tagger"], "scores": [0.95]}
    assert doc.ents[0].id_ == "rule_DATE"


def test_merger_loser_keeps_what_the_winner_leaves(nlp):
    doc = merge(nlp, WORD_TEXT, [("2067", "IDNUM", 0.9)], [("March 4 , 2067 per", "DATE", 0.95)])
    assert ents(doc) == [("March 4", "DATE"), ("2067", "IDNUM"), ("per", "DATE")]
    assert doc.spans[PHI_GROUP].attrs["sources"] == ["phi_tagger", "phi_matcher", "phi_tagger"]


def test_merger_loser_does_not_join_two_winners(nlp):
    text = "Stay 3/4/67 - 3/9/67 ."
    rules = [("3/4/67", "DATE", 0.9), ("3/9/67", "DATE", 0.9)]
    doc = merge(nlp, text, rules, [("3/4/67 - 3/9/67 .", "DATE", 0.9)])
    assert ents(doc) == [("3/4/67", "DATE"), ("3/9/67", "DATE")]
    assert doc.spans[PHI_GROUP].attrs["sources"] == ["phi_matcher+phi_tagger"] * 2


def test_merger_loses_no_letter_or_digit(nlp):
    """Whatever overlaps, each token of a candidate is in some entity."""
    text = "a b c d e f g h"
    rules = [("b c", "CITY", 0.95), ("c d e", "STATE", 0.9), ("e f", "CITY", 0.5)]
    tagger = [("a b c d", "CITY", 0.9), ("d e f g", "STATE", 0.6), ("f g h", "ZIP", 0.9)]
    doc = merge(nlp, text, rules, tagger)
    assert [token.text for token in doc if token.ent_type_] == text.split()
    assert ents(doc) == [
        ("a", "CITY"),
        ("b c", "CITY"),
        ("d e", "STATE"),
        ("f g h", "ZIP"),
    ]


BLANK = spacy.blank("en")
CANDIDATES = st.lists(
    st.tuples(
        st.integers(0, 9),
        st.integers(1, 5),
        st.sampled_from(["PATIENT", "CITY", "DATE"]),
        st.floats(0.5, 1),
    ),
    max_size=8,
)


@given(CANDIDATES, CANDIDATES, st.booleans())
def test_merger_covers_every_candidate_and_no_more(rules, tagger, propagate):
    doc = Doc(BLANK.vocab, words=["ab", "-", "cd", "12", ",", "Ef", ".", "gh", "\n", "Ij"])
    wanted = set()
    for detector, rows in (("rules", rules), ("tagger", tagger)):
        spans = [(doc[start : start + n], label, score) for start, n, label, score in rows]
        candidates = [(Span(doc, s.start, s.end, label=label), score) for s, label, score in spans]
        write_candidates(doc, detector, candidates)
        wanted |= {token.i for span, _, _ in spans for token in span if token.text.isalnum()}
    PhiMerger(BLANK, detectors=["rules", "tagger"], propagate=propagate)(doc)
    found = {token.i for ent in doc.ents for token in ent if token.text.isalnum()}
    assert found == wanted
    assert all(ent[0].text.isalnum() and ent[-1].text.isalnum() for ent in doc.ents)


def test_merger_within_a_detector_the_better_score_then_the_longer_wins(nlp):
    rules = [("Mercy", "CITY", 0.8), ("near Mercy", "STREET", 0.8), ("Mercy", "HOSPITAL", 0.9)]
    assert ents(merge(nlp, WORD_TEXT, rules)) == [("near", "STREET"), ("Mercy", "HOSPITAL")]
    assert ents(merge(nlp, WORD_TEXT, rules[:2])) == [("near Mercy", "STREET")]


def test_merger_does_not_depend_on_the_order_of_candidates(nlp):
    rules = [("near Mercy", "STREET", 0.8), ("Mercy", "CITY", 0.8), ("Lee near", "DOCTOR", 0.8)]
    outcomes = {tuple(ents(merge(nlp, WORD_TEXT, order))) for order in (rules, rules[::-1])}
    assert len(outcomes) == 1


@pytest.mark.parametrize(
    "text, label, trimmed",
    [
        ("Dr. Lee", "DOCTOR", "Lee"),
        ("Mr. vs", "DATE", "Mr. vs"),
        ("at Mercy in", "HOSPITAL", "Mercy"),
        ("DR. LEE", "PATIENT", "LEE"),
        ("Professor Dr Lee", "DOCTOR", "Lee"),
        ("Dott. Lee", "DOCTOR", "Lee"),
        ("Frau Lee", "PATIENT", "Lee"),
        ("Lan Do", "DOCTOR", "Lan Do"),
        ("LAN DO", "DOCTOR", "LAN DO"),
        ("MD", "DOCTOR", "MD"),
        ("Lee's", "PATIENT", "Lee"),
        ("Dr. Lee's", "DOCTOR", "Lee"),
        ("St. Alban's", "HOSPITAL", "St. Alban's"),
        ("'89", "DATE", "'89"),
        ("'s", "HOSPITAL", None),
        ("Lee\n", "PATIENT", "Lee"),
        (", Lee -", "PATIENT", "Lee"),
        ("O'Brien", "PATIENT", "O'Brien"),
        ("(412) 555-0116", "PHONE", "(412) 555-0116"),
        ("(412", "PHONE", "412"),
        ("+1 412", "PHONE", "+1 412"),
        ("(Lee)", "PATIENT", "(Lee)"),
        ("Lee)", "PATIENT", "Lee"),
        ("Maria L.", "PATIENT", "Maria L."),
        ("14 Oak St.", "STREET", "14 Oak St."),
        ("Mercy.", "HOSPITAL", "Mercy"),
    ],
)
def test_merger_trims_the_ends(nlp, text, label, trimmed):
    doc = merge(nlp, f"x {text} y", [(text, label, 0.9)])
    assert ents(doc) == ([(trimmed, label)] if trimmed else [])


def test_merger_drops_mere_punctuation(nlp):
    doc = merge(nlp, "x -- \n y", [("-- \n", "DATE", 0.9)])
    assert ents(doc) == []


NAME_TEXT = "Maria Lopez came. LOPEZ and maria: Ms. Lopez-Maria, lopez. Maria\nLopez's"


def test_merger_finds_a_name_everywhere(nlp):
    doc = merge(nlp, NAME_TEXT, [("Maria Lopez", "PATIENT", 0.9)], propagate=True)
    assert [ent.text for ent in doc.ents] == [
        "Maria Lopez",
        "LOPEZ",
        "Lopez",
        "Maria",
        "Maria",
        "Lopez",
    ]
    group = doc.spans[PHI_GROUP]
    assert group[1].id_ == "same_name"
    assert group.attrs["sources"] == ["phi_matcher"] + ["phi_merger"] * 5


def test_merger_name_grows_what_was_found_in_part(nlp):
    doc = merge(
        nlp,
        "Maria Lopez. Maria Lopez.",
        [("Maria Lopez", "PATIENT", 0.9)],
        propagate=True,
    )
    assert len(doc.ents) == 2
    text = "Lopez, Maria; seen: Lopez with Maria Lopez"
    doc = nlp.make_doc(text)
    spans = [Span(doc, 0, 3, label="PATIENT"), Span(doc, 8, 9, label="PATIENT")]
    write_candidates(doc, "rules", [(span, 0.9) for span in spans])
    PhiMerger(nlp, detectors=["rules"])(doc)
    assert [ent.text for ent in doc.ents] == ["Lopez, Maria", "Lopez", "Maria Lopez"]


def test_merger_finds_a_possessive_without_its_apostrophe(nlp):
    text = "Noora: wandas meds, Nooras fever, nooras inhaler, noora"
    doc = merge(nlp, text, [("Noora", "PATIENT", 0.9)], propagate=True)
    assert [ent.text for ent in doc.ents] == ["Noora", "Nooras", "nooras"]


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("Otto Lamb. That's l a m b, yes", ["l a m b"]),
        ("Otto Lamb: O-T-T-O L-A-M-B", ["O-T-T-O", "L-A-M-B"]),
        ("Otto Lamb: O. T. T. O.  then a b c d", ["O. T. T. O"]),
        ("Otto Lamb: l a m, a l a m e", []),
    ],
)
def test_merger_finds_a_name_spelled_out(nlp, text, spelled):
    tagged = [("Otto Lamb", "PATIENT", 0.9)]
    doc = merge(nlp, text, (), tagged, second_opinions=SUPPORT, propagate=True)
    assert [ent.text for ent in doc.ents] == ["Otto Lamb", *spelled]


def test_merger_completes_codes(nlp):
    doc = merge(nlp, "tail N417RX came", [("N417", "VEHICLE", 0.9)])
    assert ents(doc) == [("N417RX", "VEHICLE")]


@pytest.mark.parametrize(
    "name, rest, score, label",
    [
        ("Al Vu", "X ; VU", 0.9, "PATIENT"),  # too short
        ("Wilson", "has Wilson disease and Wilson's disease", 0.9, "PATIENT"),
        ("Lopez", "; Lopez", 0.6, "PATIENT"),  # not sure enough
        ("Harrow", "harrow", 0.9, "PATIENT"),  # in small letters
        ("Mercy", "Mercy again", 0.9, "CITY"),
        ("OBX", "OBX ; OBX", 0.9, "DOCTOR"),  # initials, or a code
        ("Gallatin Heart", "Gallatin again", 0.9, "HOSPITAL"),
    ],
)
def test_merger_does_not_propagate_ambiguous_names(nlp, name, rest, score, label):
    doc = merge(nlp, f"{name} : {rest}", [(name, label, score)], propagate=True)
    assert ents(doc) == [(name, label)]


@pytest.mark.parametrize("name", ["UIHC", "MGH"])
def test_merger_finds_a_hospital_of_one_word_everywhere(nlp, name):
    doc = merge(nlp, f"at {name} ; {name} records", [(name, "HOSPITAL", 0.9)], propagate=True)
    assert ents(doc) == [(name, "HOSPITAL"), (name, "HOSPITAL")]


def test_merger_names_respect_what_was_found(nlp):
    doc = merge(
        nlp,
        "Mary Lopez of St. Mary Hospital",
        [("Mary Lopez", "PATIENT", 0.9), ("St. Mary Hospital", "HOSPITAL", 0.8)],
        propagate=True,
    )
    assert ents(doc) == [("Mary Lopez", "PATIENT"), ("St. Mary Hospital", "HOSPITAL")]


STAFF_TEXT = "Bola K. Adeyinka-Young, RN. At 9 ba left, bkay back. BY: young pain 3/10 if able"


@pytest.mark.parametrize(
    "candidates, found",
    [
        (["ba"], []),  # neither the last nor all initials
        (["bkay"], ["bkay"]),
        (["BY"], ["BY"]),
        (["young"], ["young"]),
        (["pain", "3", "if"], []),
        ([], []),
    ],
)
def test_merger_propagates_to_weak_candidates(nlp, candidates, found, monkeypatch):
    monkeypatch.setattr(propagation, "in_word_list", lambda *args: True)  # common words all
    rules = [("Bola K. Adeyinka-Young", "DOCTOR", 0.97)]
    tagger = [(word, "CITY", 0.02) for word in candidates]
    doc = merge(nlp, STAFF_TEXT, rules, tagger, propagate=True, second_opinions=SUPPORT)
    assert ents(doc)[1:] == [(word, "DOCTOR") for word in found]
    alone = merge(nlp, STAFF_TEXT, rules, tagger, propagate=True)
    assert len(alone.ents) == 1


@pytest.mark.parametrize(
    "label, found",
    [
        ("DOCTOR", [("HMcC", "DOCTOR"), ("hmccabe2", "USERNAME")]),
        ("PATIENT", [("hmccabe2", "USERNAME")]),
        ("CITY", []),
    ],
)
def test_merger_finds_initials_and_login_names_that_are_no_words(nlp, label, found, monkeypatch):
    monkeypatch.setattr(propagation, "in_word_list", lambda vocab, lower, *_: lower == "hmm")
    text = "Hannah Mary McCabe. 0900 HMcC: agree. HMM, hm. By hmccabe2"
    doc = merge(nlp, text, [("Hannah Mary McCabe", label, 0.97)], propagate=True)
    assert ents(doc)[1:] == found


def test_merger_does_not_propagate_the_initials_of_a_patient(nlp):
    tagger = [("Ann Young", "PATIENT", 0.9), ("ay", "DOCTOR", 0.2)]
    settings = {"propagate": True, "second_opinions": SUPPORT}
    assert len(merge(nlp, "Ann Young: ay is better", [], tagger, **settings).ents) == 1


def test_merger_common_words_are_not_looked_for(nlp, monkeypatch):
    def is_young(vocab, lower, *word_lists):
        return "common_word" in word_lists and lower == "young"

    monkeypatch.setattr(propagation, "in_word_list", is_young)
    text = "Ann Young: Young adult. Ann"
    doc = merge(nlp, text, [("Ann Young", "PATIENT", 0.9)], propagate=True)
    assert [ent.text for ent in doc.ents] == ["Ann Young", "Ann"]


@pytest.mark.parametrize("score", [0.9, 0.1])
def test_merger_other_labels_fail(nlp, score):
    with pytest.raises(RedactionError, match="of the detector 'phi_tagger' is not a PHI") as error:
        merge(nlp, WORD_TEXT, [("2067", "DATE", 0.9)], [("Lee", "Lee", score)])
    assert "Lee" not in str(error.value)


def test_merger_missing_detector_fails(nlp):
    doc = nlp.make_doc("Maria Lopez")
    doc.spans[PHI_GROUP] = []
    with pytest.raises(ValueError, match="'phi_tagger', which did not run") as error:
        PhiMerger(nlp, detectors=["phi_tagger"])(doc)
    assert "Lopez" not in str(error.value)
    assert PHI_GROUP not in doc.spans  # the mark of an earlier run is gone


def test_merger_refuses_candidates_that_no_detector_wrote(nlp):
    doc = nlp.make_doc("Maria Lopez")
    doc.spans["phi_tagger"] = [Span(doc, 0, 1, label="PATIENT")]
    with pytest.raises(ValueError, match="'phi_tagger' has 1 spans and 0 scores: let no other"):
        PhiMerger(nlp, detectors=["phi_tagger"])(doc)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"strategy": "best"}, "unknown strategy"),
        ({"type_thresholds": {"NAME": 0.5}}, "'NAME'"),
        ({"second_opinions": SUPPORT}, "'phi_tagger', which is not among"),
        ({"threshold": 30}, "threshold is 30, but must be a confidence"),
        ({"threshold": -1}, "threshold is -1"),
        ({"threshold": "0.3"}, "threshold is '0.3', but must be a confidence"),
        ({"threshold": float("nan")}, "threshold is nan"),
        ({"type_thresholds": {"DOCTOR": 5}}, "the threshold of DOCTOR is 5"),
    ],
)
def test_merger_bad_settings_fail(nlp, settings, message):
    with pytest.raises(ValueError, match=message):
        PhiMerger(nlp, detectors=["phi_matcher"], **settings)


def test_merger_bad_threshold_fails_later_too(nlp):
    merger = PhiMerger(nlp, detectors=["phi_matcher"])
    with pytest.raises(ValueError, match="threshold is 1,"):
        merger.threshold = 1
    assert merger.threshold == 0.5


@pytest.mark.parametrize(
    ("score", "tagged", "found"),
    [
        (0.93, [("Harrow", "DOCTOR", 0.2)], 1),  # an unsure rule alone
        (0.98, [], 2),
        (0.93, [("Harrow", "DOCTOR", 0.95)], 2),
    ],
)
def test_merger_does_not_propagate_unsupported_rules(nlp, score, tagged, found):
    text = "signed Harrow ; the Harrow building , the harrow"
    doc = merge(
        nlp,
        text,
        [("Harrow", "DOCTOR", score)],
        tagged,
        second_opinions=SUPPORT,
        propagate=True,
    )
    assert [ent.text for ent in doc.ents] == ["Harrow"] * found


@pytest.mark.timeout(60)
def test_merger_is_linear(nlp):
    """10,000 names and candidates in one note take a second; were it quadratic, minutes."""
    words = [f"Name{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}" for i in range(20_000)]
    doc = Doc(nlp.vocab, words=words)
    spans = [(Span(doc, i, i + 3, label="PATIENT"), 0.9) for i in range(0, 20_000 - 3, 2)]
    write_candidates(doc, "rules", spans)
    assert PhiMerger(nlp, detectors=["rules"])(doc).ents


@spacy.Language.component("toy_names")
def toy_names(doc):
    spans = [Span(doc, t.i, t.i + 1, label="PATIENT", span_id="toy") for t in doc if t.is_title]
    write_candidates(doc, "toy_names", [(span, 0.9) for span in spans])
    return doc


@pytest.fixture
def pipeline():
    nlp = spacy.blank("en")
    nlp.add_pipe("toy_names")
    nlp.add_pipe(
        "phi_merger", config={"detectors": ["toy_names"], "type_thresholds": {"CITY": 0.6}}
    )
    return nlp


TEXTS = ["Maria came with LOPEZ and Lopez.", "", " \n ", "nobody"]


def marks(doc):
    group = doc.spans[PHI_GROUP]
    return [(span.start, span.end, span.label_, span.id_) for span in group], dict(group.attrs)


@pytest.mark.parametrize("n_process", [1, 2])
def test_merger_pipe_equals_call(pipeline, n_process):
    docs = list(pipeline.pipe(TEXTS, n_process=n_process))
    assert [marks(doc) for doc in docs] == [marks(pipeline(text)) for text in TEXTS]
    assert [len(doc.ents) for doc in docs] == [3, 0, 0, 0]


def test_merger_survives_disk_bytes_and_pickle(pipeline, tmp_path):
    expected = marks(pipeline(TEXTS[0]))
    pipeline.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    copied = pickle.loads(pickle.dumps(pipeline.get_pipe("phi_merger")))
    assert marks(loaded(TEXTS[0])) == expected
    assert loaded.get_pipe("phi_merger").type_thresholds == {"CITY": 0.6}
    doc = pipeline(TEXTS[0], disable=["phi_merger"])
    assert marks(copied(doc)) == expected


def test_merger_output_survives_docbin(pipeline):
    doc = pipeline(TEXTS[0])
    stored = DocBin(docs=[doc]).to_bytes()
    (again,) = DocBin().from_bytes(stored).get_docs(pipeline.vocab)
    assert marks(again) == marks(doc)
    assert ents(again) == ents(doc)


def test_merger_scores_the_pipeline(pipeline):
    gold = pipeline.make_doc("Maria came")
    gold.set_ents([Span(gold, 0, 1, label="PATIENT")])
    scores = pipeline.evaluate([spacy.training.Example(pipeline.make_doc("Maria came"), gold)])
    assert scores["phi_token_f2"] == scores["phi_strict_f"] == 1
    assert pipeline.get_pipe_meta("phi_merger").default_score_weights["phi_token_f2"] == 1


def test_a_threshold_that_was_set_is_saved(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("phi_merger")
    set_threshold(nlp, 0.05)
    nlp.to_disk(tmp_path)
    assert spacy.load(tmp_path).get_pipe("phi_merger").threshold == 0.05


def test_a_threshold_for_a_while_leaves_nothing_behind():
    nlp = spacy.blank("en")
    for name, own in (("one", 0.4), ("two", 0.6)):
        nlp.add_pipe("phi_merger", name, config={"threshold": own})
    nlp.get_pipe("two").threshold = 0.7  # not saved
    config = nlp.config.to_str()
    with pytest.raises(KeyError), using_threshold(nlp, 0.05):
        assert [pipe.threshold for _, pipe in nlp.pipeline] == [0.05, 0.05]
        raise KeyError
    with using_threshold(nlp, None), pytest.raises(ValueError), using_threshold(nlp, 1):
        pass
    assert [pipe.threshold for _, pipe in nlp.pipeline] == [0.4, 0.7]
    assert nlp.config.to_str() == config


def test_a_pipeline_without_a_merger_takes_no_threshold():
    with pytest.raises(RedactionError, match="a threshold needs a phi_merger"):
        set_threshold(spacy.blank("en"), 0.05)
