from __future__ import annotations

import pytest

from spacy_deid.redaction import STYLES, Key, RedactionError, styles

pd = pytest.importorskip("pandas")

from spacy_deid.frames import redact_frame  # noqa: E402

TEXTS = ["Maria came on 3/4/67.", "none", "Maria Lopez", ""]
REDACTED = ["[PATIENT] came on [DATE].", "none", "[PATIENT] [PATIENT]", ""]


@pytest.fixture
def frame():
    return pd.DataFrame({"mrn": [7, 7, 8, 9], "text": TEXTS}, index=["a", "b", "c", "d"])


@pytest.mark.parametrize("n_process", [1, 2])
def test_redact_frame(nlp, frame, n_process):
    before = frame.copy()
    result = redact_frame(frame, nlp, n_process=n_process)
    assert result["text"].tolist() == REDACTED
    assert result["mrn"].tolist() == [7, 7, 8, 9]
    assert list(result.index) == list("abcd") and list(result.columns) == ["mrn", "text"]
    assert result["text"].dtype == frame["text"].dtype
    assert result.attrs == {"withheld": []}
    pd.testing.assert_frame_equal(frame, before)
    assert frame.attrs == {}


def test_redact_frame_withholds_what_fails(nlp):
    texts = pd.Series(["Maria", "BOOM Maria", None, 3, float("nan"), "Lopez"], dtype=object)
    frame = pd.DataFrame({"note": texts, "name": list("uvwxyz")})
    result = redact_frame(frame, nlp, text="note")
    assert result["note"].tolist() == ["[PATIENT]", None, None, None, None, "[PATIENT]"]
    failures = [(1, "the pipe 'toy_detector' failed (ValueError)"), (3, "it is not text")]
    assert result.attrs["withheld"] == failures
    result = redact_frame(frame, nlp, text="note", id="name", counts=True)
    assert [name for name, _ in result.attrs["withheld"]] == ["v", "x"]
    assert result["phi_PATIENT"].isna().tolist() == [False, True, True, True, True, False]


def test_redact_frame_withholds_a_note_of_several_patients(nlp):
    patients = pd.Series([[7, 8], pd.array([7, 8]), (7, 8), None, 7], dtype=object)
    frame = pd.DataFrame({"text": ["Maria"] * 5, "mrn": patients})
    result = redact_frame(frame, nlp, patient="mrn")
    assert result["text"].isna().tolist() == [True, True, True, False, False]
    reason = "its patient id is not a single value"
    assert result.attrs["withheld"] == [(row, reason) for row in range(3)]


def test_redact_frame_counts(nlp, frame):
    result = redact_frame(frame, nlp, counts=True)
    assert list(result.columns) == ["mrn", "text", "phi_PATIENT", "phi_DATE"]
    assert result["phi_PATIENT"].tolist() == [1, 0, 2, 0]
    assert result["phi_DATE"].tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("dtype", ["object", "string", "category"])
def test_redact_frame_takes_any_column_of_text(nlp, frame, dtype):
    frame["text"] = frame["text"].astype(dtype)
    assert redact_frame(frame, nlp)["text"].tolist() == REDACTED


def test_redact_frame_policy(nlp, frame):
    assert redact_frame(frame, nlp, policy="mask")["text"]["c"] == "***** *****"


def test_redact_frame_draws_for_patients(nlp, monkeypatch):
    """Rows of one patient share their draws, whether the ids are whole numbers or not."""

    def draw(note):
        return [str(note.number(10**9, "x")) for _ in note.spans]

    monkeypatch.setitem(styles.STYLES, "draw", draw)
    assert "draw" in STYLES
    frame = pd.DataFrame({"text": ["Maria", "Lopez", "Maria x"], "mrn": ["7", "7", "8"]})
    key = Key(b"a secret of some length")
    one, two, other = redact_frame(frame, nlp, policy="draw", patient="mrn", key=key)["text"]
    assert one == two and not other.startswith(one)
    frame["mrn"] = [7, 7, float("nan")]
    again = redact_frame(frame, nlp, policy="draw", patient="mrn", key=key)["text"]
    assert again.tolist()[:2] == [one, two]


def test_redact_frame_takes_equal_index_labels(nlp, frame):
    frame.index = [0, 0, 1, 1]
    assert redact_frame(frame, nlp)["text"].tolist() == REDACTED


def test_redact_frame_without_rows(nlp, frame):
    assert redact_frame(frame[:0], nlp, counts=True)["text"].tolist() == []


def test_redact_frame_needs_its_columns(nlp, frame):
    for options in ({"text": "note"}, {"id": "gone"}, {"patient": "gone"}):
        with pytest.raises(RedactionError, match="has no column .*; its columns are mrn, text"):
            redact_frame(frame, nlp, **options)
    twice = pd.concat([frame, frame[["text"]]], axis=1)
    with pytest.raises(RedactionError, match=r"has 2 columns 'text' \(`text=`\)"):
        redact_frame(twice, nlp)
    with pytest.raises(RedactionError, match="its 1 columns are not named here"):
        redact_frame(pd.DataFrame(["Maria Lopez came"]), nlp)


def test_redact_frame_overwrites_no_column(nlp, frame):
    frame["phi_DATE"] = "mine"
    assert redact_frame(frame, nlp)["phi_DATE"].tolist() == ["mine"] * 4
    with pytest.raises(RedactionError, match="a column 'phi_DATE' already"):
        redact_frame(frame, nlp, counts=True)


def test_ids_of_withheld_notes_can_be_written(nlp, tmp_path):
    pytest.importorskip("pyarrow")
    days = pd.to_datetime(["2067-03-04", "2067-03-05"])
    result = redact_frame(pd.DataFrame({"text": ["Maria", "BOOM"]}, index=days), nlp)
    assert [name for name, _ in result.attrs["withheld"]] == ["2067-03-05 00:00:00"]
    result.to_parquet(tmp_path / "notes.parquet")


def test_redact_frame_needs_a_pipeline_with_merger(nlp, frame):
    with pytest.raises(RedactionError, match=r"needs a pipeline, such as .*, not str$"):
        redact_frame(frame, "en_deid")
    nlp.remove_pipe("phi_merger")
    with pytest.raises(RedactionError, match="needs a phi_merger, and the pipeline has none"):
        redact_frame(frame, nlp)


def test_redact_frame_can_be_written(nlp, tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"text": ["Maria", "BOOM", None]})
    result = redact_frame(frame, nlp, counts=True)
    result.to_parquet(tmp_path / "notes.parquet")
    again = pd.read_parquet(tmp_path / "notes.parquet")
    assert again["text"].isna().tolist() == [False, True, True]
    assert again["text"][0] == "[PATIENT]" and again["phi_PATIENT"][0] == 1
