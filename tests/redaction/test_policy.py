from __future__ import annotations

import pytest

from spacy_deid.annotation.notes import PhiSpan
from spacy_deid.annotation.phi import CATEGORY
from spacy_deid.redaction import (
    PRESETS,
    STYLES,
    Key,
    Policy,
    RedactionError,
    Redactor,
    draws,
    find_key,
    find_policy,
    random_key,
)
from spacy_deid.redaction.styles import only

KEY = Key(b"0123456789abcdef")
TEXT = "Dr. Maria Lopez saw Bo Lee, 93, of Erie, PA 15213 on 03/04/2067; MRN 0041-88."
SPANS = [
    PhiSpan(TEXT.index(value), TEXT.index(value) + len(value), label)
    for value, label in (
        ("Maria Lopez", "DOCTOR"),
        ("Bo Lee", "PATIENT"),
        ("93", "AGE"),
        ("Erie", "CITY"),
        ("PA", "STATE"),
        ("15213", "ZIP"),
        ("03/04/2067", "DATE"),
        ("0041-88", "MEDICALRECORD"),
    )
]


def redacted(policy, key=KEY, patient="1"):
    return Redactor(find_policy(policy), key).redact(TEXT, SPANS, patient).text


@pytest.mark.parametrize(
    "policy, expected",
    [
        (
            "template",
            "Dr. XYZ_Doctor saw XYZ_Patient, NUM_Age, of XYZ_City, XYZ_State XYZ_ZIP on "
            "00_00_Date; MRN NUM_Medicalrecord.",
        ),
        ("remove", "Dr.  saw , , of ,   on ; MRN ."),
        ("keep", TEXT),
        (
            "hipaa-safe-harbor",
            "Dr. [DOCTOR] saw [PATIENT], 90+, of [CITY], PA 15200 on 2067; MRN [MEDICALRECORD].",
        ),
        (
            "limited-data-set",
            "Dr. [DOCTOR] saw [PATIENT], 93, of Erie, PA 15213 on 03/04/2067; MRN [MEDICALRECORD].",
        ),
    ],
)
def test_policy_says_what_becomes_of_each_type(policy, expected):
    assert redacted(policy) == expected


@pytest.mark.parametrize(
    "style, phi_type, kept",
    [("year", "DATE", "2067"), ("top_age", "AGE", "90+"), ("zip3", "ZIP", "15200")],
)
def test_a_style_for_one_type_tags_the_others(style, phi_type, kept):
    assert redacted(style) == redacted("tag").replace(f"[{phi_type}]", kept)


def test_i2b2_policy_draws_surrogates_that_hide():
    text = redacted("i2b2")
    for value in ("Maria", "Lopez", "Bo ", "Lee", "93", "Erie", "15213", "03/04/2067", "0041"):
        assert value not in text
    assert "90+" in text and text.startswith("Dr. ") and "; MRN " in text


def test_surrogates_are_those_of_key_and_patient():
    assert redacted("surrogate") == redacted("surrogate")
    assert redacted("surrogate") != redacted("surrogate", patient="2")
    assert redacted("surrogate") != redacted("surrogate", key=Key(b"0123456789abcdeg"))


def test_a_note_without_patient_is_a_patient_of_its_own():
    redactor = Redactor(find_policy("surrogate"), KEY)
    one = redactor.redact(TEXT, SPANS).text
    assert one == redactor.redact(TEXT, SPANS).text
    assert one[:20] != redactor.redact(TEXT + " ", SPANS).text[:20]


@pytest.mark.parametrize("phi_type", CATEGORY)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("value", ["Q7", "", " ", "\n", "Ünal-Æ", "١٢٣", "a" * 200])
def test_every_style_takes_every_type_and_value(style, phi_type, value):
    text = f"x {value} y"
    span = PhiSpan(2, 2 + len(value), phi_type)
    redactor = Redactor(Policy("all", style), KEY)
    assert redactor.redact(text, [span] if value else [], "p").text.startswith("x ")


def test_policy_of_ones_own(tmp_path):
    path = tmp_path / "ours.cfg"
    path.write_text('[policy]\ndefault = "tag"\n\n[policy.types]\nDATE = "year"\n')
    policy = find_policy(path)
    assert (policy.name, policy.style_of("DATE"), policy.style_of("AGE")) == ("ours", "year", "tag")
    assert not policy.draws and find_policy("i2b2").draws


def test_a_policy_may_begin_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "ours.cfg"
    path.write_text('[policy]\ndefault = "mask"\n', "utf-8-sig")
    assert find_policy(path).default == "mask"


def test_policies_know_which_styles_draw(monkeypatch):
    @draws
    def numbered(note):
        return [str(note.number(100, "x")) for _ in note.spans]

    monkeypatch.setitem(STYLES, "numbered", numbered)
    monkeypatch.setitem(STYLES, "city", only("CITY", numbered))
    assert {style for style in STYLES if find_policy(style).draws} == {
        "surrogate",
        "numbered",
        "city",
    }
    assert Policy("towns", "tag", {"CITY": "city"}).draws


@pytest.mark.parametrize(
    "content, message",
    [
        ("", "is not a policy"),
        ("default = 3", "is not a policy"),
        ('[policy]\ndefault = "blur"\n', "unknown style 'blur'"),
        ('[policy]\ndefault = "tag"\n[policy.types]\nNAME = "tag"\n', "unknown PHI type 'NAME'"),
        ('[policy]\ndefault = "tag"\ndefault = "keep"\n', "has 'default' twice"),
        ('[policy]\ndefault = "tag"\n[policy]\n', "has 'policy' twice"),
    ],
)
def test_policy_that_is_none_fails(tmp_path, content, message):
    path = tmp_path / "broken.cfg"
    path.write_text(content)
    with pytest.raises(RedactionError, match=message):
        find_policy(path)


@pytest.mark.parametrize("note", ["Maria came.", "Maria\n", "Maria" * 20, "Maria " * 1000])
def test_a_note_in_the_place_of_a_policy_is_not_quoted(note):
    with pytest.raises(RedactionError, match="unknown style or policy; the styles") as error:
        find_policy(note)
    assert "Maria" not in str(error.value)


def test_presets_are_policies():
    assert PRESETS == ("hipaa-safe-harbor", "i2b2", "limited-data-set")
    assert [find_policy(name).name for name in PRESETS] == list(PRESETS)


def test_key_comes_from_file_or_environment(tmp_path, monkeypatch):
    monkeypatch.delenv("SPACY_DEID_KEY", raising=False)
    assert find_key() is None
    monkeypatch.setenv("SPACY_DEID_KEY", "0123456789abcdef")
    path = tmp_path / "key"
    path.write_bytes(b"0123456789abcdef\n")
    found = (find_key(), find_key(path))
    assert {key.digest("a") for key in found if key} == {KEY.digest("a")}
    path.write_bytes(b"short")
    with pytest.raises(RedactionError, match="too short"):
        find_key(path)
    with pytest.raises(RedactionError, match="cannot be read"):
        find_key(tmp_path / "none")


def test_key_draws_by_parts_and_is_never_shown():
    assert KEY.digest("ab", "c") != KEY.digest("a", "bc")
    assert "0123" not in repr(KEY) and random_key().digest("a") != random_key().digest("a")
    drawn = [KEY.choice("abcd", str(i)) for i in range(4000)]
    assert all(900 < drawn.count(letter) < 1100 for letter in "abcd")
