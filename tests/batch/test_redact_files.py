from __future__ import annotations

import json
import re
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest
import srsly
from spacy.language import Language
from spacy.util import raise_error

from spacy_deid.batch import MANIFEST, Patients, read_known, read_manifest, redact_files
from spacy_deid.records import Fields
from spacy_deid.redaction import Key, RedactionError
from spacy_deid.redaction import styles as style_module

NOTE = "Maria came on 3/4/67.\n"
REDACTED = "[PATIENT] came on [DATE].\n"


def write(folder, **notes):
    folder.mkdir(exist_ok=True, parents=True)
    for name, text in notes.items():
        data = text if isinstance(text, bytes) else text.encode()
        (folder / f"{name}.txt").write_bytes(data)
    return folder


def files(folder):
    """All files below a folder but the manifest and the lock, hidden and temporary ones too."""
    return {
        str(path.relative_to(folder)): path.read_bytes().decode()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("manifest.jsonl", "lock")
    }


@pytest.fixture
def notes(tmp_path):
    return tmp_path / "notes"


@pytest.fixture
def out(tmp_path):
    return tmp_path / "new" / "out"


@pytest.mark.parametrize("n_process", [1, 2])
def test_redact_files_keeps_names_and_folders(nlp, notes, out, tmp_path, n_process):
    write(notes, a=NOTE, b="none")
    write(notes / "ward" / "2", a="Lopez")
    (notes / "skip.md").write_text("Maria")
    single = write(tmp_path / "more", letter="Maria") / "letter.txt"
    results = []
    summary = redact_files([notes, single], out, nlp, n_process=n_process, on_note=results.append)
    assert files(out) == {
        "a.txt": REDACTED,
        "b.txt": "none",
        "ward/2/a.txt": "[PATIENT]",
        "letter.txt": "[PATIENT]",
    }
    assert (summary.notes, summary.failures) == (4, [])
    assert summary.phi == Counter(PATIENT=3, DATE=1)
    assert [result.target.name for result in results] == ["a.txt", "b.txt", "a.txt", "letter.txt"]
    assert results[0].phi == Counter(PATIENT=1, DATE=1)


@pytest.mark.parametrize(
    "old, new",
    [
        ("Maria\r\nLopez\r\n", "[PATIENT]\r\n[PATIENT]\r\n"),
        ("Maria\rLopez", "[PATIENT]\r[PATIENT]"),
        ("\ufeffMaria", "\ufeff[PATIENT]"),
        ("\ufeff", "\ufeff"),
        ("", ""),
        ("\n\n \n", "\n\n \n"),
        ("a\x00Maria\x00", "a\x00[PATIENT]\x00"),
        ("x 555\r\n 0116", "x [PHONE]"),
        ("\U0001f600 Maria \u2028", "\U0001f600 [PATIENT] \u2028"),
    ],
)
def test_redact_files_keeps_bytes_around_phi(nlp, notes, out, old, new):
    write(notes, a=old)
    redact_files([notes], out, nlp)
    assert (out / "a.txt").read_bytes() == new.encode()


def test_redact_files_mask_keeps_line_ends_within_phi(nlp, notes, out):
    write(notes, a="x 555\r\n 0116.")
    redact_files([notes], out, nlp, policy="mask")
    assert (out / "a.txt").read_bytes() == b"x ***\r\n ****."


@pytest.mark.parametrize("n_process, batch_size", [(1, 64), (1, 2), (2, 3)])
@pytest.mark.parametrize("breaker", [False, True])
def test_redact_files_withholds_what_fails(nlp, notes, out, n_process, batch_size, breaker):
    if breaker:
        nlp.add_pipe("toy_stream_breaker", first=True)
    write(notes, a=NOTE, b=NOTE, c="BOOM Maria", d=NOTE, e="BOOM Maria", f="", g="Lopez")
    if breaker:
        write(notes, c="CRASH Maria", h="CRASH")
    summary = redact_files([notes], out, nlp, n_process=n_process, batch_size=batch_size)
    assert files(out) == {
        **dict.fromkeys(("a.txt", "b.txt", "d.txt"), REDACTED),
        "f.txt": "",
        "g.txt": "[PATIENT]",
    }
    failed = {failure.source.stem: failure.error for failure in summary.failures}
    assert sorted(failed) == (["c", "e", "h"] if breaker else ["c", "e"])
    assert failed["e"] == "the pipe 'toy_detector' failed (ValueError)"
    assert summary.notes == 5
    assert "Maria" not in str(summary)


def test_redact_files_first_of_two_equal_notes_fails_once(nlp, notes, out):
    """A note that fails by chance, in front of one with the same text, passes when tried again."""
    seen = []

    def fail_once(doc):
        seen.append(doc.text)
        if len(seen) == 1:
            raise OSError
        return doc

    Language.component("toy_fail_once", func=fail_once)
    nlp.add_pipe("toy_fail_once")
    write(notes, a=NOTE, b=NOTE, c="x")
    summary = redact_files([notes], out, nlp)
    assert (summary.notes, len(seen)) == (3, 4)
    assert files(out) == {"a.txt": REDACTED, "b.txt": REDACTED, "c.txt": "x"}


def test_redact_files_restores_error_handlers(nlp, notes, out):
    write(notes, a="BOOM")
    redact_files([notes], out, nlp)
    assert nlp.default_error_handler is raise_error
    assert nlp.get_pipe("phi_merger").get_error_handler() is raise_error
    with pytest.raises(ValueError):
        nlp("BOOM")


def test_redact_files_unreadable_notes_fail(nlp, notes, out):
    write(notes, a=NOTE, b=b"Maria \xff", c="Maria" * 40, d="Lopez")
    (notes / "e.txt").symlink_to(notes / "gone.txt")
    nlp.max_length = 100
    summary = redact_files([notes], out, nlp)
    assert {failure.source.name: failure.error for failure in summary.failures} == {
        "b.txt": "it is not valid UTF-8",
        "c.txt": "it is too long, and has no spaces to cut it at",
        "e.txt": "it cannot be read: No such file or directory",
    }
    assert sorted(files(out)) == ["a.txt", "d.txt"]


def test_redact_files_stops_where_it_cannot_write(nlp, notes, out):
    write(notes, a=NOTE, b="Lopez")
    write(notes / "sub", c="Maria")
    write(out)
    (out / "sub").write_text("in the way")
    with pytest.raises(RedactionError, match=r"c\.txt cannot be written: File exists"):
        redact_files([notes], out, nlp)
    assert files(out).keys() == {
        "a.txt",
        "b.txt",
        "sub",
        ".spacy-deid/state.json",
        ".spacy-deid/part",
    }
    (out / "sub").unlink()
    assert redact_files([notes], out, nlp, resume=True).notes == 3
    assert files(out) == {"a.txt": REDACTED, "b.txt": "[PATIENT]", "sub/c.txt": "[PATIENT]"}


def test_redact_files_failing_style_withholds(nlp, notes, out, monkeypatch):
    def broken(note):
        return [str(1 // (len(span.type) - 4)) for span in note.spans]  # DATE fails

    monkeypatch.setitem(style_module.STYLES, "broken", broken)
    write(notes, a=NOTE, b="Maria")
    summary = redact_files([notes], out, nlp, policy="broken")
    assert [failure.error for failure in summary.failures] == [
        "its redaction failed (ZeroDivisionError)"
    ]
    assert files(out) == {"b.txt": "0"}


def test_redact_files_existing_results_need_force(nlp, notes, out):
    write(notes, a=NOTE, b="Lopez")
    write(out, a="old")
    with pytest.raises(RedactionError, match=r"a\.txt exists already"):
        redact_files([notes], out, nlp)
    assert files(out) == {"a.txt": "old"}
    redact_files([notes], out, nlp, force=True)
    assert files(out) == {"a.txt": REDACTED, "b.txt": "[PATIENT]"}


def test_redact_files_old_result_of_a_failed_note_goes(nlp, notes, out):
    write(notes, a="BOOM", b="")
    write(out, a="old", other="kept")
    redact_files([notes], out, nlp, force=True)
    assert files(out) == {"b.txt": "", "other.txt": "kept"}


@pytest.mark.parametrize("name", ["b", "b#1"])
def test_force_leaves_no_result_of_the_run_before(nlp, notes, out, name):
    write(notes, a=NOTE, **{name: "Maria"})
    redact_files([notes], out, nlp, policy="keep")
    write(out, other="kept")
    (notes / f"{name}.txt").unlink()
    with pytest.raises(RedactionError, match=f"1 results .*, such as {name}.txt; remove them"):
        redact_files([notes], out, nlp, force=True)
    (out / f"{name}.txt").unlink()
    redact_files([notes], out, nlp, force=True)
    assert files(out) == {"a.txt": REDACTED, "other.txt": "kept"}


def test_force_with_a_limit_replaces_what_it_reads(nlp, notes, out):
    write(notes, a=NOTE, b="Maria", c="Lopez")
    for force in (False, True):
        redact_files([notes], out, nlp, limit=2, force=force)
    with pytest.raises(RedactionError, match="such as b.txt; remove them"):
        redact_files([notes], out, nlp, limit=1, force=True)


def test_a_link_to_itself_is_withheld(nlp, notes, out):
    write(notes, a=NOTE)
    (notes / "loop.txt").symlink_to("loop.txt")
    summary = redact_files([notes], out, nlp)
    assert (summary.notes, summary.withheld) == (1, 1) and files(out) == {"a.txt": REDACTED}


def test_the_first_lines_may_lack_the_key_of_the_text(nlp, notes, out):
    lines = [{"id": number} for number in range(200)] + [{"text": "Maria"}]
    notes.mkdir()
    srsly.write_jsonl(notes / "a.jsonl", lines)
    summary = redact_files([notes], out, nlp)
    assert (summary.notes, summary.withheld) == (1, 200)


@pytest.mark.parametrize("where", [".", "sub", "sub/deep"])
def test_redact_files_out_within_input_fails(nlp, notes, where):
    write(notes, a=NOTE)
    with pytest.raises(RedactionError, match="lies in the input folder"):
        redact_files([notes], notes / where, nlp)
    assert files(notes) == {"a.txt": NOTE}


def test_redact_files_folders_of_one_name_are_not_one_patient(nlp, notes, out):
    for patient in ("p1", "p2"):
        write(notes / patient / "letters", a=NOTE)
    with pytest.raises(RedactionError, match="those of one patient, 'letters'"):
        redact_files([notes], out, nlp, patients=Patients("folder"))
    assert not out.exists()


def test_redact_files_links_to_folders_are_not_passed_over(nlp, notes, out, tmp_path):
    write(notes, a=NOTE)
    write(tmp_path / "elsewhere", b=NOTE)
    (notes / "ward").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    with pytest.raises(RedactionError, match="ward is a link to a folder"):
        redact_files([notes], out, nlp)


def test_redact_files_texts_of_one_record_are_of_one_patient(nlp, tmp_path, out):
    source = tmp_path / "visits.jsonl"
    source.write_text('{"subj": "Maria seen 3/4/2020", "plan": "Maria back 3/4/2020"}\n')
    fields = Fields(text=("subj", "plan"))
    redact_files([source], out, nlp, policy="surrogate", key=Key(b"k" * 16), fields=fields)
    record = json.loads((out / "visits.jsonl").read_text())
    assert record["subj"].split()[::2] == record["plan"].split()[::2]
    assert record["subj"].split()[0] != "Maria"


@pytest.mark.parametrize("inputs", [["."], ["a.txt", "b.txt"], ["../7"], ["../7/a.txt", "b.txt"]])
def test_redact_files_of_relative_paths_tell_the_folder(nlp, tmp_path, monkeypatch, inputs):
    monkeypatch.chdir(write(tmp_path / "patients" / "7", a="3/4/2020", b="3/4/2020"))
    facts = [{"patient_id": "7", "type": "PATIENT", "value": "Zorg"}]
    patients = Patients("folder", facts)
    redact_files(map(Path, inputs), tmp_path / "out", nlp, patients=patients)
    assert patients.unmatched == 0


@pytest.mark.parametrize("owner", ["12", "12.0"])
def test_an_id_that_is_written_as_a_float_is_the_same(nlp, tmp_path, owner):
    """As pandas writes the ids of a column with missing values."""
    folder = write(tmp_path / "12.0", a="seen")
    srsly.write_jsonl(folder / "b.jsonl", [{"text": "seen", "subject": "12.0"}])
    patients = Patients("folder", [{"patient_id": owner, "type": "PATIENT", "value": "Zorg"}])
    fields = Fields(patient="subject")
    redact_files([folder], tmp_path / "out", nlp, patients=patients, fields=fields)
    assert patients.unmatched == 0


def test_redact_files_never_overwrites_an_input(nlp, notes, tmp_path):
    write(notes, a=NOTE)
    link = tmp_path / "link"
    link.symlink_to(notes, target_is_directory=True)
    with pytest.raises(RedactionError, match="would overwrite the input"):
        redact_files([notes / "a.txt"], link, nlp, force=True)
    with pytest.raises(RedactionError, match="lies in the input folder"):
        redact_files([notes], link, nlp, force=True)
    assert files(notes) == {"a.txt": NOTE}


def test_redact_files_two_notes_in_one_place_fail(nlp, notes, out, tmp_path):
    folders = [
        write(tmp_path / "x" / "sub", a=NOTE).parent,
        write(tmp_path / "y" / "sub", a="").parent,
    ]
    with pytest.raises(RedactionError, match="would both be written"):
        redact_files(folders, out, nlp)
    assert not out.exists()


@pytest.mark.parametrize(
    "name, message",
    [("gone", "does not exist"), ("a.doc", "of no known format"), ("empty", "there are no notes")],
)
def test_redact_files_wrong_inputs_fail(nlp, notes, out, name, message):
    (notes / "empty").mkdir(parents=True)
    (notes / "a.doc").write_text(NOTE)
    with pytest.raises(RedactionError, match=message):
        redact_files([notes / name], out, nlp)
    assert not out.exists()


def test_redact_files_out_that_is_a_file_fails(nlp, notes, tmp_path):
    write(notes, a=NOTE)
    blocked = tmp_path / "file"
    blocked.write_text("x")
    for out in (blocked, blocked / "sub"):
        with pytest.raises(RedactionError, match="file is not a folder"):
            redact_files([notes], out, nlp)


def test_redact_files_needs_a_merger_and_a_style(nlp, notes, out):
    write(notes, a=NOTE)
    with pytest.raises(RedactionError, match="unknown style"):
        redact_files([notes], out, nlp, policy="blur")
    nlp.remove_pipe("phi_merger")
    with pytest.raises(RedactionError, match="de-identification needs a phi_merger"):
        redact_files([notes], out, nlp)


def test_redact_files_takes_paths_as_text(nlp, notes, tmp_path):
    write(notes, a=NOTE)
    for number, inputs in enumerate((notes, str(notes), [str(notes)])):
        out = f"{tmp_path}/out{number}"
        changes = {"key": "k" * 16, "keep_originals": f"{tmp_path}/kept{number}"}
        assert redact_files(inputs, out, nlp, **changes).notes == 1
        assert [line["output"] for line in read_manifest(f"{out}/{MANIFEST}") if "output" in line]
        assert Path(changes["keep_originals"]).exists()
    known = tmp_path / "known.csv"
    known.write_text("patient_id,type,value\n7,PATIENT,Maria Lopez\n")
    assert read_known(str(known)) == read_known(known)


def test_redact_files_reads_as_a_stream(nlp, notes, out):
    """Results are written while later notes are still unread."""
    write(notes, **{f"n{i:02}": f"Maria {i}" for i in range(30)})
    written = []
    summary = redact_files(
        [notes], out, nlp, batch_size=2, on_note=lambda note: written.append(len(files(out)) - 1)
    )
    assert summary.notes == 30
    assert written[0] < 4 and written == sorted(written) and written[-1] > 27


def test_a_sample_is_random_repeatable_and_resumable(nlp, tmp_path):
    source = tmp_path / "notes"
    source.mkdir()
    for number in range(5):
        (source / f"{number}.txt").write_text(f"Maria {number}")
    (source / "a.csv").write_text("text\n" + "".join(f"Maria {n}\n" for n in range(5, 20)))

    def draw(out, **settings):
        summary = redact_files([source], tmp_path / out, nlp, sample=6, **settings)
        files = [path for path in (tmp_path / out).iterdir() if path.suffix in (".txt", ".csv")]
        texts = "".join(path.read_text() for path in sorted(files))
        return summary.notes, sorted(map(int, re.findall(r"\d+", texts)))

    notes, drawn = draw("a")
    assert notes == 6 and len(drawn) == 6
    assert draw("b", n_process=1, seed=1) == (6, drawn) and draw("c", seed=2)[1] != drawn
    (tmp_path / "a" / "a.csv").unlink(missing_ok=True)
    assert draw("a", resume=True) == (6, drawn)
    with pytest.raises(RedactionError, match="differs from the one before in its sample"):
        draw("a", seed=2, resume=True)


def test_samples_and_limits_of_parquet_count_rows(nlp, tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    source = tmp_path / "a.parquet"
    rows = {"text": [None, *map("Maria {}".format, range(1, 20))], "other": [*range(20)]}
    pq.write_table(pa.table(rows), source, row_group_size=8)

    def redact(out, **settings):
        notes = redact_files([source], tmp_path / out, nlp, **settings).notes
        lines = [*read_manifest(tmp_path / out / "manifest.jsonl")]
        places = [line["output"] for line in lines if "output" in line]
        table = pq.read_table(tmp_path / out / "a.parquet").to_pydict()
        assert places == [f"a.parquet#{row + 1}" for row in table["other"] if row]
        assert table["text"] == [f"[PATIENT] {row}" if row else None for row in table["other"]]
        return notes, table["other"]

    count, drawn = redact("sample", sample=3)
    assert count == len(drawn) == 3 and redact("again", sample=3) == (3, drawn)
    assert redact("seed", sample=3, seed=2)[1] != drawn
    assert redact("limit", limit=3) == (3, [1, 2, 3])
    assert redact("groups", limit=10) == (10, [*range(11)])
    assert redact("all", limit=100) == (19, [*range(20)])


def test_the_dates_of_a_row_share_the_order_of_day_and_month(nlp, tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        '{"mrn": "7", "dob": "04/03/1980", "came": "28/02/2067", "text": "seen"}\n'
        '{"mrn": "7", "dob": "04/03/1980", "came": "04/02/2067", "text": "firmware 28.3.2019"}\n'
    )
    fields = Fields(patient="mrn", types=(("dob", "DATE"), ("came", "DATE")))
    redact_files(rows, tmp_path / "out", nlp, policy="surrogate", fields=fields, key=b"k" * 16)
    lines = (tmp_path / "out" / "rows.jsonl").read_text().splitlines()
    first, second = (json.loads(line)["dob"] for line in lines)
    gap = datetime.strptime(second, "%m/%d/%Y") - datetime.strptime(first, "%d/%m/%Y")
    assert gap == datetime(1980, 4, 3) - datetime(1980, 3, 4)
