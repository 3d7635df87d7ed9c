from __future__ import annotations

import hashlib
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from spacy_deid.annotation.notes import Note, PhiSpan, check_spans
from spacy_deid.annotation.phi import CATEGORY
from spacy_deid.synthesis import SETS, Generator
from spacy_deid.synthesis.carriers import Carrier
from spacy_deid.synthesis.generate import share_out
from spacy_deid.synthesis.library import Template, load_library
from spacy_deid.synthesis.note_values import NoteValues, make_patient
from spacy_deid.synthesis.render import Renderer
from spacy_deid.synthesis.roles import ROLES, Role
from spacy_deid.synthesis.template import TemplateError, parse_template
from spacy_deid.synthesis.values import load_values, set_of

CARRIERS = [
    Carrier(f"c{i}", "The patient denies pain. she is well. the lungs are clear.")
    for i in range(30)
]
TITLES = ("Mr", "Mrs", "Ms", "Dr", "Miss", "Prof")


def notes(assets: Path, count: int = 60, set_name: str = "train", seed: int = 1) -> list[Note]:
    return list(Generator(assets, set_name, seed, CARRIERS).notes(count))


def render(assets: Path, source: str) -> tuple[str, list[PhiSpan]]:
    values = NoteValues(load_values(assets, "train"), make_patient("x"), random.Random(0))
    return Renderer(values, {}, random.Random(0)).render(parse_template(source, "x"))


def phi(note: Note) -> list[tuple[str, str]]:
    return [(span.type, note.text[span.start : span.end]) for span in note.spans]


def test_gold_is_exact(assets: Path):
    for note in notes(assets, 200):
        assert check_spans(note.text, note.spans) is None
        for phi_type, text in phi(note):
            assert phi_type in CATEGORY
            assert text == text.strip() != ""
            if phi_type in ("PATIENT", "DOCTOR"):
                assert text.split()[0].rstrip(".") not in TITLES
        assert [span.id for span in note.spans] == [f"P{i}" for i in range(len(note.spans))]
        assert not {"{", "}"} & set(note.text)


def test_note_does_not_depend_on_the_others(assets: Path):
    assert notes(assets, 20) == notes(assets, 40)[:20]
    assert Generator(assets, "train", 1, CARRIERS).note(17) == notes(assets, 20)[17]


def test_seed_and_set_change_the_notes(assets: Path):
    texts = [
        tuple(note.text for note in notes(assets, 10, set_name, seed))
        for set_name in SETS
        for seed in (1, 2)
    ]
    assert len(set(texts)) == 6


def test_same_bytes_whatever_the_hash_seed(assets: Path):
    code = (
        "import hashlib, sys\nfrom pathlib import Path\n"
        "from spacy_deid.synthesis import Generator\n"
        "notes = Generator(Path(sys.argv[1]), 'dev', 5).notes(25)\n"
        "print(hashlib.sha256(repr(list(notes)).encode()).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    run = [sys.executable, "-c", code, str(assets)]
    output = subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout
    here = hashlib.sha256(repr(list(Generator(assets, "dev", 5).notes(25))).encode()).hexdigest()
    assert output.strip() == here


def test_some_patients_have_several_records(assets: Path):
    made = notes(assets, 80)
    assert len({note.id for note in made}) == 80
    records: dict[str, list[Note]] = {}
    for note in made:
        records.setdefault(note.patient_id, []).append(note)
    assert 1 < max(map(len, records.values())) <= 8
    assert min(map(len, records.values())) == 1


def test_values_of_the_sets_are_disjoint(assets: Path):
    lists = [load_values(assets, name).lists for name in SETS]
    for name in ("values/given_female", "values/family_common", "gazetteers/cities"):
        owned = [set(values[name]) for values in lists]
        assert not owned[0] & owned[1] and not owned[0] & owned[2] and not owned[1] & owned[2]
    assert {set_of(value) for value in lists[1]["values/family_common"]} == {"dev"}


def test_lists_too_short_for_a_set_are_named(assets: Path, tmp_path: Path):
    for folder in ("values", "gazetteers", "grammar"):
        (tmp_path / folder).symlink_to(assets / folder)
    (tmp_path / "gazetteers").unlink()
    (tmp_path / "gazetteers").mkdir()
    for file in (assets / "gazetteers").iterdir():
        (tmp_path / "gazetteers" / file.name).write_text(file.read_text())
    (tmp_path / "gazetteers" / "cities.txt").write_text("# none\n")
    with pytest.raises(ValueError, match=r"cities\.txt is too short"):
        load_values(tmp_path, "dev")


def test_a_role_whose_values_have_no_shape_is_named(assets: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(ROLES, "passport", Role("passport", "id", "IDNUM"))
    with pytest.raises(ValueError, match=r"shapes\.tsv has no row 'id passport'"):
        load_values.__wrapped__(assets, "train")


def test_missing_assets_are_named(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="no templates for the set 'dev'"):
        load_library(tmp_path, "dev")
    with pytest.raises(FileNotFoundError, match="--assets"):
        load_values(tmp_path, "dev")


@pytest.mark.parametrize("count", [3, 10, 1000, 3001])
def test_share_out_covers_all_sets(count: int):
    sizes = share_out(count)
    assert sum(sizes.values()) == count
    assert min(sizes.values()) >= 1 and sizes["train"] >= sizes["dev"]


def test_endless_and_missing_entries_are_errors(assets: Path):
    endless = Template("a", parse_template("{@a}", "a"), "any", (0, 110))
    renderer = Renderer(None, {"a": [endless]}, random.Random(0))  # type: ignore[arg-type]
    with pytest.raises(TemplateError, match="without end"):
        renderer.render(parse_template("{@a}", "x"))
    with pytest.raises(TemplateError, match="'b.txt'"):
        renderer.render(parse_template("{@b}", "x"))


def test_words_at_sentence_starts_are_capitalised(assets: Path):
    text, spans = render(assets, "Pain. {age.words} years, {age.words}.")
    assert text[spans[0].start].isupper()
    assert text[spans[1].start].islower()


def test_an_author_of_the_literature_is_no_phi(assets: Path):
    text, (span,) = render(assets, "({author.last} 2016), per {doctor.last}")
    assert span.type == "DOCTOR"
    assert re.fullmatch(r"\(\w.+ 2016\), per ", text[: span.start])


def test_article_of_a_date_is_no_phi(assets: Path):
    text, (span,) = render(assets, "{today.day_ordinal} was fine.")
    assert text.startswith("The ") and span.start == 4


def test_an_article_that_the_author_wrote_is_not_doubled(assets: Path):
    text, (span,) = render(assets, "Seen the {today.day_ordinal}.")
    assert text.startswith("Seen the ") and span.start == len("Seen the ")


@pytest.mark.parametrize(
    "template, n_mentions",
    [
        ("{patient.first} {patient.last}", 1),
        ("{patient.last}, {patient.first}", 1),
        ("{patient.first} {wife.first}", 2),
        ("{past.month} of {past.year}", 1),
        ("{past.day_ordinal} of {past.month}, {past.year}", 1),
        ("{past.weekday} the {past.day_ordinal}", 1),
        ("{past.weekday}, {past}", 1),
        ("{past.month} and {past.year}", 2),
        ("{past.short} of {past.year}", 2),
    ],
)
def test_slots_of_one_name_or_date_are_one_mention(assets: Path, template: str, n_mentions: int):
    _, spans = render(assets, template)
    assert len(spans) == n_mentions
