"""What a run reads and writes, checked before anything is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from spacy.language import Language

from ..files import MANIFEST, real_path
from ..records import RECORD_FORMATS
from ..redaction import Key, RedactionError
from .inputs import find_files, find_format
from .reader import Sample, Task, check_columns, check_structured
from .results import Summary
from .sample import draw_notes
from .settings import RunSettings
from .workspace import OWN_NAMES


@dataclass(frozen=True)
class Run:
    """A run over files that has been checked."""

    out: Path
    tasks: Sequence[Task]  # the files, sorted by folder and name within each input
    nlp: Language
    settings: RunSettings
    summary: Summary  # the results so far
    sample: Sample | None = None  # what to redact of the files; None for all of them

    @property
    def key(self) -> Key | None:
        """The user's key, if there is one."""
        return self.settings.user_key


def prepare_run(inputs: Iterable[Path], out: Path, nlp: Language, settings: RunSettings) -> Run:
    """Check all that can be checked before anything is written.

    RAISES (RedactionError): If the run cannot be started.
    """
    summary = Summary(repeatable=settings.repeatable)
    tasks = _find_files([*inputs], out, settings.format, summary)
    _check_secrets(tasks, out, settings)
    settings.prepare_pipeline(nlp)
    if settings.resume and not settings.repeatable:
        raise RedactionError("a run with surrogates can be resumed only with its key")
    check_columns(tasks, settings.fields)
    check_structured(tasks, settings.fields)
    settings.patients.check_folders(task.source for task in tasks)
    sample = None
    if settings.sample is not None:
        sample = draw_notes(tasks, settings.fields, settings.sample, settings.seed)
        tasks = [task for task in tasks if task.place in sample]
    return Run(out, tasks, nlp, settings, summary, sample)


def _find_files(
    inputs: Sequence[Path], out: Path, format: str | None, summary: Summary
) -> list[Task]:
    """Pair every file with its place in the output folder; the summary gets those left out.

    A file keeps its path relative to the folder it was found in, and its name if it is named.
    """
    _check_folders(inputs, out)
    given = find_format(format) if format is not None else None
    tasks = []
    for found in (file for path in inputs for file in find_files(path, given)):
        if found.kind:
            summary.special.append((found.source, found.kind))
        elif found.format is None:
            summary.skipped[found.source.suffix] += 1
        else:
            tasks.append(Task(found.source, str(found.place), out / found.place, found.format))
    if not tasks:
        formats = [given] if given else RECORD_FORMATS.values()
        suffixes = ", ".join(suffix for each in formats for suffix in each.suffixes)
        raise RedactionError(f"there are no notes among the inputs; files may be {suffixes}")
    _check_targets(tasks)
    return tasks


def _check_folders(inputs: Sequence[Path], out: Path) -> None:
    where = real_path(out)
    for path in (where, *where.parents):
        if path.exists() and not path.is_dir():
            raise RedactionError(f"the output folder {out} cannot be made: {path} is not a folder")
    for path in inputs:
        if path.is_dir() and real_path(path) in (where, *where.parents):
            raise RedactionError(
                f"the output folder {out} lies in the input folder {path}; choose another one"
            )


def _check_targets(tasks: Sequence[Task]) -> None:
    sources = {real_path(task.source) for task in tasks}
    taken: dict[Path, Path] = {}
    for task in tasks:
        target = real_path(task.target)
        if target in sources:
            raise RedactionError(
                f"the result would overwrite the input {task.source}; choose another folder"
            )
        top = Path(task.place).parts[0]
        if top.casefold() in OWN_NAMES:  # some file systems ignore case
            raise RedactionError(f"the run's own {top} would overwrite the result of a note")
        if target in taken:
            raise RedactionError(
                f"{taken[target]} and {task.source} would both be written to {task.target}; redact "
                "them into two folders"
            )
        taken[target] = task.source


def _check_secrets(tasks: Sequence[Task], out: Path, settings: RunSettings) -> None:
    """Check that no file with secrets would be redacted, and released, as a note, or replaced."""
    secrets = {real_path(path): path for path in settings.secrets}
    originals = settings.originals
    apart = {**secrets, real_path(originals): originals} if originals else secrets
    for task in tasks if apart else ():
        if path := apart.get(real_path(task.source)):
            raise RedactionError(f"{path} lies among the notes; keep it apart from them")
    for target in (out / MANIFEST, *(task.target for task in tasks)) if secrets else ():
        if path := secrets.get(real_path(target)):
            raise RedactionError(f"a result would overwrite {path}; choose another folder")
