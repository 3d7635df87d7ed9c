"""Notes with their PHI and its origins, for review, and random samples of them."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from spacy.language import Language
from spacy.tokens import Doc

from ..annotation.notes import Note
from ..batch.texts import read_texts
from ..corpora import CORPUS_FORMATS, Problem, read_notes
from ..corpora.base import check_path
from ..corpora.io import input_format, raise_problem
from ..draws import chance, draw
from ..engine.batches import batches
from ..engine.search import Search
from ..files import is_by_product, with_suffix
from ..merger import Origin, read_origins
from ..records import RECORD_FORMATS, Fields
from ..redaction.redacted import find_phi

_I2B2_ID = re.compile(r"[0-9]+-[0-9]{2}")


@dataclass(frozen=True)
class Finding:
    """A note with its PHI."""

    note: Note
    origins: Mapping[int, Origin] = field(default_factory=dict)  # by first character, where known
    patient_id: str = ""  # as given; empty if it was not

    @property
    def patient(self) -> str:
        """The patient, as given or by an i2b2 note id ("110-03"); empty if unknown."""
        of_i2b2 = _I2B2_ID.fullmatch(self.note.id)
        return self.patient_id or (self.note.patient_id if of_i2b2 else "")


def find_in_docs(docs: Iterable[tuple[Doc, str]]) -> Iterator[Finding]:
    """The findings in docs from a pipeline with `phi_merger`, each given with its note id.

    RAISES (RedactionError): If a doc was never searched for PHI.
    """
    for doc, note_id in docs:
        yield Finding(Note(note_id, doc.text, find_phi(doc)), read_origins(doc))


def read_findings(
    path: Path,
    nlp: Language | None = None,
    *,
    fmt: str | None = None,
    fields: Fields | None = None,
    select: Callable[[Iterator[Finding]], Iterable[Finding]] | None = None,
    on_problem: Callable[[Problem], None] = raise_problem,
    exclusive: bool = False,
) -> Iterator[Finding]:
    """Read notes with their PHI, or search them for PHI.

    path (Path): Texts in a format that `redact` reads, or a corpus in any format. A DocBin also
        keeps origins.
    nlp (Language | None): A pipeline to search the notes with; by default, annotated PHI is used.
    fmt (str | None): Name of the format; by default, by suffix.
    fields (Fields | None): The names of columns or keys, if the notes are in records.
    select (Callable | None): Selects the notes to search, such as a sample.
    on_problem (Callable): Called for each note that is set aside; by default, an error is raised.
    exclusive (bool): As in `Search`.
    RAISES (ValueError): If there is nothing at `path`, its format is unclear, or texts are given
        without a pipeline.
    """
    if is_text(path, fmt, fields):
        if nlp is None:
            raise ValueError(f"{path} is text without PHI marked in it; it needs a model")
        texts = read_texts(path, format=fmt, fields=fields, on_problem=on_problem)
        findings = (Finding(note, patient_id=patient) for note, patient in texts)
    else:
        notes = read_notes(path, fmt=fmt, on_problem=on_problem)
        docbin = nlp is None and input_format(path, fmt).name == "docbin"
        origins = _read_origins(path) if docbin else {}
        findings = (Finding(note, origins.get(note.id, {})) for note in notes)
    selected = iter(select(findings) if select else findings)
    return _search(selected, nlp, on_problem, exclusive) if nlp else selected


def is_text(path: Path, format: str | None = None, fields: Fields | None = None) -> bool:
    """Whether the notes at a path are texts without PHI annotation, by format name or suffix.

    RAISES (ValueError): If there is nothing at `path`.
    """
    check_path(path)
    if fields is not None and fields != Fields():
        return True
    if format is not None:
        return format in RECORD_FORMATS and format not in CORPUS_FORMATS
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    notes = [file for file in files if not is_by_product(file.relative_to(path))]
    suffixes = {file.suffix.lower() for file in notes}
    return bool(with_suffix(suffixes, RECORD_FORMATS)) and not with_suffix(suffixes, CORPUS_FORMATS)


SAMPLE_BY: dict[str, Callable[[Finding], str]] = {
    "folder": lambda finding: PurePath(finding.note.id).parent.as_posix(),
    "patient": lambda finding: finding.patient,
}
"""What a sample can be taken evenly from."""


def draw_sample(
    findings: Iterable[Finding], size: int, *, seed: int = 1, by: str | None = None
) -> list[Finding]:
    """Draw notes at random: the same for a seed, in any order of the notes.

    by (str | None): A name in `SAMPLE_BY`, to draw as evenly as possible from all folders or
        patients; by default, every note is equally likely.
    RETURNS (list[Finding]): The sample, in the order given.
    """
    groups: dict[str, list[tuple[bytes, int, Finding]]] = {}
    for place, finding in enumerate(findings):
        group = groups.setdefault(SAMPLE_BY[by](finding) if by else "", [])
        group.append((draw(seed, finding.note.id), place, finding))
        if len(group) > 2 * size:  # keeps memory small
            group[:] = heapq.nsmallest(size, group, key=lambda item: item[:2])
    ranked = [
        (rank, *item)
        for group in groups.values()
        for rank, item in enumerate(sorted(group, key=lambda item: item[:2]))
    ]
    chosen = sorted(ranked, key=lambda item: item[:3])[:size]
    return [finding for *_, finding in sorted(chosen, key=lambda item: item[2])]


def in_random_order(
    findings: Iterable[Finding], *, seed: int = 1, strata: str | None = None
) -> list[Finding]:
    """Notes in the random order of a seed.

    strata (str | None): A name in `SAMPLE_BY`, so that each folder or patient has its share in the
        first notes, however many are taken: a stratified sample in proportion.
    RAISES (ValueError): If there is one stratum only, or each note has its own.
    """
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(SAMPLE_BY[strata](finding) if strata else "", []).append(finding)
    if strata and (len(groups) < 2 or max(map(len, groups.values())) < 2):
        what = "all notes have the same" if len(groups) < 2 else "each note has its own"
        raise ValueError(f"`strata=` {strata} has no effect: {what} {strata}; leave it out")
    order: list[tuple[float, bytes, Finding]] = []
    for name, group in groups.items():
        ranked = sorted((draw(seed, finding.note.id), place) for place, finding in enumerate(group))
        start = chance(seed, "strata", name)
        order += [
            ((rank + start) / len(ranked), drawn, group[place])
            for rank, (drawn, place) in enumerate(ranked)
        ]
    return [finding for *_, finding in sorted(order, key=lambda item: item[:2])]


def _search(
    findings: Iterator[Finding],
    nlp: Language,
    on_problem: Callable[[Problem], None],
    exclusive: bool,
) -> Iterator[Finding]:
    """Search notes in the same way as redaction."""
    search = Search(nlp, exclusive=exclusive)
    for batch in batches(findings, lambda finding: len(finding.note.text)):
        found = search.find([finding.note.text for finding in batch], [{}] * len(batch))
        for finding, detected in zip(batch, found, strict=True):
            if detected.error:
                on_problem(Problem(f"note {finding.note.id}", detected.error))
            else:
                note = replace(finding.note, spans=detected.spans)
                yield replace(finding, note=note, origins=detected.origins)


def _read_origins(path: Path) -> dict[str, dict[int, Origin]]:
    """The origins of the PHI in a DocBin, by note id."""
    docbin = CORPUS_FORMATS["docbin"]
    return {docbin.load(raw).id: read_origins(raw[1]) for _, raw in docbin.entries(path) if raw}
