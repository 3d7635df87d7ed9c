"""Notes in tables of Arrow, one per row (needs pyarrow)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .base import Fields, Record, decode, id_text

if TYPE_CHECKING:
    import pyarrow

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
    for name in fields.text:
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
