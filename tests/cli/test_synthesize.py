from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from spacy_deid.cli import app
from spacy_deid.corpora import read_notes

ASSETS = Path(__file__).parents[2] / "assets"


def run(*args: str) -> tuple[int, str]:
    """The exit code and the output, without its line breaks."""
    result = CliRunner().invoke(app, ["synthesize", *args])
    return result.exit_code, " ".join(result.output.split())


def write(out: Path, *args: str) -> dict[str, bytes]:
    """The files that a run writes, by their paths in the folder."""
    code, output = run(str(out), "--assets", str(ASSETS), *args)
    assert code == 0, output
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*.xml"))}


@pytest.mark.slow
def test_three_sets_by_default(tmp_path: Path):
    files = write(tmp_path / "corpus", "--notes", "20", "--seed", "4")
    sets = [name.split("/")[0] for name in files]
    assert [sets.count(name) for name in ("train", "dev", "test")] == [16, 2, 2]
    assert "train/0001-01.xml" in files
    notes = list(read_notes(tmp_path / "corpus" / "train"))
    assert len(notes) == 16 and all(note.text for note in notes)
    assert sum(len(note.spans) for note in notes) > 50


def test_same_seed_same_bytes(tmp_path: Path):
    first = write(tmp_path / "a", "--notes", "5", "--set", "dev")
    assert write(tmp_path / "b", "--notes", "5", "--set", "dev") == first
    assert write(tmp_path / "c", "--notes", "5", "--set", "dev", "--seed", "1") != first


def test_carriers_are_planted(tmp_path: Path):
    texts = tmp_path / "texts"
    texts.mkdir()
    for i in range(40):
        (texts / f"t{i}.txt").write_text("the zygote is quiet. the patient denies pain.")
    files = write(tmp_path / "out", "--notes", "12", "--set", "train", "--carriers", str(texts))
    assert any(b"zygote" in data.lower() for data in files.values())


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--set", "all"], "unknown set 'all'; the sets are train, dev, test"),
        (["--assets", "nowhere"], "there is no folder nowhere"),
        (["--carriers", "nowhere"], "there are no carriers at nowhere"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, args: list[str], message: str):
    given = args if "--assets" in args else ["--assets", str(ASSETS), *args]
    code, output = run(str(tmp_path / "out"), *given)
    assert code == 2
    assert message in output
    assert not (tmp_path / "out").exists()


def test_files_are_replaced_only_when_forced(tmp_path: Path):
    write(tmp_path, "--notes", "3", "--set", "test")
    code, output = run(str(tmp_path), "--assets", str(ASSETS), "--notes", "3", "--set", "test")
    assert code == 2 and "exists already" in output
    assert len(write(tmp_path, "--notes", "3", "--set", "test", "--force")) == 3


def test_help_has_examples():
    code, output = run("--help")
    assert code == 0
    assert "spacy-deid synthesize corpus/ --notes 3000" in output
