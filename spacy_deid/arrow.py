"""Redaction of Arrow data, on one machine or on the workers of a cluster (needs pyarrow)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from .engine.batches import batches
from .engine.loading import ONE_AT_A_TIME, load_once
from .engine.pool import Pool
from .engine.work import InputText, Outcome, whole_notes
from .merger import require_mergers
from .records import Fields
from .records.arrow import Place, read_records, redacted_schema, replace_texts
from .records.columns import missing_column
from .redaction import Policy, RedactionError, Redactor, find_key, find_policy, random_key
from .redaction.key import KEY_VARIABLE

PHI_COUNTS = "phi_counts"
"""The added column with the number of PHI replaced in a row, by type; null if nothing was redacted.
"""

WITHHELD = "withheld"
"""The added column with the reason why a text of a row is withheld; null if none is."""


class ArrowRedactor:
    """Redacts columns of notes. All other columns stay as they are, with any PHI they contain.

    The model is loaded and the key is read in the process that redacts, once in each: this object
    holds neither when it is sent to the workers of a cluster. A note that fails becomes null.

    text (str | Sequence[str]): The column of notes, or several; a missing note stays missing.
    patient (str): The column of patient ids; notes of one patient share surrogates.
    policy (str | Path | Policy): A style, a preset or a file, which is read here; see
        `find_policy`.
    model (str | Path): Name of the model on the workers, or its folder there.
    key_file (Path | None): File with the secret on the workers; by default, it is read from their
        environment variable `SPACY_DEID_KEY`.
    RAISES (RedactionError): If no column is named, or there is no such policy.
    """

    def __init__(
        self,
        text: str | Sequence[str] = "text",
        *,
        patient: str = "",
        policy: str | Path | Policy = "tag",
        model: str | Path = "en_deid",
        key_file: str | Path | None = None,
    ) -> None:
        names = (text,) if isinstance(text, str) else tuple(text)
        if not any(names):
            raise RedactionError("no column of notes is named; name it with `text=`")
        self.fields = Fields(names, id="", patient=patient)
        self.policy = find_policy(policy)
        self.model = str(model)
        self.key_file = None if key_file is None else Path(key_file)

    def __call__(self, table: pa.Table) -> pa.Table:
        """Redact a table.

        RETURNS (pa.Table): The table with new texts, and the columns `PHI_COUNTS` and `WITHHELD`.
        RAISES (RedactionError): If it is no table, there is no such column, model or key, or
            something else fails than a note.
        """
        if not isinstance(table, pa.Table):
            raise RedactionError(f"a pyarrow.Table is expected, not {type(table).__name__}")
        self.check_columns(table.column_names)
        batches = self.redact(table.to_batches()) if table.num_rows else []
        result = pa.Table.from_batches(batches, self._schema(table.schema))
        return result.unify_dictionaries()  # each batch has its own, and a file may hold only one

    def redact(
        self, batches: Iterable[pa.RecordBatch], *, isolated: bool = False, expendable: bool = False
    ) -> Iterator[pa.RecordBatch]:
        """Redact batches, some rows at a time.

        isolated (bool): Whether a process of its own does it, so that a note that ends or hangs it
            is withheld.
        expendable (bool): Whether this process may end itself if a note lets it hang.
        RAISES (RedactionError): As in a call.
        """
        try:
            with self._start(isolated=isolated, expendable=expendable) as pool:
                for batch in batches:
                    for rows in _cut(batch, self.fields.text):
                        yield self._redact(rows, pool)
        except RedactionError:
            raise
        except Exception as error:  # its message may quote a note
            raise RedactionError(f"a batch cannot be redacted ({type(error).__name__})") from None

    def check_columns(self, names: Sequence[str]) -> None:
        """Raise a RedactionError if a column is missing, or one that is added is there already."""
        settings = {self.fields.patient: "`patient=`", **dict.fromkeys(self.fields.text, "`text=`")}
        if problem := missing_column(names, self.fields.needed, settings.get):
            raise RedactionError(f"the table {problem}")
        for name in names:
            if name.lower() in (PHI_COUNTS, WITHHELD):
                raise RedactionError(
                    f"the table has a column '{name}' already: is it redacted? If not, rename it"
                )

    def _start(self, *, isolated: bool, expendable: bool) -> Pool:
        key = find_key(self.key_file)
        if key is None and self.policy.draws:
            raise RedactionError(
                f"the policy '{self.policy.name}' draws surrogates, but the worker has no key: set "
                f"{KEY_VARIABLE} in its environment, or name a file there with `key_file=`"
            )
        with ONE_AT_A_TIME:
            nlp = load_once(self.model)
        require_mergers(nlp, "de-identification")
        redactor = Redactor(self.policy, key or random_key())
        return Pool(
            nlp,
            redactor,
            1,
            exclusive=True,
            isolated=isolated,
            expendable=expendable,
        )

    def _redact(self, rows: pa.Table, pool: Pool) -> pa.RecordBatch:
        records, places = read_records(rows, self.fields, range(rows.num_rows))
        inputs = [
            InputText(
                text=record.text,
                patient_id=record.patient_id,
                error=record.error,
                note=note,
            )
            for record, note in zip(records, whole_notes(records), strict=True)
        ]
        with ONE_AT_A_TIME:
            (outcomes,) = pool.redact([inputs])
        table = replace_texts(rows, self.fields, places, [outcome.text for outcome in outcomes])
        table = _add_outcomes(table, places, outcomes).cast(self._schema(rows.schema))
        (batch,) = table.combine_chunks().to_batches()
        return batch

    def _schema(self, schema: pa.Schema) -> pa.Schema:
        """The schema of the result; as in Parquet files, other metadata may quote notes."""
        schema = redacted_schema(schema, self.fields)
        counts = pa.field(PHI_COUNTS, pa.map_(pa.string(), pa.int32()))
        return schema.append(counts).append(pa.field(WITHHELD, pa.string()))


def _cut(batch: pa.RecordBatch, columns: Sequence[str]) -> Iterator[pa.Table]:
    """The rows in batches; a byte counts as a character."""
    sizes = [0] * batch.num_rows
    for name in columns:
        lengths = _lengths(batch.column(name))
        sizes = [size + length for size, length in zip(sizes, lengths, strict=True)]
    table = pa.Table.from_batches([batch])
    for rows in batches(range(len(sizes)), sizes.__getitem__):
        yield table.slice(rows[0], len(rows))


def _lengths(column: pa.Array) -> list[int]:
    """The bytes of its texts; none if they are no strings, and so withheld."""
    try:
        lengths = pc.binary_length(column.cast(pa.large_binary()))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return [0] * len(column)
    return list(pc.fill_null(lengths, 0).to_pylist())


def _add_outcomes(
    table: pa.Table, places: Sequence[Place], outcomes: Sequence[Outcome]
) -> pa.Table:
    """The table with a column for what was replaced, and one for why a text is withheld."""
    counts: dict[int, Counter[str]] = {}
    reasons: list[str | None] = [None] * table.num_rows
    for (_, row), outcome in zip(places, outcomes, strict=True):
        if outcome.error:
            reasons[row] = reasons[row] or outcome.error
        else:
            counts.setdefault(row, Counter()).update(outcome.phi)
    pairs = [sorted(counts[row].items()) if row in counts else None for row in range(len(reasons))]
    table = table.append_column(PHI_COUNTS, pa.array(pairs, pa.map_(pa.string(), pa.int32())))
    return table.append_column(WITHHELD, pa.array(reasons, pa.string()))
