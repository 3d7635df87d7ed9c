from __future__ import annotations

from pathlib import Path

import pytest

from spacy_deid import corpora
from spacy_deid.corpora.io import CORPUS_FORMATS, input_format, output_format
from spacy_deid.files import get_format


def touch(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).touch()
    return folder


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["110-01.xml", "README"], "i2b2"),
        (["110-01.XML", ".hidden.ann"], "i2b2"),
        (["a.txt", "a.ann", "annotation.conf"], "brat"),
        (["train-1.spacy", "train-2.spacy"], "docbin"),
        (["a.jsonl"], "jsonl"),
    ],
)
def test_folder_tells_its_format(tmp_path: Path, names: list[str], expected: str) -> None:
    assert input_format(touch(tmp_path, *names)).name == expected


@pytest.mark.parametrize("name", ["a.xml", "a.ann", "a.spacy", "a.jsonl"])
def test_file_tells_its_format(tmp_path: Path, name: str) -> None:
    assert input_format(touch(tmp_path, name, "b.xml", "b.ann") / name).suffixes == (
        Path(name).suffix,
    )


def test_the_public_names_of_before_stay() -> None:
    assert corpora.FORMATS is CORPUS_FORMATS and corpora.Format is corpora.CorpusFormat


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a.txt"], f"unclear; name it with `fmt=`, one of {', '.join(CORPUS_FORMATS)}"),
        (["a.xml", "a.ann"], "unclear; name it with `fmt=`, one of i2b2, brat"),
    ],
)
def test_unclear_input_must_be_named(tmp_path: Path, names: list[str], message: str) -> None:
    touch(tmp_path, *names)
    with pytest.raises(ValueError, match=message):
        input_format(tmp_path)
    assert input_format(tmp_path, "brat") is CORPUS_FORMATS["brat"]


@pytest.mark.parametrize(
    ("name", "expected"), [("out.spacy", "docbin"), ("a.b/out.JSONL", "jsonl")]
)
def test_suffix_tells_output_format(name: str, expected: str) -> None:
    assert output_format(Path(name)).name == expected


@pytest.mark.parametrize("name", ["out", "out.xml", "out.ann"])
def test_output_folder_must_be_named(name: str) -> None:
    with pytest.raises(ValueError, match=f"format of {name} is unclear"):
        output_format(Path(name))
    assert output_format(Path(name), "i2b2") is CORPUS_FORMATS["i2b2"]


def test_unknown_name_and_path_are_refused(tmp_path: Path) -> None:
    names = ", ".join(CORPUS_FORMATS)
    with pytest.raises(ValueError, match=f"unknown format 'xml'; the formats are {names}"):
        get_format("xml", CORPUS_FORMATS)
    with pytest.raises(ValueError, match="there is no file or folder"):
        input_format(tmp_path / "nowhere", "i2b2")
