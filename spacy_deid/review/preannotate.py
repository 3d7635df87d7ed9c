"""Pre-annotation: the PHI that a model finds, for an annotation tool or as a corpus."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from spacy.language import Language
from tqdm import tqdm

from ..corpora import Problem, write_notes
from ..corpora.convert import Conversion, check_apart
from ..records import Fields
from .findings import read_findings


def preannotate(
    source: Path,
    target: Path,
    nlp: Language,
    *,
    source_format: str | None = None,
    target_format: str | None = None,
    fields: Fields | None = None,
    force: bool = False,
    progress: bool = False,
    exclusive: bool = False,
) -> Conversion:
    """Search the notes at `source`, and write them with the PHI found.

    source (Path): Texts in a format that `redact` reads, or a corpus, whose PHI are replaced.
    target (Path): The file or folder to write.
    nlp (Language): A pipeline with `phi_merger`.
    source_format, target_format (str | None): Name of the format; by default, by suffix.
    fields (Fields | None): The names of columns or keys, if the notes are in records.
    exclusive (bool): As in `Search`.
    RAISES (ValueError): If a path or a format is wrong.
    """
    check_apart(source, target)
    problems: list[Problem] = []
    findings = read_findings(
        source,
        nlp,
        fmt=source_format,
        fields=fields,
        on_problem=problems.append,
        exclusive=exclusive,
    )
    with tqdm(findings, unit=" notes", disable=None if progress else True) as bar:
        notes = (finding.note for finding in bar)
        written = write_notes(
            notes, target, fmt=target_format, force=force, on_problem=problems.append
        )
    return Conversion(written, Counter(), problems)
