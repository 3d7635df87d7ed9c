"""What can go wrong around a run: full disks, killed parents, odd inputs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spacy_deid.batch import Patients, read_known, read_manifest, redact_files
from spacy_deid.batch.output import Output
from spacy_deid.files import FormatError
from spacy_deid.records import Fields
from spacy_deid.redaction import Key, RedactionError, styles

KEY = Key(b"0123456789abcdef")


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = [{"id": "same", "text": f"Maria {i}"} for i in range(300)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_full_disk_stops_and_can_be_resumed(nlp, source, tmp_path, monkeypatch):
    out, write, left = tmp_path / "out", Output._write, [100]

    def fill(self, data):
        left[0] -= 1
        if not left[0]:
            raise OSError(28, "No space left on device")
        write(self, data)

    monkeypatch.setattr(Output, "_write", fill)
    message = r"a\.jsonl cannot be written: No space left on device; when it can, .* `resume=True`"
    with pytest.raises(RedactionError, match=message):
        redact_files([source], out, nlp)
    assert not (out / "a.jsonl").exists()
    summary = redact_files([source], out, nlp, resume=True)
    assert summary.notes == 300
    lines = (out / "a.jsonl").read_text().splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    assert texts == [f"[PATIENT] {i}" for i in range(300)]


def test_text_that_is_no_unicode_is_withheld(nlp, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "Maria \\ud800"}\n{"text": "Maria"}\n')
    summary = redact_files([tmp_path / "a.jsonl"], tmp_path / "out", nlp, key=KEY)
    assert [failure.row for failure in summary.failures] == ["1"]
    result = (tmp_path / "out" / "a.jsonl").read_text()
    assert result == '{"text": null}\n{"text": "[PATIENT]"}\n'


def test_result_that_its_file_cannot_hold_is_withheld(nlp, tmp_path, monkeypatch):
    monkeypatch.setitem(styles.STYLES, "nul", lambda note: ["\x00"] * len(note.spans))
    for number, text in enumerate(["Maria", "nobody"]):
        xml = f"<a><TEXT>{text}</TEXT></a>"
        (tmp_path / f"{number}.xml").write_text(xml)
    summary = redact_files(
        [tmp_path / "0.xml", tmp_path / "1.xml"], tmp_path / "out", nlp, policy="nul"
    )
    assert [failure.error for failure in summary.failures] == [
        "its file cannot hold the result (FormatError)"
    ]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["1.xml", "manifest.jsonl"]


def test_equal_ids_are_different_notes(nlp, source, tmp_path):
    redact_files([source], tmp_path / "out", nlp, key=KEY)
    _, *lines, _, _ = read_manifest(tmp_path / "out" / "manifest.jsonl")
    assert len({line["output"] for line in lines}) == len({line["note"] for line in lines}) == 300


_RUN = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from spacy.language import Language
from toy_pipeline import make_toy_pipeline
from spacy_deid.batch import redact_files

if __name__ == "__main__":
    nlp = make_toy_pipeline()
    redact_files([Path(sys.argv[2])], Path(sys.argv[3]), nlp, n_process=2, batch_size=1,
                 on_note=lambda note: time.sleep(0.02))
"""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")
@pytest.mark.slow
def test_killed_run_leaves_no_process_and_goes_on(nlp, source, tmp_path):
    script, out = tmp_path / "run.py", tmp_path / "out"
    script.write_text(_RUN)
    tests = str(Path(__file__).parents[1])
    run = subprocess.Popen([sys.executable, str(script), tests, str(source), str(out)])
    while not (out / "manifest.jsonl").exists() or not (out / ".spacy-deid" / "part").exists():
        assert run.poll() is None
        time.sleep(0.05)
    family = descendants(run.pid)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    end = time.monotonic() + 20
    while any(map(alive, family)) and time.monotonic() < end:
        time.sleep(0.05)
    assert len(family) >= 3 and not any(map(alive, family))
    assert redact_files([source], out, nlp, resume=True).notes == 300
    redact_files([source], tmp_path / "expected", nlp)
    assert (out / "a.jsonl").read_bytes() == (tmp_path / "expected" / "a.jsonl").read_bytes()


def descendants(pid):
    """The processes that one has started, and those that they have."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_patients_of_files_and_records(nlp, tmp_path):
    seen = []

    class Watched(Patients):
        def patient_of(self, task, record):
            seen.append(super().patient_of(task, record))
            return seen[-1]

    notes = tmp_path / "ward"
    notes.mkdir()
    (notes / "110-01.txt").write_text("a")
    (notes / "b.jsonl").write_text(
        '{"id": "7-2", "text": "a", "mrn": "x"}\n{"text": "a", "mrn": 5}\n'
    )
    for number, (patients, fields) in enumerate(
        [
            (Watched(), Fields()),
            (Watched("name"), Fields()),
            (Watched("folder"), Fields()),
            (Watched("name"), Fields(patient="mrn")),
        ]
    ):
        redact_files([notes], tmp_path / str(number), nlp, patients=patients, fields=fields)
    assert seen == ["", "", "", "110", "7", "", "ward", "ward", "ward", "110", "x", "5"]


@pytest.mark.parametrize(
    "content, message",
    [
        ("a,b\n", "needs the columns"),
        ("patient_id,type,value\n1,DATE,\n", "line 2: it has no value"),
        ("patient_id,type,value\n,DATE,1\n", "line 2: it has no value, or no id"),
        ("patient_id,type,value\n1,DAY,1\n", "line 2: a type of known data is not a PHI type"),
        ('patient_id,type,value\n1,DATE,"1\n', "is not CSV"),
        ("patient_id,type,value\n1,PATIENT,Lind, Ann\n", "line 2: it has more cells than columns"),
    ],
)
def test_known_phi_that_is_not_sound(tmp_path, content, message):
    path = tmp_path / "known.csv"
    path.write_text(content)
    with pytest.raises(FormatError, match=message):
        read_known(path)


def test_known_phi_needs_a_merger_and_a_file(nlp, source, tmp_path):
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        read_known(tmp_path / "gone.csv")
    with pytest.raises(RedactionError, match="not by 'row'"):
        Patients("row")
    nlp.remove_pipe("phi_merger")
    patients = Patients(known=[{"note_id": "same", "type": "PATIENT", "value": "Maria"}])
    with pytest.raises(RedactionError, match="phi_known needs a phi_merger"):
        redact_files([source], tmp_path / "out", nlp, patients=patients)
