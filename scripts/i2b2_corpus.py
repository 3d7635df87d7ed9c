"""Turn one's own copy of an i2b2/n2c2 corpus into docs to train on, to choose by and to test on.

    python scripts/i2b2_corpus.py assets/i2b2 corpus/i2b2

The folder holds the folders of the release, as they are named there: those whose names begin with
"train" are for training, those with "test" for the test. A tenth of the training patients, always
the same, is kept apart for development, so that no patient is in two sets. Leave only the folders
with PHI there: those of the other tracks hold the same notes without it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm
from wasabi import msg

from spacy_deid.annotation.notes import Note
from spacy_deid.corpora import Problem, read_notes, write_notes


def gather(source: Path, prefix: str, problems: list[Problem]) -> Iterator[Note]:
    """The notes of all folders whose names begin with `prefix`.

    problems (list[Problem]): Takes the notes that are not sound and are set aside.
    RAISES (ValueError): If there is no such folder, or two have a note of the same id.
    """
    folders = sorted(
        path for path in source.glob("*") if path.is_dir() and path.name.lower().startswith(prefix)
    )
    if not folders:
        raise ValueError(
            f"there is no folder {source}/{prefix}*: put the folders of your copy of the i2b2 2014 "
            "corpus there, with the names of the release (training-PHI-Gold-Set1, "
            "training-PHI-Gold-Set2, testing-PHI-Gold-fixed); it is available from n2c2, "
            "https://portal.dbmi.hms.harvard.edu"
        )
    place_of: dict[str, Path] = {}
    for folder in folders:
        for note in read_notes(folder, overlaps=True, on_problem=problems.append):
            if note.id in place_of:
                raise ValueError(
                    f"note {note.id} is in {place_of[note.id]} and in {folder}; leave only the "
                    "folders with PHI there"
                )
            place_of[note.id] = folder
            yield note


def warn_of_patients(training: list[Note], test: list[Note]) -> None:
    """Warn if a patient is in training and in test: ids may also be the same by chance."""
    if both := {note.patient_id for note in training} & {note.patient_id for note in test}:
        msg.warn(
            f"{len(both)} patients, such as {min(both)}, have notes in the folders train* and in "
            "test*: scores on the test may be too good"
        )


def is_for_development(note: Note) -> bool:
    """Whether the note's patient is among the tenth that is kept apart."""
    return hashlib.sha256(note.patient_id.encode("utf-8")).digest()[0] % 10 == 0


def main(
    source: Annotated[Path, typer.Argument(help="Folder with the folders of the corpus.")],
    output: Annotated[Path, typer.Argument(help="Folder to write.")],
) -> None:
    """Write train.spacy, dev.spacy and test.spacy; exit with 1 if they lack a note of the test."""
    problems: list[Problem] = []
    lost: list[Problem] = []
    try:
        notes = gather(source, "train", problems)
        training = list(tqdm(notes, "train", unit=" notes", disable=None))
        test = list(gather(source, "test", lost))
        sets = {
            "train": [note for note in training if not is_for_development(note)],
            "dev": [note for note in training if is_for_development(note)],
            "test": test,
        }
        for problem in (*problems, *lost):
            msg.warn(f"set aside: {problem}")
        if empty := [name for name, members in sets.items() if not members]:
            raise ValueError(
                f"there are no notes for {' and '.join(empty)}: those of a patient stay together; "
                "give those of more patients, in files named PATIENT-RECORD.xml, as in 110-01.xml"
            )
        warn_of_patients(training, test)
        for name, members in sets.items():
            tally = write_notes(members, output / f"{name}.spacy", force=True)
            msg.good(f"{name}: {tally.notes:,} notes, {tally.types.total():,} PHI spans")
        if lost:
            raise ValueError(f"notes of the test set that were set aside: {len(lost)}; fix them")
    except (ValueError, OSError) as error:
        msg.fail(f"{error}", exits=1)


if __name__ == "__main__":
    typer.run(main)
