from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places_cases import make_note

from spacy_deid.redaction.surrogates.drawing import bare
from spacy_deid.redaction.surrogates.numbers import numbers
from spacy_deid.redaction.surrogates.numbers.check_digits import find_scheme
from spacy_deid.redaction.surrogates.places.atlas import read_atlas
from spacy_deid.text.folding import plain

PATIENTS = [f"patient {number}" for number in range(200)]


def surrogates(*pairs, patient="patient 1"):
    return numbers(make_note(*pairs, patient=patient))


def shape(value):
    return re.sub("[A-Z]", "A", re.sub("[a-z]", "a", re.sub(r"\d", "0", value)))


@pytest.mark.parametrize(
    "phi_type, value",
    [
        ("PHONE", "(412) 555-0116"),
        ("PHONE", "412.555.0116 x123"),
        ("PHONE", "+1-412-555-0116 ext. 44"),
        ("PHONE", "412 555\n 0116"),
        ("PHONE", "+44 20 7946 0958"),
        ("PHONE", "0412 345 678"),
        ("FAX", "5-0116"),
        ("SSN", "123-45-6789"),
        ("MEDICALRECORD", "MRN: 00-41-88-2"),
        ("LICENSE", "AB.1234567"),
        ("VEHICLE", "abc-1234"),
        ("DEVICE", "SN 44A01b/7"),
        ("IDNUM", "S00-12345"),
        ("ACCOUNT", "9" * 61),
    ],
)
def test_numbers_keep_the_form(phi_type, value):
    for patient in PATIENTS[:20]:
        (surrogate,) = surrogates((phi_type, value), patient=patient)
        assert shape(surrogate) == shape(value)
        assert surrogate != value


def test_numbers_in_other_formats_and_parts_agree():
    full, dots, plain, intl, local, line, ending = surrogates(
        ("PHONE", "(412) 555-0116"),
        ("PHONE", "412.555.0116"),
        ("FAX", "4125550116"),
        ("PHONE", "+1 412 555 0116"),
        ("PHONE", "555-0116"),
        ("PHONE", "0116"),
        ("IDNUM", "50116"),
    )
    digits = bare(full)
    assert bare(dots) == bare(plain) == digits
    assert bare(intl) == "1" + digits
    assert bare(local) == digits[3:]
    assert line == digits[6:]
    assert ending == digits[5:]


def test_numbers_phone_parts_agree_between_notes():
    (full,) = surrogates(("PHONE", "(412) 555-0116"))
    assert surrogates(("PHONE", "555-0116")) == [full[6:]]
    assert surrogates(("SSN", "0116")) == [full[-4:]]


def test_numbers_last_four_of_ssn_and_record():
    ssn, masked, four, record, last = surrogates(
        ("SSN", "123-45-6789"),
        ("SSN", "XXX-XX-6789"),
        ("IDNUM", "6789"),
        ("MEDICALRECORD", "88 20 417"),
        ("IDNUM", "0417"),
    )
    assert masked == f"XXX-XX-{ssn[-4:]}"
    assert four == ssn[-4:]
    assert last == bare(record)[-4:]


def test_numbers_do_not_depend_on_order_or_on_kind():
    pairs = [("PHONE", "412-555-0116"), ("IDNUM", "4125550116"), ("IDNUM", "0116")]
    assert surrogates(*pairs)[::-1] == surrogates(*pairs[::-1])
    assert bare(surrogates(*pairs)[0]) == surrogates(*pairs)[1]


def test_numbers_depend_on_patient_and_key():
    pair = ("MEDICALRECORD", "8820417")
    drawn = {numbers(make_note(pair, patient=patient))[0] for patient in PATIENTS}
    assert len(drawn) == len(PATIENTS)
    assert numbers(make_note(pair)) != numbers(make_note(pair, secret=b"another secret 16"))


def test_numbers_phones_are_valid_and_of_one_area():
    for patient in PATIENTS:
        one, other, free = surrogates(
            ("PHONE", "412-555-0116"),
            ("PHONE", "412-681-4471"),
            ("PHONE", "800-555-0199"),
            patient=patient,
        )
        assert one[:3] == other[:3] != "412"
        assert one[:3] in read_atlas().by_area
        assert one[4] in "23456789" and one[5:7] != "11"
        assert free[:3] in ("833", "844", "855", "866", "877", "888")


@pytest.mark.parametrize(
    "phi_type, value",
    [
        ("LICENSE", "1234567893"),  # NPI, the example of its standard
        ("IDNUM", "943 476 5919"),  # NHS number
        ("LICENSE", "AB1234563"),  # DEA number
        ("VEHICLE", "1M8GDM9AXKP042788"),
        ("VEHICLE", "11111111111111111"),
        ("ACCOUNT", "4111-1111-1111-1111"),
        ("IDNUM", "0101804571"),  # a number of that form that begins with a date of birth
    ],
)
def test_numbers_keep_a_valid_check_digit(phi_type, value):
    scheme = find_scheme(bare(value).lstrip("0"))
    assert scheme is not None
    for patient in PATIENTS:
        (surrogate,) = surrogates((phi_type, value), patient=patient)
        assert surrogate != value
        assert scheme.valid(bare(surrogate).lstrip("0"))


@pytest.mark.parametrize("value", ["1234567890", "AB1234560", "1M8GDM9A0KP042788"])
def test_check_digit_that_is_wrong_is_no_scheme(value):
    assert find_scheme(value) is None


def test_numbers_ssn_areas():
    for patient in PATIENTS:
        given, invalid, zero = surrogates(
            ("SSN", "123-45-6789"), ("SSN", "987654321"), ("SSN", "012-45-6789"), patient=patient
        )
        assert 734 <= int(given[:3]) <= 749 or 773 <= int(given[:3]) <= 899
        assert given[4:6] != "00" and given[7:] != "0000"
        assert invalid[:3] == "666" or invalid[0] == "9"
        assert zero[0] == "0" and zero[:3] != "000"


@pytest.mark.parametrize("value", ["0004711", "4000711", "A-0012", "00-12-7"])
def test_numbers_keep_zeros_in_front(value):
    zeros = len(re.findall(r"^\D*(0*)", value.replace("-", ""))[0])
    for patient in PATIENTS:
        (surrogate,) = surrogates(("IDNUM", value), patient=patient)
        digits = re.sub(r"\D", "", surrogate)
        assert digits[:zeros] == "0" * zeros and digits[zeros] != "0"


@pytest.mark.parametrize(
    "value", ["418820", "7", "4711", "101804571", "4111111111111111", "1234567893"]
)
def test_numbers_with_and_without_zeros_in_front_agree_in_all_notes(value):
    for patient in PATIENTS[:20]:
        (surrogate,) = surrogates(("IDNUM", value), patient=patient)
        for zeros in ("0", "00", "0000"):
            written = [("MEDICALRECORD", f"MRN {zeros}{value}")]
            assert surrogates(*written, patient=patient) == [f"MRN {zeros}{surrogate}"]


def test_numbers_of_four_digits_or_fewer_get_different_surrogates():
    for first in (1, 10, 100, 1000):
        real = range(first, 10 * first)
        drawn = [int(surrogates(("IDNUM", str(number)))[0]) for number in real]
        assert sorted(drawn) == list(real)
        assert not any(map(int.__eq__, real, drawn))


DIGITS = st.text("0123456789", min_size=1, max_size=12)


@given(st.sampled_from(["PHONE", "SSN", "IDNUM"]), DIGITS, st.text(max_size=8))
def test_numbers_never_keep_four_digits(phi_type, value, patient):
    (surrogate,) = surrogates((phi_type, value), patient=patient)
    assert len(surrogate) == len(value) and surrogate.isdecimal()
    assert surrogate != value
    zeros = len(value) - len(value.lstrip("0"))
    kept = "".join(
        "=" if old == new and (index >= zeros or zeros == len(value)) else " "
        for index, (old, new) in enumerate(zip(value, surrogate, strict=True))
    )
    assert "====" not in kept


@given(
    st.sampled_from(["PHONE", "SSN", "IDNUM", "MEDICALRECORD", "URL", "IPADDR"]),
    st.text(max_size=30),
)
def test_numbers_stand_any_text(phi_type, value):
    (surrogate,) = surrogates((phi_type, value))
    assert surrogate == surrogates((phi_type, value))[0]
    signs = plain(re.sub(r"[\w.%]", "", surrogate))
    assert signs in [plain(re.sub(r"[\w.%]", "", text)) for text in (value, plain(value))]


def test_numbers_letters_of_any_script_are_replaced():
    (surrogate,) = surrogates(("IDNUM", "Ж٣é4"))
    assert surrogate.isascii() and shape(surrogate) == "A0a0"


def test_numbers_without_spans():
    assert numbers(make_note("nothing here")) == []


@pytest.mark.parametrize("value", ["X-967761", "SS-408", "MR123456", "NO4411"])
def test_numbers_letters_of_an_id_are_no_label(value):
    for patient in PATIENTS[:20]:
        (surrogate,) = surrogates(("IDNUM", value), patient=patient)
        assert shape(surrogate) == shape(value)
        assert surrogate[:1] != value[:1] or surrogate[:2] != value[:2]


def test_numbers_hexadecimal_stays_so():
    for patient in PATIENTS[:20]:
        (surrogate,) = surrogates(("BIOID", "740b-fce4-c37f"), patient=patient)
        assert re.fullmatch("[0-9a-f]{4}-[a-f]{3}[0-9]-[a-f][0-9]{2}[a-f]", surrogate)


@pytest.mark.parametrize("value", ["1" * 30_000, "0" * 30_000, "A1" * 15_000])
def test_numbers_of_any_length_are_drawn_at_once(value):
    (surrogate,) = surrogates(("IDNUM", value))
    assert shape(surrogate) == shape(value)
    assert not any(map(str.__eq__, value, surrogate))


@pytest.mark.parametrize("value", ["1-800-FLOWERS", "800-PetMeds"])
def test_numbers_spelled_in_letters_stay_free_of_charge(value):
    for patient in PATIENTS[:20]:
        (surrogate,) = surrogates(("PHONE", value), patient=patient)
        assert re.fullmatch("(1-)?8(33|44|55|66|77|88)-[A-Za-z]{7}", surrogate)
        assert shape(surrogate)[-7:] == shape(value)[-7:]


@pytest.mark.parametrize(
    "prefix, value",
    [
        ("urn:oid:", "1.2.840.113619"),
        ("urn:uuid:", "740bfce4-c37f-4a01-9e2b-0d5c6a7b8e9f"),
        ("URN:OID:", "2.16.840"),
    ],
)
def test_numbers_keep_the_prefix_of_a_urn(prefix, value):
    for patient in PATIENTS[:20]:
        urn, alone = surrogates(("IDNUM", prefix + value), ("IDNUM", value), patient=patient)
        assert urn == prefix + alone
        assert alone != value and re.fullmatch("[0-9a-f.-]+", alone)


def test_numbers_that_are_web_addresses_stay_so():
    address, alone = surrogates(("IDNUM", "https://ids.mercy.org/4711"), ("IDNUM", "4711"))
    assert re.fullmatch(rf"https://[a-z]+\.[a-z]+\.org/{alone}", address)
