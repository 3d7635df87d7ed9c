"""Parquet: one note per row, by row group (needs pyarrow).

All other columns stay; a withheld text becomes null. Metadata may hold anything, so only what
pandas and the column types need stays. As a Parquet file ends with its index, finished row groups
are kept as Arrow streams until all are there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ..files import FormatError
from .base import Chunk, Fields, Format, Record, id_text
from .names import list_columns

if TYPE_CHECKING:
    import pyarrow
    from pyarrow.parquet import ParquetFile

_LENGTH = 8  # bytes of the length of a stream
_OF_FIELDS = (b"PARQUET:field_id", b"ARROW:extension:name", b"ARROW:extension:metadata")
_LISTS = ("list_", "large_list", "list_view", "large_list_view")  # views: not in older pyarrow
_PANDAS = b"pandas"
_OF_PANDAS = ("columns", "index_columns", "column_indexes", "pandas_version")


def _read(file: BinaryIO, fields: Fields) -> Iterator[Chunk]:
    """The row groups of a file; the first chunk is its schema."""
    source = _open(file)
    schema = source.schema_arrow
    for name in (*fields.text, *filter(None, [fields.patient])):
        if name not in schema.names:
            raise FormatError(
                f"it has no column '{name}' ({fields.setting_of(name)}); "
                f"{list_columns(schema.names)}"
            )
    kept = [name for name in schema.names if name not in fields.text]
    header = _without_metadata(_nullable(schema, fields.text))
    if header.metadata:
        kept.append("metadata of pandas")
    yield Chunk((), partial(_stream, header.empty_table()), 0, tuple(kept))
    first = 1
    for number in range(source.num_row_groups):
        table = source.read_row_group(number)
        records, places = _records(table, fields, first)
        size = source.metadata.row_group(number).total_byte_size
        yield Chunk(records, partial(_render, table, places), size)
        first += table.num_rows


def _columns(file: BinaryIO) -> list[str]:
    return list(_open(file).schema_arrow.names)


def _open(file: BinaryIO) -> ParquetFile:
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise FormatError("Parquet needs pyarrow (pip install spacy_deid[tables])") from None
    try:
        return ParquetFile(file)
    except pyarrow.ArrowInvalid:
        raise FormatError("it is not valid Parquet") from None


def _nullable(schema: pyarrow.Schema, names: Sequence[str]) -> pyarrow.Schema:
    """The schema with nullable texts, as they may be withheld."""
    for name in names:
        number = schema.get_field_index(name)
        schema = schema.set(number, schema.field(number).with_nullable(True))
    return schema


def _records(
    table: pyarrow.Table, fields: Fields, first: int
) -> tuple[tuple[Record, ...], list[tuple[str, int]]]:
    """The texts of a row group that are not null, and the column and row of each."""
    ids, patients = (
        table[name].to_pylist() if name and name in table.column_names else [None] * table.num_rows
        for name in (fields.id, fields.patient)
    )
    records, places = [], []
    for name in fields.text:
        for row, text in enumerate(table[name].to_pylist()):
            if text is None:
                continue
            error = "" if isinstance(text, str) else f"its '{name}' is not a string"
            records.append(
                Record(
                    "" if error else text,
                    fields.row(first + row, name),
                    id_text(ids[row]),
                    id_text(patients[row]),
                    error,
                    str(first + row),
                )
            )
            places.append((name, row))
    return tuple(records), places


def _render(
    table: pyarrow.Table, places: list[tuple[str, int]], new: Sequence[str | None]
) -> bytes:
    import pyarrow

    columns: dict[str, list[str | None]] = {}
    for (name, row), text in zip(places, new, strict=True):
        columns.setdefault(name, [None] * table.num_rows)[row] = text
    for name, texts in columns.items():
        number = table.column_names.index(name)
        field = table.schema.field(number)
        if pyarrow.types.is_binary(field.type) or pyarrow.types.is_large_binary(field.type):
            texts = [None] * len(texts)
        column = pyarrow.array(texts).cast(field.type)
        table = table.set_column(number, field.with_nullable(True), column)
    return _stream(table, ())


def _stream(table: pyarrow.Table, _: Sequence[str | None]) -> bytes:
    import pyarrow

    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    data = sink.getvalue().to_pybytes()
    return len(data).to_bytes(_LENGTH, "big") + data


def _tables(part: BinaryIO) -> Iterator[pyarrow.Table]:
    import pyarrow

    while length := part.read(_LENGTH):
        yield pyarrow.ipc.open_stream(part.read(int.from_bytes(length, "big"))).read_all()


def _finish(part: Path, target: Path) -> None:
    """Write the Parquet file beside the part, then whole to its place."""
    from pyarrow.parquet import ParquetWriter

    temporary = part.with_name(f"{part.name}.parquet")
    temporary.unlink(missing_ok=True)  # so that it is no link
    with part.open("rb") as file:
        tables = _tables(file)
        with ParquetWriter(temporary, next(tables).schema) as writer:
            for table in tables:
                writer.write_table(table, row_group_size=max(table.num_rows, 1))
    os.replace(temporary, target)


def _without_metadata(schema: pyarrow.Schema) -> pyarrow.Schema:
    """A schema with the same fields, and only the metadata needed to read them."""
    import pyarrow

    return pyarrow.schema([_field(field) for field in schema], _for_pandas(schema.metadata or {}))


def _for_pandas(metadata: Mapping[bytes, bytes]) -> dict[bytes, str] | None:
    """What pandas needs to rebuild the table, without attributes added by users."""
    try:
        about = json.loads(metadata[_PANDAS])
        needed = {name: about[name] for name in _OF_PANDAS if name in about}
    except (KeyError, ValueError, TypeError):
        return None
    return {_PANDAS: json.dumps(needed)} if needed else None


def _field(field: pyarrow.Field) -> pyarrow.Field:
    import pyarrow

    metadata = {name: value for name, value in (field.metadata or {}).items() if name in _OF_FIELDS}
    return pyarrow.field(field.name, _type(field.type), field.nullable, metadata or None)


def _type(kind: pyarrow.DataType) -> pyarrow.DataType:
    """A type whose inner fields have no other metadata either."""
    import pyarrow

    types = pyarrow.types
    if types.is_struct(kind):
        return pyarrow.struct([_field(field) for field in kind])
    if types.is_map(kind):
        return pyarrow.map_(_field(kind.key_field), _field(kind.item_field), kind.keys_sorted)
    if types.is_fixed_size_list(kind):
        return pyarrow.list_(_field(kind.value_field), kind.list_size)
    for name in _LISTS:
        is_list = getattr(types, f"is_{name.rstrip('_')}", None)
        if is_list and is_list(kind):
            return getattr(pyarrow, name)(_field(kind.value_field))
    return kind


PARQUET = Format("parquet", (".parquet",), False, _read, _finish, _columns)
