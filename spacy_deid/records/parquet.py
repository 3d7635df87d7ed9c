"""Parquet: one note per row, by row group (needs pyarrow).

All other columns stay; a withheld text becomes null. Metadata may hold anything, so only what
pandas and the column types need stays. As a Parquet file ends with its index, finished row groups
are kept as Arrow streams until all are there.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Container, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ..errors import install
from ..files import FormatError
from .arrow import Place, read_records, redacted_schema, replace_texts
from .base import Chunk, Fields, RecordFormat, share_known
from .columns import missing_column

if TYPE_CHECKING:
    import pyarrow
    from pyarrow.parquet import ParquetFile

_LENGTH = 8  # bytes of the length of a stream


def _read(file: BinaryIO, fields: Fields) -> Iterator[Chunk]:
    """The row groups of a file; the first chunk is its schema."""
    source = _open(file)
    schema = source.schema_arrow
    if problem := missing_column(schema.names, fields.needed, fields.setting_of):
        raise FormatError(f"it {problem}")
    kept = [name for name in schema.names if name not in fields.names]
    header = redacted_schema(schema, fields)
    if header.metadata:
        kept.append("metadata of pandas")
    yield Chunk((), partial(_stream, header.empty_table()), 0, tuple(kept))
    first = 1
    for number in range(source.num_row_groups):
        table = source.read_row_group(number)
        numbers = range(first, first + table.num_rows)
        yield _chunk(table, numbers, fields, source.metadata.row_group(number).total_byte_size)
        first += table.num_rows


def _chunk(table: pyarrow.Table, numbers: Sequence[int], fields: Fields, size: int) -> Chunk:
    """The rows of these numbers."""
    records, places = read_records(table, fields, numbers)
    if fields.known:
        records = share_known(records)

    def pick(notes: Container[str]) -> Chunk:
        rows = [row for row, number in enumerate(numbers) if str(number) in notes]
        return _chunk(table.take(rows), [numbers[row] for row in rows], fields, size)

    return Chunk(records, partial(_render, table, fields, places), size, pick=pick)


def _columns(file: BinaryIO, asked: Collection[str]) -> list[str]:
    return list(_open(file).schema_arrow.names)


def _open(file: BinaryIO) -> ParquetFile:
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise FormatError(f"Parquet needs pyarrow: {install('tables')}") from None
    try:
        return ParquetFile(file)
    except pyarrow.ArrowInvalid:
        raise FormatError("it is not valid Parquet") from None


def _render(
    table: pyarrow.Table, fields: Fields, places: Sequence[Place], new: Sequence[str | None]
) -> bytes:
    return _stream(replace_texts(table, fields, places, new), ())


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


PARQUET = RecordFormat("parquet", (".parquet",), False, _read, _finish, _columns)
