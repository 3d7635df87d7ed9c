"""Outputs where there is a pipe, a device or a link: it must not give way to a file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from corpora_helpers import INSTALLED
from typer.testing import CliRunner

from spacy_deid.annotation.notes import Note
from spacy_deid.batch import redact_files
from spacy_deid.cli import app
from spacy_deid.corpora import write_notes
from spacy_deid.files import FormatError, replacing
from spacy_deid.redaction import RedactionError

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes"),
    pytest.mark.timeout(60),
]
KEY = "k" * 32


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    write_notes([Note("1", "Seen Maria")], tmp_path / "gold.jsonl")
    return tmp_path / "gold.jsonl"


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def test_a_pipe_is_never_replaced(gold: Path, pipe: Path) -> None:
    commands = [
        ["convert", gold, pipe, "--to", "jsonl"],
        ["convert", gold, pipe, "--to", "jsonl", "--force"],
        ["evaluate", gold, gold, "--resamples", "0", "--json", pipe],
        ["compare", gold, f"a={gold}", f"b={gold}", "--shuffles", "1", "--json", pipe],
    ]
    for args in commands:
        result = CliRunner().invoke(app, list(map(str, args)))
        output = " ".join(result.output.split())
        assert result.exit_code == 2
        assert f"{pipe} is a named pipe, but outputs are files" in output
        assert pipe.is_fifo()


@pytest.mark.parametrize("fmt", INSTALLED)
def test_every_writer_refuses_a_pipe(fmt: str, pipe: Path) -> None:
    with pytest.raises(ValueError, match="is a named pipe, but outputs are files"):
        write_notes([], pipe, fmt=fmt, force=True)
    assert pipe.is_fifo()


@pytest.mark.skipif(not os.path.islink("/dev/stdout"), reason="there is no link")
def test_the_file_behind_standard_output_is_not_replaced(tmp_path: Path) -> None:
    code = "from spacy_deid.files import check_output, Path; check_output(Path('/dev/stdout'))"
    with (tmp_path / "out").open("w") as out:
        ended = subprocess.run(
            [sys.executable, "-c", code], stdout=out, stderr=subprocess.PIPE, text=True
        )
    assert "/dev/stdout is a device, but outputs are files" in ended.stderr


def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path, pipe: Path) -> None:
    (tmp_path / "old").write_text("old")
    for name, target in (("link", "old"), ("to-link", "link"), ("to-new", "new")):
        (tmp_path / name).symlink_to(target)
        with replacing(tmp_path / name) as file:
            file.write(name.encode())
        assert (tmp_path / name).is_symlink() and (tmp_path / name).read_text() == name
    assert (tmp_path / "old").read_text() == "to-link"
    (tmp_path / "to-pipe").symlink_to(pipe)
    with (
        pytest.raises(FormatError, match="to-pipe is a named pipe"),
        replacing(tmp_path / "to-pipe"),
    ):
        pass
    assert pipe.is_fifo()


def test_redact_replaces_no_pipe_in_its_output_folder(nlp, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Maria")
    for name in ("a.txt", "manifest.jsonl"):
        out = tmp_path / f"out of {name}"
        out.mkdir()
        os.mkfifo(out / name)
        with pytest.raises(RedactionError, match=f"{name} is a named pipe"):
            redact_files([tmp_path / "a.txt"], out, nlp, force=True)
        assert [path.name for path in out.iterdir()] == [name] and (out / name).is_fifo()


def test_originals_go_where_a_link_leads(nlp, tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    (tmp_path / "a.txt").write_text("Maria")
    (tmp_path / "link").symlink_to(tmp_path / "originals")
    redact_files(
        [tmp_path / "a.txt"],
        tmp_path / "out",
        nlp,
        policy="surrogate",
        key=KEY,
        keep_originals=tmp_path / "link",
    )
    assert (tmp_path / "link").is_symlink() and (tmp_path / "originals").stat().st_size
