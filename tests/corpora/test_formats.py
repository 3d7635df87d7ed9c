from __future__ import annotations

from pathlib import Path

import pytest

from spacy_deid.corpora.io import FORMATS, input_format, output_format
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


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a.txt"], "unclear; name it with `fmt=`, one of i2b2, jsonl, brat, docbin"),
        (["a.xml", "a.ann"], "unclear; name it with `fmt=`, one of i2b2, brat"),
    ],
)
def test_unclear_input_must_be_named(tmp_path: Path, names: list[str], message: str) -> None:
    touch(tmp_path, *names)
    with pytest.raises(ValueError, match=message):
        input_format(tmp_path)
    assert input_format(tmp_path, "brat") is FORMATS["brat"]


@pytest.mark.parametrize(
    ("name", "expected"), [("out.spacy", "docbin"), ("a.b/out.JSONL", "jsonl")]
)
def test_suffix_tells_output_format(name: str, expected: str) -> None:
    assert output_format(Path(name)).name == expected


@pytest.mark.parametrize("name", ["out", "out.xml", "out.ann"])
def test_output_folder_must_be_named(name: str) -> None:
    with pytest.raises(ValueError, match=f"format of {name} is unclear"):
        output_format(Path(name))
    assert output_format(Path(name), "i2b2") is FORMATS["i2b2"]


def test_unknown_name_and_path_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown format 'xml'; the formats are i2b2, jsonl"):
        get_format("xml", FORMATS)
    with pytest.raises(ValueError, match="there is no file or folder"):
        input_format(tmp_path / "nowhere", "i2b2")
