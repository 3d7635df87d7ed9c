"""Parquet with text in the metadata of its schema."""

from __future__ import annotations

import base64
import io

import pytest
from attack_files import redact_file

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def named(name, kind):
    return pa.field(name, kind, metadata={"about": "Maria"})


NESTED = pa.struct(
    [
        named("a", pa.list_(named("element", pa.int8()))),
        named("b", pa.large_list(named("element", pa.int8()))),
        named("c", pa.list_(named("element", pa.int8()), 2)),
        named("d", pa.map_(pa.string(), named("value", pa.struct([named("x", pa.int8())])))),
    ]
)
ROW = {"a": [1], "b": [2], "c": [3, 4], "d": [("k", {"x": 5})]}


def file_of(table):
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def test_metadata_is_dropped_and_types_stay(nlp, tmp_path):
    fields = [named("text", pa.string()), named("more", NESTED)]
    schema = pa.schema(fields, metadata={"cohort": "Maria", "pandas": "[1]"})
    table = pa.table({"text": ["Maria."], "more": [ROW]}, schema=schema)
    result, summary = redact_file(nlp, tmp_path, "a.parquet", file_of(table))
    new = pq.read_table(io.BytesIO(result))
    assert new.schema.equals(schema)  # but for metadata
    assert new.to_pylist() == [{**table.to_pylist()[0], "text": "[PATIENT]."}]
    assert list(summary.kept) == ["more"]
    metadata = pq.read_metadata(io.BytesIO(result)).metadata
    assert list(metadata) == [b"ARROW:schema"]
    assert b"Maria" not in result + base64.b64decode(metadata[b"ARROW:schema"])


def test_what_pandas_needs_stays_and_is_named(nlp, tmp_path):
    pd = pytest.importorskip("pandas")
    data = {"text": ["Maria."], "kind": pd.Categorical(["x"]), "month": [pd.Period("2020-01")]}
    frame = pd.DataFrame(data, index=pd.Index(["i"], name="row"))
    frame.attrs["cohort"] = "Maria"
    frame.to_parquet(tmp_path / "source")
    result, summary = redact_file(nlp, tmp_path, "a.parquet", (tmp_path / "source").read_bytes())
    new = pd.read_parquet(io.BytesIO(result))
    assert new["text"].to_list() == ["[PATIENT]."] and new.attrs == {}
    pd.testing.assert_frame_equal(new.drop(columns="text"), frame.drop(columns="text"))
    assert list(summary.kept) == ["kind", "month", "row", "metadata of pandas"]
    assert b"Maria" not in result


def test_string_that_is_not_utf8_costs_no_other_note(nlp, tmp_path):
    broken = pa.array([b"Maria", b"Mar\xffia"]).view(pa.string())
    table = pa.table({"text": broken})
    result, summary = redact_file(nlp, tmp_path, "a.parquet", file_of(table))
    assert pq.read_table(io.BytesIO(result))["text"].to_pylist() == ["[PATIENT]", None]
    assert [failure.error for failure in summary.failures] == ["it is not valid UTF-8"]
