"""The settings of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from spacy.language import Language

from ..engine.pool import TIMEOUT, Pool
from ..known.pipe import add_known
from ..merger import require_mergers
from ..records import Fields
from ..redaction import AnyKey, Key, Policy, Redactor, as_key, find_key, find_policy, random_key
from .patients import Patients


@dataclass(frozen=True)
class RunSettings:
    """What a run is asked to do.

    policy (str | Policy): A style, a preset or a file; see `find_policy`.
    key (AnyKey | None): The secret of surrogates; by default the user's, or else a new one.
    format (str | None): Name of the files' format; by default, by suffix.
    fields (Fields): The names of columns or keys in records.
    patients (Patients): Whose notes they are, and known patient data.
    n_process (int): Number of processes.
    batch_size (int): Number of notes that a process works on at a time.
    exclusive (bool): Whether nothing else uses the pipeline during the run. If so, memory does not
        grow; otherwise new words of the notes stay in the vocabulary of the pipeline, unless there
        are several processes, which work on copies.
    timeout (float): Seconds after which one of several processes is considered hung: it is ended,
        and the note that takes that long on its own is withheld.
    keep_originals (str | Path | None): File to write, or to continue, with what was replaced by
        what, encrypted with the user's key; see `OriginalsFile`.
    secrets (Sequence[Path]): Files with the key, known data or terms, which no run may redact or
        replace.
    sample (int | None): How many records to draw at random (rows, lines, messages, or whole files
        of text or FHIR), in place of all.
    seed (int): Seed of the sample.
    limit (int | None): Stop after this many notes, at the end of a record.
    dry_run (bool): Whether to write nothing.
    resume (bool): Whether to continue a run into the same folder that was stopped.
    force (bool): Whether existing files in the output folder may be replaced.
    """

    policy: str | Policy = "tag"
    key: AnyKey | None = None
    format: str | None = None
    fields: Fields = Fields()
    patients: Patients = field(default_factory=Patients)
    n_process: int = 1
    batch_size: int = 16  # 64 would take 30 MB more and be no faster
    exclusive: bool = False
    timeout: float = TIMEOUT
    keep_originals: str | Path | None = None
    secrets: Sequence[Path] = ()
    sample: int | None = None
    seed: int = 1
    limit: int | None = None
    dry_run: bool = False
    resume: bool = False
    force: bool = False

    @cached_property
    def user_key(self) -> Key | None:
        """The user's key, if there is one."""
        return find_key() if self.key is None else as_key(self.key)

    @cached_property
    def loaded_policy(self) -> Policy:
        """The policy itself."""
        return find_policy(self.policy)

    @cached_property
    def originals(self) -> Path | None:
        """The file of the originals, if they are kept."""
        return None if self.keep_originals is None else Path(self.keep_originals)

    @cached_property
    def repeatable(self) -> bool:
        """Whether another run draws the same surrogates."""
        policy, key = self.loaded_policy, self.user_key  # both checked
        return key is not None or not policy.draws

    def prepare_pipeline(self, nlp: Language) -> None:
        """Prepare a pipeline for known patient data, if there are any.

        RAISES (RedactionError): If it cannot de-identify.
        """
        if self.patients.known or self.fields.known:
            add_known(nlp)
        require_mergers(nlp, "de-identification")

    def start_pool(self, nlp: Language, *, keep: bool = False) -> Pool:
        """The processes of the run; `keep` is whether outcomes hold the replacements."""
        redactor = Redactor(self.loaded_policy, self.user_key or random_key())
        return Pool(
            nlp,
            redactor,
            self.n_process,
            keep=keep,
            exclusive=self.exclusive,
            timeout=self.timeout,
        )
