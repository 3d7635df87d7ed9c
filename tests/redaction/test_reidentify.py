from __future__ import annotations

import csv
import io
import json
import os
import stat

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from spacy_deid.annotation.notes import PhiSpan
from spacy_deid.cli import app
from spacy_deid.redaction import Key, RedactionError, Redactor, find_policy
from spacy_deid.redaction.reidentify import (
    Identity,
    Original,
    OriginalsFile,
    read_originals,
    to_rows,
)

pytest.importorskip("cryptography")

KEY = Key(b"a secret of some length")
OTHER = Key(b"another secret, as long")
TEXT = "Zoë Lopez, seen\n3/4/67."
SPANS = [PhiSpan(0, 9, "PATIENT"), PhiSpan(16, 22, "DATE")]
IDENTITY = Identity(
    "out/a.txt",
    "MRN 7",
    "lopez-01",
    (
        Original("PATIENT", "Zoë Lopez", "[PATIENT]", 0, 9, 0, 9),
        Original("DATE", "3/4/67", "[DATE]", 16, 22, 16, 22),
    ),
)
EMPTY = Identity("out/b.txt", "", "", ())


def redacted(text=TEXT, spans=SPANS):
    return Redactor(find_policy("tag"), KEY).redact(text, spans)


def write(path, *, key=KEY, places=("out/a.txt",)):
    vault = OriginalsFile.open(path, key)
    for place in places:
        vault.append(place, "MRN 7", "lopez-01", TEXT, redacted())
    vault.close()
    return path


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.vault"


def test_vault_gives_back_what_was_replaced(file):
    write(file)
    vault = OriginalsFile.open(file, KEY)
    vault.append("out/b.txt", "", "", "none", redacted("none", []))
    vault.close()
    assert list(read_originals(file, KEY)) == [IDENTITY, EMPTY]
    for identity in read_originals(file, KEY):
        assert all(TEXT[row.start : row.end] == row.original for row in identity.originals)


def test_vault_shows_nothing_without_the_key(file):
    content = write(file, places=("a", "b")).read_bytes().decode("ascii")
    for secret in ("Lopez", "MRN 7", "3/4/67", "PATIENT", "secret"):
        assert secret not in content
    one, other = (json.loads(line)["sealed"] for line in content.splitlines()[1:])
    assert one != other  # equal notes do not show as equal


def test_vault_length_does_not_tell_that_of_a_name(file):
    vault = OriginalsFile.open(file, KEY)
    for name in ("Bo", "Bartholomew-Featherstone"):
        vault.append("x", "", "", name, redacted(name, [PhiSpan(0, len(name), "PATIENT")]))
    vault.close()
    _, short, long = file.read_bytes().splitlines()
    assert len(short) == len(long)


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_vault_is_for_its_owner_alone(file):
    assert stat.S_IMODE(write(file).stat().st_mode) == 0o600


def test_vaults_of_one_key_do_not_link(tmp_path):
    headers = [write(tmp_path / name).read_bytes().splitlines()[0] for name in "ab"]
    assert headers[0] != headers[1]


@pytest.mark.parametrize("cut", [1, 2, 40, 10_000])
def test_vault_goes_on_behind_a_kill(file, cut):
    """However much of the end was lost, what is whole is read, and appending makes it whole."""
    write(file, places=("a", "b"))
    with file.open("r+b") as handle:
        handle.truncate(max(0, file.stat().st_size - cut))
    if cut < 1000:
        assert [identity.place for identity in read_originals(file, KEY)] == ["a"]
    write(file, places=("b", "c"))
    places = [identity.place for identity in read_originals(file, KEY)]
    assert places == (["a", "b", "c"] if cut < 1000 else ["b", "c"])


def test_vault_takes_the_last_line_of_a_place(file):
    write(file, places=("a", "out/b.txt", "a"))
    vault = OriginalsFile.open(file, KEY)
    vault.append("out/b.txt", "", "", "none", redacted("none", []))
    vault.close()
    assert [len(identity.originals) for identity in read_originals(file, KEY)] == [2, 0]


def test_vault_takes_any_text(file):
    text, place = "\ud800 \x00\u202e\U0001f600", "out/\udcff.txt"
    vault = OriginalsFile.open(file, KEY)
    vault.append(place, text, text, text, redacted(text, [PhiSpan(0, len(text), "OTHER")]))
    vault.close()
    (identity,) = read_originals(file, KEY)
    assert (identity.place, identity.note_id, identity.originals[0].original) == (place, text, text)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.text(max_size=9), st.text(min_size=2, max_size=30)), max_size=5))
def test_vault_gives_back_any_notes(file, notes):
    file.unlink(missing_ok=True)
    vault = OriginalsFile.open(file, KEY)
    for place, text in notes:
        vault.append(place, text, place, text, redacted(text, [PhiSpan(1, len(text), "OTHER")]))
    vault.close()
    found = {i.place: (i.patient_id, i.originals[0].original) for i in read_originals(file, KEY)}
    assert found == {place: (text, text[1:]) for place, text in notes}


def test_wrong_key_fails(file):
    write(file)
    before = file.read_bytes()
    for use in (lambda: list(read_originals(file, OTHER)), lambda: OriginalsFile.open(file, OTHER)):
        with pytest.raises(RedactionError, match="was written with another key"):
            use()
    assert file.read_bytes() == before


def test_no_key_fails(file):
    for use in (lambda: OriginalsFile.open(file, None), lambda: list(read_originals(file, None))):
        with pytest.raises(RedactionError, match="needs a key of your own"):
            use()
    assert not file.exists()


@pytest.mark.parametrize(
    "content",
    [b"my notes", b"my notes\n", b"{}\n", b'{"file": "x"}\n', b"[]\n", b"[" * 10**5 + b"\n"],
)
def test_other_files_are_left_alone(file, content):
    file.write_bytes(content)
    with pytest.raises(RedactionError, match="re-identification file"):
        OriginalsFile.open(file, KEY)
    with pytest.raises(RedactionError, match="was not written by spacy-deid"):
        list(read_originals(file, KEY))
    assert file.read_bytes() == content


def test_files_that_cannot_be_opened_fail(tmp_path):
    for path in (tmp_path, tmp_path / "gone" / "x"):
        with pytest.raises(RedactionError, match="cannot be opened"):
            OriginalsFile.open(path, KEY)
        with pytest.raises(RedactionError, match="cannot be opened"):
            list(read_originals(path, KEY))


@pytest.mark.parametrize(
    "forge",
    [
        lambda line: line.replace(b'"a"', b'"b"'),  # the note of another place
        lambda line: line.replace(b'"sealed": "', b'"sealed": "AAAA'),
        lambda line: line.replace(b'"sealed"', b'"gone"'),
        lambda line: b'{"place": "a", "sealed": "AAAA"}\n',
        lambda line: b"{\n",
        lambda line: b"[1]\n",
        lambda line: b"[" * 10**5 + b"\n",
    ],
)
def test_forged_lines_fail(file, forge):
    header, line, last = write(file, places=("a", "z")).read_bytes().splitlines(keepends=True)
    file.write_bytes(header + forge(line) + last)
    with pytest.raises(RedactionError, match="line 2 was damaged or changed"):
        list(read_originals(file, KEY))


def test_to_rows():
    rows = list(to_rows(IDENTITY))
    assert rows[1] == {
        "place": "out/a.txt",
        "patient_id": "MRN 7",
        "note_id": "lopez-01",
        "type": "DATE",
        "original": "3/4/67",
        "surrogate": "[DATE]",
        "start": 16,
        "end": 22,
        "new_start": 16,
        "new_end": 22,
    }
    (row,) = to_rows(EMPTY)
    assert (row["place"], row["type"], row["start"]) == ("out/b.txt", "", "")


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "key"
    path.write_bytes(b"a secret of some length\n")
    return path


def reidentify(*args, **env):
    return CliRunner().invoke(app, ["reidentify", *map(str, args)], env=env)


def test_reidentify_cli(file, key_file):
    write(file, places=("a\udcff",))
    result = reidentify(file, "--key-file", key_file)
    assert result.exit_code == 0
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["original"] for row in rows] == ["Zoë Lopez", "3/4/67"]
    assert rows[0]["place"] == r"a\udcff"
    result = reidentify(file, "--jsonl", SPACY_DEID_KEY="a secret of some length")
    (note,) = map(json.loads, result.stdout.splitlines())
    assert note["patient_id"] == "MRN 7"
    assert note["originals"][0]["surrogate"] == "[PATIENT]"


def test_reidentify_cli_writes_rows_that_can_be_read(file, key_file):
    text = "Seen: (Zo\u00eb\rLopez)"
    vault = OriginalsFile.open(file, KEY)
    vault.append("a", "", "", text, redacted(text, [PhiSpan(7, len(text) - 1, "DOCTOR")]))
    vault.close()
    result = reidentify(file, "--key-file", key_file)
    (row,) = csv.DictReader(io.StringIO(result.stdout, newline=""))
    assert row["original"] == "Zo\u00eb\rLopez"


def test_reidentify_cli_fails_with_a_clear_word(file, key_file):
    write(file, key=OTHER)
    result = reidentify(file, "--key-file", key_file)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "written with another key" in result.stderr
    assert reidentify(file, SPACY_DEID_KEY="").exit_code == 2
