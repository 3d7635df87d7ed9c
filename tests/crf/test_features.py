"""Each group's output on hand-made examples."""

from __future__ import annotations

import calendar

import numpy as np
import pytest
import spacy
from spacy.lookups import Lookups
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_deid.crf.clusters import WordClusters, read_brown
from spacy_deid.crf.features import FEATURE_GROUPS, Knowledge
from spacy_deid.crf.features.context import has_unmatched_bracket
from spacy_deid.crf.features.forms import CALENDAR, PATTERNS
from spacy_deid.crf.prepare import annotate
from spacy_deid.crf.sequences import DocView, split

BROWN = "00101110110\tMaria\t7\n01\tsaw\t9\n"

FORMS = [
    ("words", "Smith", "word=Smith"),
    ("lower_words", "Smith", "lower=smith"),
    (
        "affixes",
        "Smiths",
        "prefix=s prefix=sm prefix=smi prefix=smit prefix=smith "
        "suffix=s suffix=hs suffix=ths suffix=iths suffix=miths",
    ),
    ("affixes", "Of", "prefix=o suffix=f"),
    ("affixes", "a", ""),
    ("shapes", "PO/5mg", "shape=AA-#aa short_shape=A-#a"),
    ("shapes", "\u00c9lan", "shape=Aaaa short_shape=Aa"),
    ("orthography", "WPH", "is_all_caps is_initial_cap"),
    ("orthography", "McDonald", "is_initial_cap is_inner_cap"),
    ("orthography", "of", "is_lower"),
    ("orthography", "B.", "is_initial_cap is_one_letter is_punctuation_inside"),
    ("orthography", "1961", "is_all_digits"),
    ("orthography", "3/4", "is_digit_inside is_punctuation_inside"),
    ("orthography", "b12", "is_lower is_one_letter is_digit_inside is_letters_and_digits"),
    ("orthography", "--", "is_punctuation"),
    ("letters", "McD1", "n_letters=3 n_capitals=2 first=capital"),
    ("letters", "(", "n_letters=0 n_capitals=0 first=other"),
    ("digits", "3/14/2067", "n_digits=7 digit_runs=1/2/4"),
    ("digits", "AB123c", "n_digits=3 digit_runs=a3a"),
    ("digits", "word", ""),
    ("morphology", "Sons", "m_ends_with_s m_capitalized m_alphabetic m_alphanumeric m_title_case"),
    ("morphology", "12", "m_has_digit m_numeric m_alphanumeric"),
    ("morphology", "the", "m_alphabetic m_alphanumeric m_lower_case m_stop_word"),
    ("temporal", "Fall", "calendar=season"),
    ("temporal", "Sept.", "calendar=month"),
    ("temporal", "TUES", "calendar=weekday"),
    ("temporal", "overnight", "calendar=time_of_day"),
    ("temporal", "daily", ""),
    ("patterns", "jo@ex.org", "pattern=email"),
    ("patterns", "www.ex.org/a", "pattern=url"),
    ("patterns", "10.0.0.12", "pattern=ip"),
    ("patterns", "3/14/2067", "pattern=date"),
    ("patterns", "3-14", "pattern=month_day"),
    ("patterns", "2067", "pattern=year"),
    ("patterns", "1990s", ""),
    ("patterns", "'80s", "pattern=decade"),
    ("patterns", "12:30", "pattern=time"),
    ("patterns", "412-555-0116", "pattern=phone pattern=long_number"),
    ("patterns", "586-91-9128", "pattern=ssn pattern=long_number"),
    ("patterns", "15213", "pattern=zip"),
    ("patterns", "93", "pattern=age"),
    ("patterns", "7719045", "pattern=long_number"),
    ("patterns", "AB-1234", "pattern=letters_number"),
    ("patterns", "Q.", "pattern=initial"),
    ("cues", "Dr.", "cue=title cue=street_suffix"),
    ("cues", "M.D.", "cue=credential"),
    ("cues", "Clinic", "cue=institution"),
    ("word_lists", "Maria", "list=given_name"),
    ("word_lists", "Lake", "list=city_word list=hospital_word"),
    ("word_lists", "zygote", ""),
    ("brown_clusters", "Maria", "brown=00101110110 brown4=0010 brown6=001011 brown10=0010111011"),
    ("brown_clusters", "Saw", "brown=01"),
    ("brown_clusters", "zygote", ""),
    ("vector_clusters", "Maria", "cluster=3"),
    ("vector_clusters", "zygote", ""),
    ("characters", "\t", "char=\t"),
    ("char_kinds", "A", "kind=capital"),
    ("char_kinds", "a", "kind=letter"),
    ("char_kinds", "7", "kind=digit"),
    ("char_kinds", "\t", "kind=tab"),
    ("char_kinds", " ", "kind=blank"),
    ("char_kinds", "/", "kind=sign"),
]

SENTENCES: list[tuple[str, str, list[str]]] = [
    ("word_bigrams", "Nurses saw Maria", ["words2=nurses|saw", "words2=saw|maria", ""]),
    ("word_trigrams", "Nurses saw Maria", ["words3=nurses|saw|maria", "", ""]),
    ("word_trigrams", "saw Maria", ["", ""]),
    ("sentence", "Seen .", ["length=2 end_mark=."] * 2),
    ("sentence", "( b", ["length=2 end_mark=none unmatched_bracket"] * 2),
    ("sentence", "a b c d e f", ["length=<=10 end_mark=none"] * 6),
    ("section", "saw Maria", ["section=plan", ""]),
    (
        "dictionary",
        "in Salt Lake City Iowa",
        ["", "entry=B-CITY", "entry=I-CITY", "entry=E-CITY", "entry=S-STATE"],
    ),
    ("dictionary", "Lake City", ["entry=B-CITY entry=B-HOSPITAL", "entry=E-CITY entry=E-HOSPITAL"]),
    ("dictionary", "Salt Lake , Mobile .", ["", "", "", "entry=S-CITY", ""]),
    (
        "dictionary",
        "Lake - City",
        [f"entry={place}-CITY entry={place}-HOSPITAL" for place in "BIE"],
    ),
    ("dictionary", "Salt Mobile nurse", ["", "entry=S-CITY", "entry=S-PROFESSION"]),
    ("pos", "Nurses saw it", ["pos=NNS", "pos=VBD", ""]),
    ("pos_bigrams", "Nurses saw it", ["pos2=NNS|VBD", "", ""]),
    ("pos_trigrams", "Nurses saw Maria", ["pos3=NNS|VBD|NNP", "", ""]),
    ("word_pos", "Nurses saw it", ["word_pos=nurses|NNS", "word_pos=saw|VBD", ""]),
    ("chunks", "Nurses saw Maria", ["chunk=B-NP", "chunk=O", "chunk=B-NP"]),
    ("entities", "Nurses saw Maria", ["entity=O", "entity=O", "entity=B-PERSON"]),
    (
        "semantics",
        "Nurses saw Maria",
        [
            "lemma=nurse lemma_list=profession_word",
            "lemma=see",
            "lemma=maria lemma_list=given_name",
        ],
    ),
]


@pytest.fixture(scope="module")
def knowledge(lookups: Lookups, tmp_path_factory: pytest.TempPathFactory) -> Knowledge:
    vocab = Vocab(lookups=lookups)
    path = tmp_path_factory.mktemp("brown") / "paths"
    path.write_text(BROWN)
    key = np.array([vocab.strings.add("maria")], dtype=np.uint64)
    vectors = WordClusters(key, np.array([3], dtype=np.uint32), ["0", "1", "2", "3"])
    return Knowledge(vocab, read_brown(path), vectors)


def view_of(text: str, annotator: str | None = None) -> DocView:
    nlp = spacy.blank("en")
    words = text.split(" ")
    doc = Doc(nlp.vocab, words=words)
    doc.spans["sections"] = [Span(doc, 0, 1, label="plan")]
    return DocView(doc, annotate(annotator, [doc])[0] if annotator else None)


@pytest.mark.parametrize(("group", "word", "expected"), FORMS)
def test_form(knowledge, group, word, expected):
    attributes = FEATURE_GROUPS[group].extract(word, knowledge)
    assert " ".join(attributes) == expected


@pytest.mark.parametrize(("group", "text", "expected"), SENTENCES)
def test_sentence(knowledge, annotator, group, text, expected):
    needs_annotator = FEATURE_GROUPS[group].needs == "annotator"
    (sentence,) = split(view_of(text, annotator if needs_annotator else None), "token")
    attributes = FEATURE_GROUPS[group].extract(sentence, knowledge)
    assert [" ".join(names) for names in attributes] == expected


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ("char_bigrams", ["chars2=a\t", "chars2=\t ", "chars2= 7", None]),
        ("char_trigrams", ["chars3=a\t ", "chars3=\t 7", None, None]),
        ("char_places", ["place=S", "place=S", "place=O", "place=S"]),
    ],
)
def test_characters(knowledge, group, expected):
    doc = Doc(spacy.blank("en").vocab, words=["a", "\t", "7"], spaces=[False, True, False])
    (line,) = split(DocView(doc), "character")
    attributes = FEATURE_GROUPS[group].extract(line, knowledge)
    assert attributes == [[name] if name else [] for name in expected]


def test_places_in_longer_tokens(knowledge):
    (line,) = split(view_of("Ann x"), "character")
    attributes = FEATURE_GROUPS["char_places"].extract(line, knowledge)
    assert "".join(name[-1] for (name,) in attributes) == "BIEOSO"


def test_every_group_is_pinned_here():
    pinned = {row[0] for row in (*FORMS, *SENTENCES)}
    assert pinned | {"char_bigrams", "char_trigrams", "char_places"} == set(FEATURE_GROUPS)


@pytest.mark.parametrize("group", [g for g in FEATURE_GROUPS.values() if g.unit == "token"])
def test_without_what_it_needs_a_group_gives_nothing(group):
    knowledge = Knowledge(Vocab())
    doc = Doc(knowledge.vocab, words=["Lake", "City"])
    (sentence,) = split(DocView(doc), "token")
    if group.by_form:
        attributes = group.extract("Lake", knowledge)
    else:
        attributes = [name for names in group.extract(sentence, knowledge) for name in names]
    assert not (attributes and group.needs)


@pytest.mark.parametrize(
    ("words", "expected"),
    [("( a )", False), ("( a", True), ("a )", True), ("( [ ) ]", True), ("( [ a ] )", False)],
)
def test_unmatched_brackets(words, expected):
    assert has_unmatched_bracket(words.split()) is expected


def test_calendar_has_all_months_and_weekdays():
    for name, words in (("month", calendar.month_name), ("weekday", calendar.day_name)):
        assert {CALENDAR[word.lower()] for word in words if word} == {name}
        assert {CALENDAR[word.lower()[:3]] for word in words if word} == {name}


@pytest.mark.timeout(5)
@pytest.mark.parametrize("text", ["1" * 100_000, "1-" * 50_000, "a@" * 50_000, "1." * 50_000])
def test_patterns_take_linear_time(text):
    assert all(not pattern.fullmatch(text + "!\n") for pattern in PATTERNS.values())
