"""Every command and every Python block of the README runs, on the installed model."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import spacy

from spacy_deid.annotation.phi import CATEGORY

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
SET_UP = ("make ", "python -m pip install", "python -m spacy project run")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


COMMANDS = [line for block in blocks("bash") for line in block.strip().splitlines()]

pytestmark = pytest.mark.skipif(
    not spacy.util.is_package("en_deid"), reason="needs the en_deid wheel, which make test installs"
)


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A copy of what the commands read, so that nothing is written into the checkout."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "assets", folder / "assets")
    return folder


def test_readme_has_blocks():
    assert len(COMMANDS) >= 8 and len(blocks("python")) >= 1


@pytest.mark.parametrize("command", [line for line in COMMANDS if not line.startswith(SET_UP)])
def test_command_runs(command, project):
    scripts = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(shlex.split(command), cwd=project, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_set_up_commands_are_those_of_make_and_project():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    project = (ROOT / "project.yml").read_text("utf-8")
    for command in [line for line in COMMANDS if line.startswith(SET_UP)]:
        last = command.split()[-1]
        if command.startswith("make "):
            assert f"\n{last}:" in makefile
        elif command.startswith("python -m pip"):
            assert last in ("torch", ".") or (ROOT / last).is_file()
        else:
            workflow = command.removeprefix("python -m spacy project run ").split()[0]
            assert re.search(rf"^  {workflow}:$", project, re.MULTILINE)
            for name, value in re.findall(r"--vars\.(\w+) (\S+)", command):
                assert re.search(rf"^  {name}:", project, re.MULTILINE)
                assert name != "config" or (ROOT / "configs" / f"{value}.cfg").is_file()


def test_readme_names_every_type():
    assert [name for name in CATEGORY if f"`{name}`" not in README] == []


@pytest.mark.filterwarnings("ignore:.W113")  # the ruler needs no word vectors
def test_python_blocks_find_redact_and_combine(capsys):
    names = {}
    for code in blocks("python"):
        exec(compile(code, "README.md", "exec"), names)
    printed = capsys.readouterr().out
    assert printed.startswith("Seen by Dr. [DOCTOR] on [DATE]. Call [PHONE] with results.\n")
    assert "('Maria Lopez', 'DOCTOR')" in printed and "('82', 'AGE')" in printed
    assert "[DOCTOR]" in printed and "Lopez" not in printed.split("\n")[2]
    text = "Dr. Maria Lopez gave warfarin."
    assert [ent.label_ for ent in names["other"](text).ents] == ["DOCTOR"]
    assert [ent.label_ for ent in names["nlp"](text).ents] == ["DOCTOR", "DRUG"]
