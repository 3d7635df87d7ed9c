"""Redaction of whole folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from spacy.language import Language
from tqdm import tqdm

from .errors import RedactionError
from .key import Key, find_key, random_key
from .plan import plan_redaction
from .policy import find_policy
from .redacted import Redactor
from .stream import NoteResult, NoteStream


@dataclass
class Summary:
    """What became of all notes.

    notes (int): Number of notes that were redacted.
    phi (Counter[str]): How much PHI of each type was replaced.
    failures (list[NoteResult]): The notes that failed, of which nothing was written.
    """

    notes: int = 0
    phi: Counter[str] = field(default_factory=Counter)
    failures: list[NoteResult] = field(default_factory=list)

    def add(self, result: NoteResult) -> None:
        """Count one note."""
        if result.error:
            self.failures.append(result)
        else:
            self.notes += 1
            self.phi += result.phi


def redact_files(
    inputs: Iterable[Path],
    out: Path,
    nlp: Language,
    *,
    policy: str = "tag",
    key: Key | None = None,
    n_process: int = 1,
    batch_size: int = 64,
    force: bool = False,
    progress: bool = False,
    on_note: Callable[[NoteResult], None] | None = None,
) -> Summary:
    """Redact text files into a folder.

    Notes are read, redacted and written as a stream, so memory holds a few batches at a time.
    Each result appears whole or not at all. Byte order marks and line ends stay as they are.

    inputs (Iterable[Path]): Text files (.txt), and folders that hold some at any depth.
    out (Path): The output folder; each note keeps its name and its path within its input folder.
    nlp (Language): A pipeline with `phi_merger`.
    policy (str): A style, a preset or a file; see `find_policy`.
    key (Key | None): The secret of surrogates; by default the user's, or else a new one.
    n_process (int): Number of processes.
    batch_size (int): Number of notes that a process works on at a time.
    force (bool): Whether existing files in the output folder may be replaced.
    progress (bool): Whether to show a progress bar.
    on_note (Callable[[NoteResult], None] | None): Called with each note's result.
    RETURNS (Summary): Notes, PHI by type and failures.
    RAISES (RedactionError): If nothing can be started; see `plan_redaction`.
    """
    if "phi_merger" not in nlp.pipe_factories.values():
        raise RedactionError("the pipeline does not de-identify: it has no phi_merger")
    redactor = Redactor(find_policy(policy), key or find_key() or random_key())
    tasks = plan_redaction(inputs, out, force=force)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RedactionError(f"cannot make the output folder {out}: {error.strerror}") from error
    summary = Summary()
    results = NoteStream(tasks, nlp, redactor).results(n_process, batch_size)
    for result in tqdm(results, total=len(tasks), unit="note", disable=None if progress else True):
        summary.add(result)
        if on_note is not None:
            on_note(result)
    return summary
