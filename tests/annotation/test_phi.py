import pytest

from spacy_deid.annotation.phi import (
    CATEGORY,
    HIPAA_TYPES,
    LABEL_SETS,
    PHI_TYPES,
    normalize_type,
)


def test_every_type_has_one_category():
    assert sum(map(len, PHI_TYPES.values())) == len(CATEGORY)
    assert CATEGORY["PATIENT"] == "NAME" and CATEGORY["ZIP"] == "LOCATION"
    assert list(CATEGORY)[:4] == ["PATIENT", "DOCTOR", "USERNAME", "PROFESSION"]


def test_hipaa_subset_is_that_of_the_published_scores():
    assert set(CATEGORY) >= HIPAA_TYPES
    assert {"PATIENT", "ORGANIZATION", "AGE"} <= HIPAA_TYPES
    left_out = ("IDNUM", "STATE", "COUNTRY", "DOCTOR", "HOSPITAL", "URL", "IPADDR", "USERNAME")
    assert HIPAA_TYPES.isdisjoint(left_out)


@pytest.mark.parametrize("name", ["LOCATION-OTHER", "location_other", " Location other "])
def test_type_names_are_normalized(name):
    assert normalize_type(name) == "LOCATION-OTHER"


def test_unknown_type_is_an_error():
    with pytest.raises(ValueError, match="unknown PHI type 'SMOKER'"):
        normalize_type("SMOKER")


@pytest.mark.parametrize("label_set", LABEL_SETS.values(), ids=LABEL_SETS.keys())
def test_label_sets_map_both_ways(label_set):
    for label, types in label_set.types.items():
        assert set(types) <= set(CATEGORY)
        assert label_set.to_phi(label) == (types[0] if types else None)
        for phi_type in types:
            assert label_set.agrees(label, phi_type)
            assert phi_type in label_set.types[label_set.from_phi(phi_type)]
    with pytest.raises(ValueError, match="is not in the label set"):
        label_set.to_phi("NO SUCH LABEL")


def test_own_labels_map_to_themselves():
    own = LABEL_SETS["i2b2-2014"]
    assert [own.from_phi(phi_type) for phi_type in CATEGORY] == list(CATEGORY)


def test_other_labels():
    assert LABEL_SETS["i2b2-2006"].to_phi("ID") == "MEDICALRECORD"
    assert LABEL_SETS["i2b2-2006"].from_phi("CITY") == "LOCATION"
    assert LABEL_SETS["presidio"].from_phi("DOCTOR") == "PERSON"
    assert LABEL_SETS["presidio-research"].to_phi("TITLE") is None
    assert LABEL_SETS["meddeid"].agrees("Age_Birthdate", "DATE")
    assert LABEL_SETS["deidgate"].from_phi("PROFESSION") is None
