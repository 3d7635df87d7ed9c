import pytest

from spacy_deid.merger.short_forms import find_short_forms, initials, logins


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (["Bola", "K.", "Adeyinka"], {"bka", "ba"}),
        (["Adeyinka", ",", "Bola"], {"ba"}),
        (["Kate", "O'Brien"], {"ko", "kob", "ko'b"}),
        (["Hannah", "McCabe"], {"hm", "hmcc"}),
        (["Sara", "van", "den", "Berg"], {"svdb", "sb"}),
        (["Ann", "Smith", "-", "Jones"], {"asj", "aj"}),
        (["Adeyinka"], set()),
        (["Adeyinka", ","], set()),
        (["A"] * 6, set()),
    ],
)
def test_initials(name, expected):
    assert initials(name) == expected


FORMS = {"svdb": "DOCTOR", "to'd": "DOCTOR", "amensah": "USERNAME"}


def test_logins():
    assert logins(["Kate", "M.", "O'Brien"]) == {"kobri", "kobrie", "kobrien"}
    assert logins(["Mensah", ",", "Ada"]) == {"amens", "amensa", "amensah"}
    assert logins(["Ada", "Roy"]) == logins(["Ada"]) == set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("seen 0900 svdb, SVDB and SvdB", ["svdb", "SVDB", "SvdB"]),
        ("TO'D, TO\u2019D, TOD's and SVDB'S", ["TO'D", "TO\u2019D", "SVDB"]),
        ("noted/amensah2 [AMENSAH]", ["amensah2", "AMENSAH"]),
        ("svdbx xsvdb svdb_1 1svdb", ["svdb"]),
        ("amensah20211", []),
    ],
)
def test_short_forms_are_whole_words(nlp, text, found):
    spans = list(find_short_forms(nlp(text), FORMS))
    assert [span.text for span in spans] == found
    assert not list(find_short_forms(nlp(text), {}))
