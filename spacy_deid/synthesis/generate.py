"""Generates synthetic notes, each from its own seed, independent of the others."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from tqdm import tqdm

from ..annotation.notes import Note
from ..corpora import write_notes
from .carriers import Carrier, CarrierSet, load_carriers
from .compose import Composer
from .library import load_library
from .noise import NoiseConfig, add_noise
from .note_values import NoteValues, make_patient
from .render import Renderer
from .values import SETS, load_values

_BLOCK = 8  # notes per block; the patients of a block share them
_SHARES = {"train": 0.8, "dev": 0.1, "test": 0.1}


@dataclass(frozen=True)
class Generator:
    """Makes the notes of one set."""

    assets: Path  # folder with `notes`, `grammar`, `values` and `gazetteers`
    set_name: str  # "train", "dev" or "test"
    seed: int = 0  # equal seeds give equal notes
    carriers: Sequence[Carrier] = ()  # unlabelled text to insert PHI into; may be empty
    noise: NoiseConfig = NoiseConfig()

    @cached_property
    def carrier_set(self) -> CarrierSet:
        """Carriers of the set."""
        return CarrierSet(self.carriers, self.set_name, self.assets)

    def notes(self, count: int) -> Iterator[Note]:
        """The first `count` notes."""
        return map(self.note, range(count))

    def note(self, index: int) -> Note:
        """Note number `index`, from 0; its id consists of the patient and the record."""
        number, record = self._patient_of(index)
        patient = make_patient(f"{self.seed}:{self.set_name}:patient:{number}")
        rng = random.Random(f"{self.seed}:{self.set_name}:note:{index}")
        values = load_values(self.assets, self.set_name)
        library = load_library(self.assets, self.set_name)
        note_values = NoteValues(values, patient, rng, record)
        nodes = Composer(library, values, self.carrier_set, patient, rng).compose()
        text, spans = Renderer(note_values, library.grammar, rng).render(nodes)
        text, spans = add_noise(text, spans, self.noise, rng)
        tagged = (replace(span, id=f"P{i}") for i, span in enumerate(spans))
        return Note(f"{number + 1:04}-{record:02}", text, tuple(tagged))

    def _patient_of(self, index: int) -> tuple[int, int]:
        """Number of a note's patient, and of the record; some patients have several."""
        block, place = divmod(index, _BLOCK)
        rng = random.Random(f"{self.seed}:{self.set_name}:block:{block}")
        patient, record = block * _BLOCK, 1
        for _ in range(place):
            same = rng.random() < 0.25
            patient, record = (patient, record + 1) if same else (patient + 1, 1)
        return patient, record


def synthesize(
    out: Path,
    notes: int,
    *,
    assets: Path,
    seed: int = 0,
    set_name: str | None = None,
    carriers: Sequence[Path] = (),
    force: bool = False,
    progress: bool = False,
) -> dict[Path, int]:
    """Write synthetic notes as i2b2 XML; assets, seed and carriers as for `Generator`.

    out (Path): The folder; without `set_name` it gets a subfolder for each set.
    notes (int): Total number of notes.
    set_name (str | None): The set, or None for all three.
    force (bool): Whether to replace existing files.
    RETURNS (dict[Path, int]): Number of notes written to each folder.
    RAISES (ValueError): If the set is unknown, a template is wrong, or files exist already.
    RAISES (FileNotFoundError): If assets or carriers are missing.
    """
    if set_name is not None and set_name not in SETS:
        raise ValueError(f"unknown set '{set_name}'; the sets are {', '.join(SETS)}")
    if not assets.is_dir():
        raise FileNotFoundError(f"there is no folder {assets}; name the assets with --assets")
    texts = load_carriers(carriers)
    sizes = {set_name: notes} if set_name else share_out(notes)
    written = {}
    for name, count in sizes.items():
        folder = out if set_name else out / name
        stream = Generator(assets, name, seed, texts).notes(count)
        bar = tqdm(
            stream, name, count, leave=False, unit=" notes", disable=None if progress else True
        )
        written[folder] = write_notes(bar, folder, fmt="i2b2", force=force).notes
    return written


def share_out(count: int) -> dict[str, int]:
    """Split `count` notes into the sets: 80, 10 and 10 percent, at least one each."""
    sizes = {name: max(1, round(count * share)) for name, share in _SHARES.items()}
    sizes["train"] = max(1, count - sizes["dev"] - sizes["test"])
    return sizes
