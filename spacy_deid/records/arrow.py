"""Notes in tables of Arrow, one per row (needs pyarrow)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from ..ids import id_text, patient_of
from .base import Fields, Record, decode

if TYPE_CHECKING:
    import pyarrow

_OF_FIELDS = (b"PARQUET:field_id", b"ARROW:extension:name", b"ARROW:extension:metadata")
_LISTS = ("list_", "large_list", "list_view", "large_list_view")  # views: not in older pyarrow
_PANDAS = b"pandas"
_OF_PANDAS = ("columns", "index_columns", "column_indexes", "pandas_version")
_PANDAS_STRING = {"pandas_type": "unicode", "numpy_type": "object", "metadata": None}

Place = tuple[str, int]
"""The column and the row of a text."""


def read_records(
    table: pyarrow.Table, fields: Fields, numbers: Sequence[int]
) -> tuple[tuple[Record, ...], list[Place]]:
    """The texts of a table that are not null, and the place of each.

    numbers (Sequence[int]): The numbers of its rows in the file.
    """
    ids, patients = (
        _values(table[name]) if name and name in table.column_names else [None] * table.num_rows
        for name in (fields.id, fields.patient)
    )
    columns = {name: _values(table[name]) for name in fields.names}
    records, places = [], []
    for row, number in enumerate(map(str, numbers)):
        for name, values in columns.items():
            if values[row] is None:
                continue
            text, error = _text(table.schema.field(name), values[row], fields.type_of(name))
            patient, ambiguous = patient_of(patients[row])
            records.append(
                Record(
                    text=text,
                    row=fields.row(number, name),
                    id=id_text(ids[row]),
                    patient_id=patient,
                    error=error or ambiguous,
                    note=number,
                    type=fields.type_of(name),
                )
            )
            places.append((name, row))
    return tuple(records), places


def replace_texts(
    table: pyarrow.Table, fields: Fields, places: Sequence[Place], new: Sequence[str | None]
) -> pyarrow.Table:
    """The table with a new text in each place, None where it is withheld."""
    import pyarrow

    columns: dict[str, list[str | None]] = {name: [None] * table.num_rows for name in fields.names}
    for (name, row), text in zip(places, new, strict=True):
        columns[name][row] = text
    schema = redacted_schema(table.schema, fields)
    for name, texts in columns.items():
        number = table.column_names.index(name)
        field = schema.field(number)
        if _is_binary(field):
            texts = [None] * len(texts)
        table = table.set_column(number, field, pyarrow.array(texts).cast(field.type))
    return table


def redacted_schema(schema: pyarrow.Schema, fields: Fields) -> pyarrow.Schema:
    """The schema of a redacted table: nullable texts, and only the metadata needed to read it."""
    import pyarrow

    redacted = [_redacted_field(field, fields) for field in schema]
    retyped = {new.name for old, new in zip(schema, redacted, strict=True) if old.type != new.type}
    return pyarrow.schema(redacted, _for_pandas(schema.metadata or {}, retyped))


def _redacted_field(field: pyarrow.Field, fields: Fields) -> pyarrow.Field:
    """A field of a redacted table; what was read as text, such as a number, stays text."""
    import pyarrow

    if field.name not in fields.names:
        return _field(field)
    if fields.type_of(field.name) and not _is_string(field.type):
        return pyarrow.field(field.name, pyarrow.string())
    return _field(field).with_nullable(True)


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


def _text(field: pyarrow.Field, value: object, phi_type: str) -> tuple[str, str]:
    """A text, and why it is withheld; PHI may also be a number or a date."""
    if phi_type and not isinstance(value, (bytes, list, dict)):
        return id_text(value), ""
    if isinstance(value, str):
        return value, ""
    if isinstance(value, bytes) and not _is_binary(field):
        return decode(value)
    return "", f"its '{field.name}' is not a string"


def _is_binary(field: pyarrow.Field) -> bool:
    from pyarrow import types

    return types.is_binary(field.type) or types.is_large_binary(field.type)


def _is_string(kind: pyarrow.DataType) -> bool:
    from pyarrow import types

    kind = kind.value_type if types.is_dictionary(kind) else kind
    return types.is_string(kind) or types.is_large_string(kind)


def _for_pandas(metadata: Mapping[bytes, bytes], retyped: Set[str]) -> dict[bytes, str] | None:
    """What pandas needs to rebuild the table, without attributes added by users.

    retyped (Set[str]): Names of the columns that have become strings.
    """
    try:
        about = json.loads(metadata[_PANDAS])
        needed = {name: about[name] for name in _OF_PANDAS if name in about}
        for column in needed.get("columns", ()):
            if column["field_name"] in retyped:
                column.update(_PANDAS_STRING)
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
