"""PHI is replaced alike however a note is written, and what stands around it stays."""

from __future__ import annotations

import html
import json
import quopri
import re
import urllib.parse

import pytest

from spacy_deid.annotation.notes import PhiSpan
from spacy_deid.redaction import Redactor
from spacy_deid.redaction.phi_text import whole_characters

KEY = b"a secret for tests"
BEFORE = "Dear colleague,\nthis is\na note\nof a\nvisit = x\nby\u00a0the\u00a0patient "
AFTER = " and so on.\nBye\nthen\n."
VALUES = {
    "Tanner Fork\nRegional Hospital": "HOSPITAL",
    "Johnson & Weber Clinic": "HOSPITAL",
    "St. Mary\u2019s Hospital": "HOSPITAL",
    "12 O'Brien\nStreet": "STREET",
    "12\u201314 Elm Street": "STREET",
    "Saint\nPaul": "CITY",
    "line\ncook": "PROFESSION",
    "March 4,\n2067": "DATE",
    "03/04/2067": "DATE",
    "(412)\n555-0142": "PHONE",
    "412\u2011555\u20110142": "PHONE",
    "00-41\n882": "MEDICALRECORD",
    "Orville\nWhitacre": "PATIENT",
    "Zo\u00e9 Mu\u00f1oz": "DOCTOR",
    "https://mercy.org/a?b=1&c=Whitacre": "URL",
}
WAYS = {
    "json": (lambda text: json.dumps(text)[1:-1], lambda text: json.loads(f'"{text}"')),
    "html": (
        lambda text: html.escape(text).replace("\n", "<br>"),
        lambda text: html.unescape(text.replace("<br>", "\n")),
    ),
    "percent": (urllib.parse.quote, urllib.parse.unquote),
    "mail": (
        lambda text: quopri.encodestring(text.encode()).decode().replace("=\n", ""),
        lambda text: quopri.decodestring(text.encode()).decode(),
    ),
    "windows": (lambda text: text.replace("\n", "\r\n"), lambda text: text.replace("\r\n", "\n")),
    "rtf": (
        lambda text: text.replace("\n", r"\par ").replace("\u00a0", r"\'a0"),
        lambda text: text.replace(r"\par ", "\n").replace(r"\'a0", "\u00a0"),
    ),
}


def redacted(before, value, after, phi_type, policy="surrogate"):
    span = PhiSpan(len(before), len(before + value), phi_type)
    return Redactor(policy, KEY).redact(before + value + after, [span], "p1").text


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("value", VALUES)
def test_a_value_has_one_surrogate_in_all_forms(value, way):
    write, read = WAYS[way]
    pieces = map(write, (BEFORE, value, AFTER))
    assert read(redacted(*pieces, VALUES[value])) == redacted(BEFORE, value, AFTER, VALUES[value])


@pytest.mark.parametrize(
    "value, phi_type, form",
    [
        ("<b>Tanner</b> Fork Hospital", "HOSPITAL", "<b>{}</b> {} Hospital"),
        ("12 <i>Elm</i> Street", "STREET", "{} <i>{}</i> Street"),
        ("<b>03</b>/04/2067", "DATE", "<b>{}</b>/{}/{}"),
        ("<b>412</b>-555-0142", "PHONE", "<b>{}</b>-{}-{}"),
        ("<b>47</b>11222", "MEDICALRECORD", "<b>{:.2}</b>{:.5}"),
        ("Tanner<br/>Fork</p><p>Hospital", "HOSPITAL", "{}<br/>{}</p><p>Hospital"),
    ],
)
def test_tags_stay_where_they_are(value, phi_type, form):
    text = redacted("Seen: ", value, ", well.", phi_type)
    pattern = form.replace("{:.2}", r"\d\d").replace("{:.5}", r"\d{5}").replace("{}", r"\w+")
    assert re.fullmatch(f"Seen: {pattern}, well.", text)


@pytest.mark.parametrize(
    "text, value, expected",
    [
        ("DOB:=C2=A003/04/1956", "003/04/1956", "03/04/1956"),
        ("2041=E2=80=932065", "932065", "2065"),
        (r"DOB:\u00a003/04/1956", "03/04/1956", "03/04/1956"),
        (r"DOB:\u00a003/04/1956", "a003/04/1956", "03/04/1956"),
        ("Zo=C3=A9lodie", "A9lodie", "=C3=A9lodie"),  # a letter is a part of the name
        ("Zo=C3=A9", "Zo=C3", "Zo=C3=A9"),
        ("Jo\u00adhn =C2=A0", "hn", "hn"),
        ("EF=60 Lopez", "Lopez", "Lopez"),
    ],
)
def test_spans_begin_and_end_beside_escapes(text, value, expected):
    start = text.index(value)
    span = whole_characters(text, PhiSpan(start, start + len(value), "DATE"))
    assert text[span.start : span.end] == expected


@pytest.mark.parametrize("policy", ["surrogate", "i2b2", "hipaa-safe-harbor"])
@pytest.mark.parametrize(
    "value, phi_type",
    [
        ("<i>Apache</i> <b>Junction</b>", "CITY"),
        ("Kowal<b>cz</b>ykie<i>wi</i>cz", "PATIENT"),
        ("<b>03</b>/<i>04</i>/2067", "DATE"),
        ("1<b>5</b>2<i>1</i>3", "ZIP"),
    ],
)
def test_tags_keep_their_order(value, phi_type, policy):
    tags = re.compile("<.*?>")
    text = redacted("Seen: ", value, ", well.", phi_type, policy)
    assert tags.findall(text) in (tags.findall(value), [])


def test_a_tag_in_place_of_phi_is_whole():
    text = redacted("See =3D ", "13 m=\nars", "=\n.", "DATE", "hipaa-safe-harbor")
    assert text == "See =3D [DATE]=\n."


def test_a_zero_width_escape_needs_no_blank():
    plain = redacted('{"a": "', "Jonathan Lee", '"}', "PATIENT")
    text = redacted('{"a": "', r"Jo\ufeffnathan Lee", '"}', "PATIENT")
    assert text.replace(r"\ufeff", "") == plain


def test_no_policy_cuts_an_escape():
    text = "a%20b%20c%20d%20on%2003/04/1956"
    span = PhiSpan(text.index("2003"), len(text), "DATE")
    assert Redactor("tag", KEY).redact(text, [span]).text == "a%20b%20c%20d%20on%20[DATE]"
    assert Redactor("hipaa-safe-harbor", KEY).redact(text, [span]).text.endswith("%20on%201956")
