"""`spacy-deid prove`: bounds of the recall, from notes that people have reviewed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from spacy.language import Language
from typer import Argument, Option

from ..adapt.split import leave_out_learned
from ..annotation.notes import Note
from ..engine.loading import load_pipeline
from ..evaluation.scores import pair_notes
from ..evaluation.systems import System, find_system, system_path
from ..evaluation.tables import threshold_table
from ..evaluation.thresholds import Sweeper
from ..prove import PLANNED_DESIGN_EFFECT, ReviewedNote, plan_sample, prove
from ..prove.report import (
    caveats,
    disclaimer,
    plan_table,
    proof_tables,
    proof_to_json,
    verdict,
    write_proof,
)
from ..prove.reviewed import Sample
from ..review.results import reader_agreements, sample_of
from ..review.store import RANDOM, STORE, Store
from ..tables import Table
from . import messages, options
from .decorator import command


@dataclass(frozen=True)
class Claims:
    """Options of a claim; some of them, of a plan to show it."""

    claim: Annotated[float | None, Option(min=0, max=1, help="Recall to show.")] = None
    confidence: Annotated[float | None, Option(min=0, max=1, help="Confidence of each bound.")] = (
        None
    )
    expected: Annotated[
        float | None,
        Option(
            min=0,
            max=1,
            help="With --plan: recall you expect; by default, with half the misses of the claim.",
        ),
    ] = None
    power: Annotated[
        float,
        Option(
            min=0,
            max=1,
            help="With --plan: chance to show the claim then, if misses are independent; about 0.1 "
            "less if they come in clusters.",
        ),
    ] = 0.9
    design_effect: Annotated[
        float | None,
        Option(
            min=1,
            help="Variance of the recall with misses in clusters, divided by what it would be with "
            "independent misses.",
        ),
    ] = None
    phi_per_note: Annotated[
        float | None, Option(min=0.01, help="With --plan: pieces of PHI in a note.")
    ] = None

    def plan(self) -> Table:
        """How much to read for the claim."""
        if self.claim is None:
            raise ValueError("--plan needs the recall to show: --claim 0.98")
        plan = plan_sample(
            self.claim,
            confidence=_first(self.confidence, 0.95),
            expected=self.expected,
            power=self.power,
            design_effect=self.design_effect or PLANNED_DESIGN_EFFECT,
        )
        return plan_table(plan, self.phi_per_note)


@command("prove")
def prove_cli(
    project: Annotated[Path | None, Argument(help="Folder of a review.")] = None,
    *,
    planning: Annotated[
        bool, Option("--plan", help="Say how much to read for a claim, before reading.")
    ] = False,
    claims: Claims,
    model: Annotated[
        str | None,
        Option(
            "--model",
            "-m",
            help="Another model, or another system's notes as for `evaluate`, to prove it on the "
            "same reviewed notes.",
        ),
    ] = None,
    thresholds: Annotated[
        bool, Option("--thresholds", help="Also show other thresholds (runs the model).")
    ] = False,
    report: Annotated[Path | None, Option(help="HTML report to write; it holds no text.")] = None,
    json: options.JsonFile = None,
    tables: options.Tables,
) -> None:
    """
    Bounds are Clopper-Pearson bounds with a design effect, as misses come in clusters; the one of
    recall is corrected for what readers miss themselves, as blind notes, detections that were
    held back and second readers show. With --plan, nothing is read: it says how many pieces of
    PHI a claim takes.

    Examples:

    spacy-deid prove --plan --claim 0.98 --phi-per-note 25

    spacy-deid prove ours --report proof.html --json proof.json
    """
    if planning:
        if any((project, model, thresholds, report, json)):
            raise ValueError(
                "--plan reads no review; leave out its folder, --model, --thresholds, --report and "
                "--json"
            )
        tables.print([claims.plan()])
        return
    if claims.expected is not None or claims.phi_per_note is not None:
        raise ValueError("--expected and --phi-per-note belong to a plan; add --plan")
    if project is None:
        raise ValueError("name the folder of a review, or use --plan")
    inputs = [project / STORE, system_path(model) if model else None]
    messages.check_outputs([json, report], inputs)
    options.check_html(report, "--report")
    with Store(project) as store:
        settings = store.settings
        sample, notes = sample_of(store)
        agreement = reader_agreements(store, [RANDOM])
    sample = replace(sample, claim=sample.claim if claims.claim is None else claims.claim)
    searched = thresholds and settings["threshold"] is not None
    sample, notes, nlp = _subject(sample, notes, model, searched=searched)
    if thresholds and nlp is None:
        raise ValueError("other thresholds need a model; name it with --model")
    proof = prove(
        notes,
        confidence=_first(claims.confidence, settings["confidence"], 0.95),
        design_effect=claims.design_effect or settings["design_effect"] or PLANNED_DESIGN_EFFECT,
        agreement=agreement,
    )
    more = [_thresholds(nlp, notes)] if thresholds and nlp else []
    messages.write_json(proof_to_json(proof, sample), json)
    if report:
        write_proof(proof, sample, report, more=more)
        messages.tell(f"Written: {report}")
    tables.print([*proof_tables(proof, sample), *more])
    for line in (*caveats(proof, sample), disclaimer(proof), verdict(proof, sample)):
        messages.tell(line)


def _subject(
    sample: Sample, notes: list[ReviewedNote], model: str | None, *, searched: bool
) -> tuple[Sample, list[ReviewedNote], Language | None]:
    """What is proven: the system of the review, or another one on its notes; with its pipeline.

    searched (bool): Whether to load the pipeline of the review.
    """
    if not model:
        return sample, notes, load_pipeline(sample.system) if searched else None
    system = find_system(model, _gold(notes))
    return replace(sample, system=system.full_name), _searched_by(system, notes), system.nlp


def _first(*values: float | None) -> float:
    """The first value that is given."""
    return next(value for value in values if value is not None)


def _gold(notes: list[ReviewedNote]) -> list[Note]:
    return [note.gold for note in notes]


def _searched_by(system: System, notes: list[ReviewedNote]) -> list[ReviewedNote]:
    """The notes with what another system finds in them; readers were not shown that.

    Left out are the notes of patients that a model learned from.
    """
    ids = {note.gold.id for note in notes}
    pairs = pair_notes(_gold(notes), [note for note in system.notes if note.id in ids])
    searched = [
        replace(note, found=theirs.spans) for note, (_, theirs) in zip(notes, pairs, strict=True)
    ]
    unseen = leave_out_learned(system.nlp, searched) if system.nlp else searched
    if searched and not unseen:
        raise ValueError(f"{system.name} learned from all notes that are reviewed; review others")
    if len(unseen) < len(searched):
        left_out = len(searched) - len(unseen)
        messages.tell(f"Left out: {left_out} notes of patients that {system.name} learned from")
    return unseen


def _thresholds(nlp: Language, notes: list[ReviewedNote]) -> Table:
    points = Sweeper(nlp, _gold(notes)).sweep()
    return replace(
        threshold_table(points),
        title="Other thresholds, on these notes (one that is chosen here does better here than "
        "elsewhere; tokens, any type counts)",
    )
