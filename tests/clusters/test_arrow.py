"""The batch function of all clusters."""

from __future__ import annotations

import pickle

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from spacy_deid.arrow import ArrowRedactor  # noqa: E402
from spacy_deid.batch import redact_files  # noqa: E402
from spacy_deid.records import Fields  # noqa: E402
from spacy_deid.redaction import RedactionError  # noqa: E402

KEY = "a canary of a secret 4711"
TEXTS = ["Maria came on 3/4/67.", None, "nobody", "BOOM Maria", "Maria Lopez, 3/4/67", ""]


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("SPACY_DEID_KEY", KEY)


def table(texts=TEXTS):
    return pa.table({"mrn": [7, 7, 8.0, None, 9, 9], "text": texts, "more": [*"abcdef"]})


def test_redact_table(model):
    result = ArrowRedactor(model=model)(table())
    redacted = [
        "[PATIENT] came on [DATE].",
        None,
        "nobody",
        None,
        "[PATIENT] [PATIENT], [DATE]",
        "",
    ]
    assert result["text"].to_pylist() == redacted
    assert result.select(["mrn", "more"]) == table().select(["mrn", "more"])
    counts = result["phi_counts"].to_pylist()
    assert counts[:3] == [[("DATE", 1), ("PATIENT", 1)], None, []]
    assert counts[3:] == [None, [("DATE", 1), ("PATIENT", 2)], []]
    reason = "the pipe 'toy_detector' failed (ValueError)"
    assert result["withheld"].to_pylist() == [None, None, None, reason, None, None]


@pytest.mark.parametrize("columns", [("text",), ("text", "more")])
@pytest.mark.parametrize("patient", ["", "mrn"])
@pytest.mark.parametrize("rows", [1, 4, 1000])
def test_texts_are_those_of_the_command_in_batches_of_any_size(
    nlp, model, tmp_path, columns, patient, rows
):
    many = pa.concat_tables([table(), table([f"Maria {text}" for text in TEXTS])] * 20)
    pq.write_table(many, tmp_path / "notes.parquet", row_group_size=50)
    fields = Fields(columns, patient=patient)
    out = tmp_path / "out"
    redact_files([tmp_path / "notes.parquet"], out, nlp, policy="surrogate", fields=fields)
    redactor = ArrowRedactor(columns, patient=patient, policy="surrogate", model=model)
    batches = redactor.redact(many.to_batches(max_chunksize=rows))
    result = pa.Table.from_batches(batches)
    assert result.select(many.column_names) == pq.read_table(out / "notes.parquet")


def test_batches_are_capped_in_rows_and_bytes(model, monkeypatch):
    monkeypatch.setattr("spacy_deid.engine.batches.CHARACTERS", 500)
    texts = pa.table({"text": ["Maria " * 40] * 3 + ["Maria"] * 100})
    batches = list(ArrowRedactor(model=model).redact(texts.to_batches()))
    assert [batch.num_rows for batch in batches] == [2, 53, 48]


def test_string_that_is_not_utf8_is_withheld_alone(model):
    broken = pa.array([b"Maria", b"Mar\xffia", None]).view(pa.string())
    result = ArrowRedactor(model=model)(pa.table({"text": broken}))
    assert result["text"].to_pylist() == ["[PATIENT]", None, None]
    assert result["withheld"].to_pylist() == [None, "it is not valid UTF-8", None]


def test_types_of_columns_stay_and_metadata_do_not(model):
    field = pa.field("text", pa.large_string(), metadata={"about": "Maria"})
    large = pa.table({"text": TEXTS}, schema=pa.schema([field], {"cohort": "Maria"}))
    schema = ArrowRedactor(model=model)(large).schema
    assert schema.field("text").type == pa.large_string()
    assert schema.names == ["text", "phi_counts", "withheld"]
    assert not schema.metadata and not schema.field("text").metadata


@pytest.mark.parametrize("kind", [pa.dictionary(pa.int8(), pa.string()), pa.string_view()])
def test_strings_may_be_encoded_in_any_way(model, kind):
    result = ArrowRedactor(model=model)(pa.table({"text": pa.array(TEXTS).cast(kind)}))
    assert result["text"].type == kind
    assert result["text"].to_pylist()[:4] == ["[PATIENT] came on [DATE].", None, "nobody", None]


def test_encoded_strings_of_several_batches_can_be_written(model, tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_deid.engine.batches.CHARACTERS", 50)
    texts = pa.array([f"Maria {number} again and again" for number in range(9)])
    result = ArrowRedactor(model=model)(pa.table({"text": texts.dictionary_encode()}))
    with pa.ipc.new_file(tmp_path / "notes.arrow", result.schema) as file:
        file.write_table(result)
    assert pa.ipc.open_file(tmp_path / "notes.arrow").read_all() == result


def test_a_patient_that_is_no_single_value_is_withheld(model):
    notes = pa.table({"text": ["Maria", "Maria"], "mrn": [["4711"], None]})
    result = ArrowRedactor(patient="mrn", model=model)(notes)
    assert result["text"].to_pylist() == [None, "[PATIENT]"]
    assert result["withheld"][0].as_py() == "its patient id is not a single value"


@pytest.mark.parametrize("values", [pa.nulls(2), pa.array([None, 3])])
def test_columns_that_hold_no_strings_become_null(model, values):
    result = ArrowRedactor(model=model)(pa.table({"text": values}))
    assert result["text"].equals(pa.chunked_array([pa.nulls(2, values.type)]))
    assert result["withheld"].null_count == (2 if values.type == pa.null() else 1)


def test_without_rows_nothing_is_loaded():
    result = ArrowRedactor(model="no_such_model")(table().slice(0, 0))
    assert result.column_names == ["mrn", "text", "more", "phi_counts", "withheld"]


def test_what_workers_get_has_no_key(model, tmp_path):
    (tmp_path / "key").write_text(KEY)
    redactor = ArrowRedactor(policy="surrogate", model=model, key_file=tmp_path / "key")
    redactor(table())
    assert KEY.encode() not in pickle.dumps(redactor)
    again = pickle.loads(pickle.dumps(redactor))
    assert again(table()) == redactor(table())


def test_what_stops_all_notes_is_one_sentence(model, monkeypatch):
    monkeypatch.delenv("SPACY_DEID_KEY")
    with pytest.raises(RedactionError, match="the worker has no key: set SPACY_DEID_KEY"):
        ArrowRedactor(policy="surrogate", model=model)(table())
    with pytest.raises(RedactionError, match="key file .* cannot be read"):
        ArrowRedactor(policy="surrogate", model=model, key_file="no/key")(table())
    with pytest.raises(RedactionError, match="'no_such_model' is not installed"):
        ArrowRedactor(model="no_such_model")(table())
    with pytest.raises(RedactionError, match=r"no column 'note' \(`text=`\); its columns are "):
        ArrowRedactor("note", model=model)(table())
    with pytest.raises(RedactionError, match=r"no column 'owner' \(`patient=`\); its columns are "):
        ArrowRedactor(patient="owner", model=model)(table())
    with pytest.raises(RedactionError, match="a pyarrow.Table is expected, not list"):
        ArrowRedactor(model=model)([table()])
    with pytest.raises(RedactionError, match="a column 'withheld' already"):
        ArrowRedactor(model=model)(table().append_column("withheld", table()["more"]))


@pytest.mark.parametrize("text", [[], "", [""]])
def test_a_column_of_notes_has_to_be_named(text):
    with pytest.raises(RedactionError, match="name it with `text=`"):
        ArrowRedactor(text)


def test_message_of_an_unexpected_error_is_not_shown(model, monkeypatch):
    monkeypatch.setattr("spacy_deid.arrow.read_records", lambda rows, *_: [][rows.num_rows])
    with pytest.raises(
        RedactionError, match=r"a batch cannot be redacted \(IndexError\)"
    ) as caught:
        ArrowRedactor(model=model)(table())
    assert caught.value.__suppress_context__
