from __future__ import annotations

import pytest
from typer.testing import CliRunner

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.cli import app
from spacy_deid.corpora import write_notes


@pytest.fixture
def out(tmp_path):
    return tmp_path / "page.html"


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "lopez.jsonl"
    write_notes([Note("lopez", "Maria and Chen", (PhiSpan(10, 14, "DOCTOR"),))], path)
    return path


def show(*args):
    return CliRunner().invoke(app, ["show", *map(str, args)])


def test_show_cli_searches_text(model, tmp_path, out):
    (tmp_path / "a.txt").write_text("Maria and Chen")
    result = show(tmp_path / "a.txt", "--out", out, "--model", model)
    assert result.exit_code == 0, result.output
    words = " ".join(result.output.split())
    assert "with 1 PHI" in words and "keep it only where" in words
    html = out.read_text("utf-8")
    assert "Maria" in html and "toy_detector · score 0.90" in html


def test_show_cli_leaves_out_what_fails(model, tmp_path, out):
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in {"a": b"Maria", "b": b"BOOM Chen", "c": b"Chen \xff"}.items():
        (folder / f"{name}.txt").write_bytes(text)
    result = show(folder, "--out", out, "--model", model)
    assert result.exit_code == 1
    assert "note b: the pipe 'toy_detector' failed (ValueError)" in result.output
    assert "c.txt: it is not valid UTF-8" in result.output
    html = out.read_text("utf-8")
    assert html.count("<article") == 1 and "Chen" not in result.output + html


def test_show_cli_takes_the_phi_of_a_corpus(model, corpus, out):
    assert show(corpus, "-o", out).exit_code == 0
    assert ">[DOCTOR]</mark>" in out.read_text("utf-8")
    assert show(corpus, "-o", out, "--model", model, "--policy", "mask").exit_code == 0
    assert ">*****</mark> and Chen" in out.read_text("utf-8")


def test_show_cli_redacted_only(corpus, out):
    result = show(corpus, "-o", out, "--redacted-only")
    assert result.exit_code == 0 and "keep it only where" not in result.output
    html = out.read_text("utf-8")
    assert "Chen" not in html and "lopez" not in html


def test_show_cli_opens_the_page(corpus, out, monkeypatch):
    opened = []
    monkeypatch.setattr("typer.launch", opened.append)
    show(corpus, "-o", out, "--open")
    assert opened == [str(out)]


@pytest.mark.parametrize(
    "args, message",
    [
        (["gone.txt"], "there is no file or folder"),
        (["{corpus}", "--policy", "blur"], "unknown style or policy"),
        (["{corpus}", "--model", "gone"], "is not installed"),
        (["{corpus}", "--format", "pdf"], "unknown format"),
        (["{corpus}", "--out", "{corpus}"], "the suffix of --out is '.jsonl'"),
    ],
)
def test_show_cli_fails_with_a_clear_word(corpus, out, args, message):
    before = corpus.read_bytes()
    args = [arg.format(corpus=corpus) for arg in args]
    result = show(*([] if "--out" in args else ["-o", out]), *args)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert corpus.read_bytes() == before and not out.exists()


def test_show_cli_takes_no_corpus_for_searched_where_nothing_is_marked(model, tmp_path, out):
    path = tmp_path / "raw.jsonl"
    write_notes([Note("a", "Maria")], path)
    result = show(path, "-o", out, "--redacted-only")
    assert result.exit_code == 2 and "no PHI is marked" in result.output
    assert not out.exists()
    assert show(path, "-o", out, "--model", model).exit_code == 0


def test_show_cli_reads_tables_by_column(model, tmp_path, out):
    table = tmp_path / "visits.csv"
    table.write_text("mrn,note\n1,Maria came\n2,nobody\n1,Maria left\n")
    wrong = show(table, "-o", out, "--model", model, "--text-column", "notes")
    words = " ".join(wrong.output.split())
    assert wrong.exit_code == 2 and not out.exists()
    assert "no column 'notes' (--text-column); its columns are mrn, note" in words
    args = [table, "-o", out, "--model", model, "--text-column", "note", "--patient-column", "mrn"]
    key = tmp_path / "key"
    key.write_text("a key of sixteen bytes")
    result = show(*args, "--policy", "surrogate", "--key-file", key)
    assert result.exit_code == 0, result.output
    page = out.read_text("utf-8")
    assert page.count("<article") == 3 and "visits.csv#3" in page
    assert show(*args, "--sample", 1, "--sample-by", "patient").exit_code == 0
    assert out.read_text("utf-8").count("<article") == 1
    assert show(*args, "--sample", 1, "--sample-by", "ward").exit_code == 2
    assert show(*args, "--sample-by", "patient").exit_code == 2


def test_show_cli_threshold(model, tmp_path, out):
    (tmp_path / "a.txt").write_text("Maria")
    assert "with 0 PHI in 1" in show(
        tmp_path / "a.txt", "-o", out, "--model", model, "--threshold", 0.95
    ).output.replace("\n", " ")
