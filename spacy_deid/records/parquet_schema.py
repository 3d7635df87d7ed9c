"""The schema of a Parquet file without unnecessary metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow

_OF_FIELDS = (b"PARQUET:field_id", b"ARROW:extension:name", b"ARROW:extension:metadata")
_LISTS = ("list_", "large_list", "list_view", "large_list_view")  # views: not in older pyarrow
_PANDAS = b"pandas"
_OF_PANDAS = ("columns", "index_columns", "column_indexes", "pandas_version")


def without_metadata(schema: pyarrow.Schema) -> pyarrow.Schema:
    """A schema with the same fields, and only the metadata needed to read them."""
    import pyarrow

    return pyarrow.schema([_field(field) for field in schema], _pandas(schema.metadata or {}))


def _pandas(metadata: Mapping[bytes, bytes]) -> dict[bytes, str] | None:
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
        if getattr(types, f"is_{name.rstrip('_')}", _never)(kind):
            return getattr(pyarrow, name)(_field(kind.value_field))
    return kind


def _never(_: pyarrow.DataType) -> bool:
    return False
