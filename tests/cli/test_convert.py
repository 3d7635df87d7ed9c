from __future__ import annotations

from pathlib import Path

import pytest
from corpora_helpers import INSTALLED, TARGETS
from spacy.language import Language
from typer.testing import CliRunner

from spacy_deid.cli import app, convert
from spacy_deid.corpora import CORPUS_FORMATS, read_notes

GOOD = '{"id": "1", "text": "Mr Ada", "spans": [{"start": 3, "end": 6, "label": "PERSON"}]}\n'
TITLE = '{"id": "2", "text": "Mr Ada", "spans": [{"start": 0, "end": 2, "label": "TITLE"}]}\n'
BAD = '{"id": "3", "text": "Mr Ada", "spans": [{"start": 3, "end": 9, "label": "PERSON"}]}\n'
LABELS = ["--labels", "presidio-research"]


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "in.jsonl"
    path.write_text(GOOD + TITLE)
    return str(path)


def run(*args: str) -> tuple[int, str]:
    """The exit code and the output, without its line breaks."""
    result = CliRunner().invoke(app, ["convert", *args])
    return result.exit_code, " ".join(result.output.split())


def test_convert_reports_what_it_wrote(source: str, tmp_path: Path) -> None:
    code, output = run(source, str(tmp_path / "out.spacy"), *LABELS)
    assert code == 0
    assert "Notes converted: 2, spans: 1 (NAME 1)" in output
    assert "Spans dropped, as their labels have no PHI type: 1 (TITLE 1)" in output
    assert [note.id for note in read_notes(tmp_path / "out.spacy")] == ["1", "2"]


def test_convert_lists_problems_and_fails_but_converts_the_rest(
    source: str, tmp_path: Path
) -> None:
    with Path(source).open("a") as file:
        file.write(BAD)
    out = tmp_path / "out"
    code, output = run(source, str(out), "--from", "jsonl", "--to", "brat", *LABELS)
    assert code == 1
    assert "Notes set aside: 1" in output
    assert f"{source}, line 3: tag spans[0] [3, 9) lies outside the text" in output
    assert sorted(file.name for file in out.iterdir()) == ["1.ann", "1.txt", "2.ann", "2.txt"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nowhere", "out.spacy"], "there is no file or folder nowhere"),
        (["{source}", "out"], "the format of out is unclear"),
        (["{source}", "out.spacy", "--from", "csv"], "unknown format 'csv'"),
        (["{source}", "out.spacy", "--labels", "mine"], "unknown label set 'mine'"),
        (["{source}", "{source}", "--force"], "{source} would replace what is read from {source}"),
    ],
)
def test_convert_says_in_one_sentence_what_is_wrong(
    source: str, args: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, output = run(*(source if arg == "{source}" else arg for arg in args))
    assert code == 2
    assert message.format(source=source) in output
    assert "Traceback" not in output
    assert [file.name for file in tmp_path.iterdir()] == ["in.jsonl"]


def test_convert_replaces_when_forced(source: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("old")
    assert run(source, str(out), *LABELS)[0] == 2
    assert run(source, str(out), "--force", *LABELS)[0] == 0
    assert [len(note.spans) for note in read_notes(out)] == [1, 0]


def test_convert_with_a_model_never_replaces_its_input(texts: Path) -> None:
    path = texts / "a" / "1.txt"
    code, output = run(str(texts), str(path), "--to", "jsonl", "--model", "toy", "--force")
    assert code == 2 and "would replace what is read from" in output
    assert path.read_text().startswith("Seen")


@pytest.fixture
def texts(tmp_path: Path, nlp: Language, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Notes without annotation, in two folders, and the toy pipeline as the model `toy`."""
    monkeypatch.setattr(convert, "load_pipeline", lambda name, threshold: nlp)
    for place, text in (("a/1", "Seen Maria\r\n\U0001f600 on 1/2/2067."), ("b/1", "BOOM Maria")):
        path = tmp_path / "in" / f"{place}.txt"
        path.parent.mkdir(parents=True)
        path.write_bytes(text.encode())
    return tmp_path / "in"


@pytest.mark.parametrize("fmt", INSTALLED)
def test_convert_with_a_model_preannotates_texts(texts: Path, fmt: str, tmp_path: Path) -> None:
    (texts / "a" / "1.txt").write_text("Seen Maria\n\U0001f600 on 1/2/2067.")
    out = tmp_path / TARGETS[fmt]
    code, output = run(str(texts), str(out), "--to", fmt, "--model", "toy")
    assert code == 1 and "note b/1: the pipe 'toy_detector' failed" in output
    assert "Notes converted: 1, spans: 2 (NAME 1, DATE 1)" in output and "Maria" not in output
    (note,) = read_notes(out, fmt=fmt)
    assert note.id == ("a__1" if CORPUS_FORMATS[fmt].folder else "a/1")
    assert [(note.text[span.start : span.end], span.type) for span in note.spans] == [
        ("Maria", "PATIENT"),
        ("1/2/2067", "DATE"),
    ]


def test_convert_with_a_model_reads_columns_and_names_rows_whose_id_is_used(
    texts: Path, tmp_path: Path
) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.jsonl"
    source.write_text("mrn,note\n7,Maria came\n8,Lopez came\n7,Maria left\n")
    columns = ["--text-column", "note", "--id-column", "mrn"]
    code, output = run(str(source), str(out), "--model", "toy", *columns)
    assert code == 0, output
    assert [note.id for note in read_notes(out)] == ["7", "8", "in.csv#3"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--threshold", "0.5"], "--threshold, --text-column and --id-column need --model"),
        (["--id-column", "mrn"], "--threshold, --text-column and --id-column need --model"),
        (["--model", "toy", "--labels", "i2b2-2006"], "--labels is for annotated notes"),
    ],
)
def test_convert_refuses_options_that_would_have_no_effect(
    texts: Path, args: list[str], message: str, tmp_path: Path
) -> None:
    code, output = run(str(texts), str(tmp_path / "out.jsonl"), *args)
    assert code == 2 and message in output


def test_convert_help_has_examples() -> None:
    code, output = run("--help")
    assert code == 0
    assert "spacy-deid convert notes.jsonl notes-brat/ --to brat" in output
