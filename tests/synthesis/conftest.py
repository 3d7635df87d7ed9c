"""A small assets folder: the project's own value lists, invented gazetteers, a few templates."""

from __future__ import annotations

import shutil
from itertools import product
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SYLLABLES = ("ba", "ko", "li", "ma", "ne", "ro", "su", "ti", "vo", "ze")
GAZETTEERS = (
    "given_names family_names world_given_names world_family_names cities world_cities hospitals "
    "street_names professions countries hospital_names agencies churches employers ems insurers "
    "labs pharmacies schools"
).split()
NOTES = {
    "a": "%% a01 | kind: ward | ages: 16-110 | sex: m\n"
    "{hospital}\nName: {patient.last_first}  MRN {mrn}  DOB {dob}\n"
    "Mr. {patient.last} is a {age}-year-old {job} of {city}, {state} {zip}.\n\n"
    "His wife {wife} ({phone}) called on {date.weekday}.\n\nDr. {doctor.last} {today}\n\n"
    "%% a02 | kind: clinic | ages: 16-110 | sex: any\n"
    "{clinic.upper}\n{patient} ({age}) lives at {street}, {city}. "
    "Foley out {date.short}.",
}
GRAMMAR = {
    "header": "{hospital} / {patient.last_first} / {mrn}\n{patient} {dob}\n",
    "negative": "No Parkinson disease.\nHgb {f:8.5-12.5}, improving since the Foley came out.\n",
    "social": "{ {patient.first}|The patient} works at {employer} in {city}.\n",
    "signature": "Signed: {doctor}, MD {signed}\\n{doctor.user}\n",
    "sentence": "Given {@drug} on {date.month_day} by {nurse.first}.\n",
}


@pytest.fixture(scope="session")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("assets")
    shutil.copytree(ROOT / "assets" / "values", folder / "values")
    _write_gazetteers(folder / "gazetteers")
    for set_name in ("train", "dev", "test"):
        _write_files(folder / "notes" / set_name, NOTES)
        _write_files(folder / "grammar" / set_name, GRAMMAR)
    _write_files(folder / "grammar" / "common", {"drug": "# drugs\nmetoprolol\n"})
    return folder


def _write_files(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf8")


def _write_gazetteers(folder: Path) -> None:
    words = [a + b + c + d for d in ("", "n", "s") for a, b, c in product(SYLLABLES, repeat=3)]
    lists = {}
    for number, name in enumerate(GAZETTEERS):
        own = words[number * 100 : number * 100 + 100]
        lists[name] = "\n".join(["# made up", *(word.capitalize() for word in own)])
    lists["common_words"] = "\n".join("the she he her it see call a seen pain fell".split())
    lists["medical_eponyms"] = "Parkinson\nFoley\n"
    _write_files(folder, lists)
    (folder / "states.tsv").write_text("Montana\tMT\nMaine\tME\n", encoding="utf8")
