"""The lines of docs/how-to/prove.md run; its readers act through the server."""

from __future__ import annotations

import json
import re
import shlex
from functools import partial
from pathlib import Path

import pytest
import spacy
from typer.testing import CliRunner

pytest.importorskip("fastapi")
pytest.importorskip("torch")
pytest.importorskip("onnx")

import httpx
from reviewing import TOKEN
from running import running

from spacy_deid.adapt.training_notes import synthetic_replay
from spacy_deid.cli import app

QUICK = {"adapt": ["--steps", "3", "--force"]}
"""Options that keep the test short; after three steps, a model may be worse."""

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "prove.md").read_text("utf-8")
(LINES,) = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)


def serve(server, *_):
    """Read all notes, in place of serving until Ctrl-C."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with running(server) as url, httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        read(client)


def read(client):
    """Accept what is found; anna and ben do not agree on the last piece of each second note."""
    project = client.get("/api/project").json()
    for number in (note["number"] for note in project["notes"]):
        view = client.get(f"/api/notes/{number}").json()
        while view["stage"] != "done":
            path, last = f"/api/notes/{number}/events", view["last"]
            open_marks = [mark for mark in view["marks"] if not mark[3]]
            marked = [[*mark[:3], True] for mark in open_marks]
            if project["reader"] == "ben" and number % 2:
                marked = marked[:-1]
            edit = {"last": last, "kind": "edit", "remove": open_marks, "add": marked}
            last = client.post(path, json={**edit, "seconds": 30}).json()["last"]
            view = client.post(path, json={"last": last, "kind": "done"}).json()


@pytest.mark.slow
@pytest.mark.skipif(not spacy.util.is_package("en_deid"), reason="needs the en_deid wheel")
@pytest.mark.timeout(600)
def test_from_a_plan_to_an_adapted_model(tmp_path, monkeypatch):
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("spacy_deid.review.server.run_app", serve)
    monkeypatch.setattr("spacy_deid.review.server.secrets.token_urlsafe", lambda _: TOKEN)
    few = partial(synthetic_replay, learn=20, test=5)
    monkeypatch.setattr("spacy_deid.cli.adapt.synthetic_replay", few)
    commands = [shlex.split(line)[1:] for line in LINES.strip().splitlines()]
    assert len(commands) == 10
    for command in commands:
        result = CliRunner().invoke(app, command + QUICK.get(command[0], []))
        assert result.exit_code == 0, (command, result.output)
    proof = json.loads(Path("output/proof.json").read_text())
    assert proof["notes"] == 8 and proof["seconds"] > 0
    recall = proof["recall"]["all"]
    assert 0.9 < recall["clustered"]["low"] < recall["estimate"] <= 1
    assert proof["lower_bound"] == 0  # these readers find nothing that they are not shown
    assert proof["readers"]["blind"]["total"] > 10 and proof["agreement"][0]["notes"] == 8
    assert not any("disagree" in caveat for caveat in proof["caveats"])
    html = Path("output/proof.html").read_text("utf-8")
    assert "not an expert determination" in html and "Ostrander" not in html
    assert Path("output/gold.spacy").stat().st_size > 0
    gain = json.loads(Path("output/gain.json").read_text())
    assert gain["learned_from"] + gain["threshold_from"] + gain["local"]["notes"] == 8
    assert gain["replayed"]["notes"] == 5
    assert f"Left out: {8 - gain['local']['notes']} notes of patients" in result.output
