"""Notes in tables of Arrow, one per row (needs pyarrow)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .base import Fields, Record, decode, id_text

if TYPE_CHECKING:
    import pyarrow

_OF_FIELDS = (b"PARQUET:field_id", b"ARROW:extension:name", b"ARROW:extension:metadata")
_LISTS = ("list_", "large_list", "list_view", "large_list_view")  # views: not in older pyarrow
_PANDAS = b"pandas"
_OF_PANDAS = ("columns", "index_columns", "column_indexes", "pandas_version")

Place = tuple[str, int]
"""The column and the row of a text."""


def read_rows(
    table: pyarrow.Table, fields: Fields, first: int = 1
) -> tuple[tuple[Record, ...], list[Place]]:
    """The texts of a table that are not null, and the place of each.

    first (int): Number of the first row in the file.
    """
    ids, patients = (
        _values(table[name]) if name and name in table.column_names else [None] * table.num_rows
        for name in (fields.id, fields.patient)
    )
    records, places = [], []
    for name in fields.names:
        for row, value in enumerate(_values(table[name])):
            if value is None:
                continue
            text, error = _text(table.schema.field(name), value)
            records.append(
                Record(
                    text,
                    fields.row(first + row, name),
                    id_text(ids[row]),
                    id_text(patients[row]),
                    error,
                    str(first + row),
                    fields.type_of(name),
                )
            )
            places.append((name, row))
    return tuple(records), places


def replace_texts(
    table: pyarrow.Table, places: Sequence[Place], new: Sequence[str | None]
) -> pyarrow.Table:
    """The table with a new text in each place, None where it is withheld."""
    import pyarrow

    columns: dict[str, list[str | None]] = {}
    for (name, row), text in zip(places, new, strict=True):
        columns.setdefault(name, [None] * table.num_rows)[row] = text
    for name, texts in columns.items():
        number = table.column_names.index(name)
        field = table.schema.field(number)
        if _is_binary(field):
            texts = [None] * len(texts)
        column = pyarrow.array(texts).cast(field.type)
        table = table.set_column(number, field.with_nullable(True), column)
    return table


def redacted_schema(schema: pyarrow.Schema, texts: Sequence[str]) -> pyarrow.Schema:
    """The schema of a redacted table: only the metadata needed to read it, and nullable texts."""
    import pyarrow

    fields = [_field(field) for field in schema]
    nullable = [field.with_nullable(field.nullable or field.name in texts) for field in fields]
    return pyarrow.schema(nullable, _for_pandas(schema.metadata or {}))


def _values(column: pyarrow.ChunkedArray) -> list[Any]:
    """The values of a column; as bytes, if one of its strings is not valid UTF-8."""
    import pyarrow

    try:
        return column.to_pylist()
    except UnicodeDecodeError:
        values = column.cast(pyarrow.large_binary()).to_pylist()
        return [value if value is None else _decoded(value) for value in values]


def _decoded(data: bytes) -> str | bytes:
    text, error = decode(data)
    return data if error else text


def _text(field: pyarrow.Field, value: object) -> tuple[str, str]:
    """A text, and why it is withheld."""
    if isinstance(value, str):
        return value, ""
    if isinstance(value, bytes) and not _is_binary(field):
        return decode(value)
    return "", f"its '{field.name}' is not a string"


def _is_binary(field: pyarrow.Field) -> bool:
    from pyarrow import types

    return types.is_binary(field.type) or types.is_large_binary(field.type)


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
