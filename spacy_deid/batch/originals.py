"""The re-identification file of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from ..redaction import Key, Redacted, RedactionError
from ..redaction.reidentify import Vault, is_vault
from .output import writing
from .people import People
from .reader import Unit
from .work import Outcome


def check_vault(path: Path, key: Key | None, out: Path, *, resume: bool, force: bool) -> None:
    """Check whether a run can have a re-identification file, before anything is written.

    path (Path): The file.
    key (Key | None): The user's key.
    out (Path): The output folder.
    resume, force (bool): Whether an existing file may be continued or replaced.
    RAISES (RedactionError): If there is no key, or the file would stand among the results, or it
        is there already, or is something else.
    """
    if key is None:
        raise RedactionError("a re-identification file needs a key of your own")
    if out.resolve() in path.resolve().parents:
        raise RedactionError(
            f"the re-identification file {path} would lie in the output folder; keep it apart"
        )
    if not path.exists():
        return
    if not resume and not force:
        raise RedactionError(f"{path} exists already; use 'force' to replace it")
    if not is_vault(path):
        raise RedactionError(f"{path} is there already and is no re-identification file")


class Originals:
    """Adds what is replaced to the re-identification file."""

    def __init__(self, path: Path, vault: Vault, people: People) -> None:
        """Create the writer; see `keep_originals`.

        path (Path): The file.
        vault (Vault): The same, open.
        people (People): Tells whose a note is.
        """
        self.path = path
        self.vault = vault
        self.people = people

    def add(self, unit: Unit, outcomes: Sequence[Outcome]) -> None:
        """Add the texts of a chunk, but for those that are withheld.

        RAISES (RedactionError): If the file cannot be written.
        """
        for record, outcome in zip(unit.records, outcomes, strict=True):
            if outcome.text is not None:
                with writing(self.path):
                    self.vault.append(
                        unit.place_of(record),
                        self.people.patient_of(unit.task, record),
                        self.people.name_of(unit.task, record),
                        record.text,
                        Redacted(outcome.text, outcome.replacements),
                    )


@contextmanager
def keep_originals(
    path: Path | None, key: Key | None, people: People, *, resume: bool
) -> Iterator[Originals | None]:
    """The re-identification file of a run, if it has one.

    path (Path | None): The file.
    key (Key | None): The user's key.
    people (People): Tells whose a note is.
    resume (bool): Whether to go on with an existing file.
    YIELDS (Originals | None): What writes it.
    RAISES (RedactionError): If it cannot be opened; see `Vault.open`.
    """
    if path is None:
        yield None
        return
    with writing(path):
        if not resume:
            path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
    with closing(Vault.open(path, key)) as vault:
        yield Originals(path, vault, people)
