"""How the systems that are scored are read or run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from ..annotation.notes import Note
from ..annotation.phi import LabelSet
from ..evaluation.systems import System, find_label_set, find_system, read_gold, system_path
from . import messages, options


@dataclass(frozen=True)
class Systems:
    """Options of gold and systems."""

    labels: options.Labels = None
    system_labels: Annotated[str | None, Option(help="Label set of the system's notes.")] = None
    format: options.Format = None
    system_format: Annotated[
        str | None, Option(help="Format of the system's notes, if unclear.")
    ] = None
    threshold: options.Threshold = None
    terms: options.Terms = None
    n_process: options.Processes = 1

    @property
    def label_set(self) -> LabelSet | None:
        """The label set to score in."""
        return find_label_set(self.labels)

    def check_outputs(
        self, outputs: Iterable[Path | None], gold: Path, *systems: str, train: Path | None = None
    ) -> None:
        """Check the files to write, which must not replace what is read."""
        inputs = [gold, train, self.terms, *map(system_path, systems)]
        messages.check_outputs(outputs, inputs)

    def gold(self, path: Path) -> list[Note]:
        """Read gold notes."""
        return read_gold(path, format=self.format, labels=self.labels)

    def find(self, spec: str, gold: list[Note], *, is_model: bool = True) -> System:
        """Read or run a system; `is_model` is whether it takes the threshold and the terms."""
        return find_system(
            spec,
            gold,
            format=self.system_format,
            labels=self.system_labels,
            threshold=self.threshold if is_model else None,
            terms=self.terms if is_model else None,
            n_process=self.n_process,
            progress=True,
        )
