"""The report of a proof: tables, JSON, and an HTML page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..pages import write_page
from ..tables import Table
from .bounds import Share
from .plan import Plan
from .proof import ALL, Proof
from .readers import Agreement, sensitivity
from .reviewed import Sample


def caveats(proof: Proof, sample: Sample) -> list[str]:
    """What weakens this proof, a sentence each."""
    found = []
    if unread := sample.drawn - proof.notes:
        found.append(f"{unread} of the {sample.drawn} notes drawn are not in the proof.")
    if sample.disputed:
        found.append(
            f"{_notes_in_dispute(sample).capitalize()}, and they are left out. Readers disagree "
            "mostly where the system missed something, so that the recall without those notes is "
            "too high: adjudicate them (review --adjudicate)."
        )
    if sample.skipped:
        found.append(
            f"{sample.skipped} notes were passed over, so that the notes read are not a random "
            "sample any more: read them, too."
        )
    if sample.set_aside:
        found.append(
            f"{sample.set_aside} notes or files could not be read or searched when the notes were "
            "drawn: nothing is known about those."
        )
    caught, total = (sum(column) for column in zip(*proof.trials.values(), strict=True))
    if not total:
        found.append(
            "Nothing is known about what the readers missed themselves: no note was blind or had "
            "detections held back, and none had two readers. The bounds take readers for perfect."
        )
    elif not caught:
        found.append(
            f"The readers caught none of the {total} pieces of PHI that they were not shown, so "
            "that what they did not mark proves nothing."
        )
    if not proof.by_patient:
        found.append(
            "The notes have no patients, so that misses are counted as clustered by note only."
        )
    return found


def disclaimer(proof: Proof) -> str:
    """What the figures mean, and what they do not."""
    return (
        f"This is a statistical statement about {proof.notes} notes that were drawn at random, and "
        "about the notes they were drawn from, as long as those keep coming from the same places "
        f"in the same forms. Each bound holds in {_confidence(proof)} of such reviews; of "
        "several bounds on this page, some may not. It rests on what the readers took for PHI, "
        "and on the assumption that they miss what the system missed as often as what it found. "
        "It says nothing about other kinds of notes, about who could recognize a patient from "
        "what remains, or about any single note. It is not an expert determination under HIPAA, "
        "45 CFR 164.514(b)(1), and no proof of anonymity."
    )


def verdict(proof: Proof, sample: Sample) -> str:
    """The result in a sentence."""
    bound, sure = low_percent(proof.lower_bound), f"{_confidence(proof)} confidence"
    if sample.disputed:
        disagree = _notes_in_dispute(sample)
        return (
            f"Nothing is shown yet: {disagree} (with {sure}, the bound without those is {bound})."
        )
    if sample.claim is None:
        return f"With {sure}, the recall is at least {bound}."
    if _is_shown(proof, sample):
        return (
            f"Shown: with {sure}, the recall is at least {sample.claim:g} (the bound is {bound})."
        )
    return (
        f"Not shown: with {sure}, the recall is only known to be at least {bound}, "
        f"not {sample.claim:g}."
    )


def proof_tables(proof: Proof, sample: Sample) -> list[Table]:
    """All tables of a proof, the most important first."""
    tables = [
        _recall(proof),
        _shares("Precision: marks that overlap PHI", "false", proof.precision),
        _leaks(proof),
        _readers(proof),
    ]
    if proof.agreement:
        tables.append(_agreement(proof.agreement))
    return [*tables, _sample(proof, sample)]


def plan_table(plan: Plan, phi_per_note: float | None = None) -> Table:
    """What to read."""
    rows = [
        ["recall to show", f"{plan.claim:g}"],
        ["confidence", f"{plan.confidence:g}"],
        ["recall expected", f"{plan.expected:g}"],
        ["if misses were independent: pieces of PHI", f"{plan.independent:,}"],
        ["if misses were independent: misses allowed", f"{plan.misses:,}"],
        ["if misses were independent: chance to show it", f"{plan.power:.0%}"],
        ["design effect, as misses come in clusters", f"{plan.design_effect:g}"],
        ["pieces of PHI to read", f"{plan.pieces:,}"],
        ["misses allowed, about", f"{plan.allowed:,}"],
    ]
    if phi_per_note:
        rows.append(["pieces of PHI in a note", f"{phi_per_note:g}"])
        rows.append(["notes to read", f"{plan.notes(phi_per_note):,}"])
    return Table("What to read", ["", "value"], rows)


def proof_to_json(proof: Proof, sample: Sample) -> dict[str, Any]:
    """All numbers of a proof."""

    def shares(named: Mapping[str, Share]) -> dict[str, Any]:
        return {name: _share_json(share) for name, share in named.items()}

    recapture = proof.recapture
    plain = ("confidence", "notes", "patients", "words", "seconds", "lower_bound")
    return {
        "verdict": verdict(proof, sample),
        "sample": asdict(sample),
        **{name: getattr(proof, name) for name in plain},
        "recall": shares(proof.recall),
        "precision": shares(proof.precision),
        "leak_free_notes": _share_json(proof.leak_free_notes),
        "elusion_per_1000_words": {
            "estimate": 1000 * (proof.elusion.estimate or 0),
            "upper_bound": 1000 * proof.elusion.clustered.high,
        },
        "readers": {name: trials._asdict() for name, trials in proof.trials.items()},
        "corrected_recall": dict(zip(("estimate", "lower_bound"), proof.corrected, strict=True))
        if proof.corrected
        else None,
        "recapture": {**asdict(recapture), "estimate": recapture.estimate} if recapture else None,
        "agreement": [
            {"readers": list(names), **agreement._asdict()}
            for names, agreement in proof.agreement.items()
        ],
        "caveats": caveats(proof, sample),
        "last_words": disclaimer(proof),
    }


def write_proof(proof: Proof, sample: Sample, path: Path, *, more: Sequence[Table] = ()) -> None:
    """Write a proof as one HTML file without note text, atomically, with more tables."""
    recall = proof.recall[ALL]
    cards = {
        f"recall, lower bound ({_confidence(proof)})": low_percent(proof.lower_bound),
        "recall": _percent(recall.estimate),
        "precision": _percent(proof.precision[ALL].estimate),
        "leak-free notes": _percent(proof.leak_free_notes.estimate, 0),
        "missed per 1,000 unmarked words": f"{1000 * (proof.elusion.estimate or 0):.2f}",
        "notes read": f"{proof.notes:,}",
    }
    write_page(
        path,
        "proof",
        title=f"Recall of {sample.system}",
        verdict=verdict(proof, sample),
        shown=_is_shown(proof, sample),
        cards=cards,
        caveats=caveats(proof, sample),
        tables=[*proof_tables(proof, sample), *more],
        disclaimer=disclaimer(proof),
    )


def low_percent(bound: float, digits: int = 2) -> str:
    """A lower bound in percent, rounded down, so that it holds."""
    steps = 10 ** (digits + 2)
    return f"{math.floor(round(bound * steps, 6)) / steps:.{digits}%}"


def _is_shown(proof: Proof, sample: Sample) -> bool:
    """Whether the claim is shown, if there is one; a dispute may be about what was missed."""
    return not sample.disputed and proof.lower_bound >= (sample.claim or 0)


def _notes_in_dispute(sample: Sample) -> str:
    return f"the readers of {sample.disputed} notes disagree"


def _shares(title: str, bad: str, named: Mapping[str, Share]) -> Table:
    rows = [
        [
            name,
            f"{share.total:,}",
            f"{share.total - share.hits:,}",
            _percent(share.estimate),
            *(low_percent(b.low) for b in (share.clustered, share.exact, share.bootstrap)),
            f"{share.design_effect:.1f}",
        ]
        for name, share in named.items()
    ]
    header = ["category", "pieces", bad, "estimate", "lower bound"]
    return Table(title, [*header, "if independent", "by bootstrap", "design effect"], rows)


def _recall(proof: Proof) -> Table:
    table = _shares("Recall: pieces of PHI marked to the last letter", "missed", proof.recall)
    if not proof.corrected:
        return table
    empty = [""] * (len(table.header) - 5)
    estimate, bound = proof.corrected
    figures = [_percent(estimate), low_percent(bound)]
    corrected = ["all, corrected for readers", "", "", *figures, *empty]
    return replace(table, rows=[corrected, *table.rows])


def _leaks(proof: Proof) -> Table:
    clean, missed = proof.leak_free_notes, proof.elusion
    shares = [_percent(clean.estimate or 0.0, 1), low_percent(clean.clustered.low, 1)]
    highest = math.ceil(100_000 * missed.clustered.high) / 100  # rounded up, so that it holds
    rates = [f"{value:.2f}" for value in (1000 * (missed.estimate or 0.0), highest)]
    rows = [
        ["notes without missed PHI", *shares, "lower"],
        ["missed PHI per 1,000 words that were not marked", *rates, "upper"],
    ]
    return Table("What leaks", ["", "estimate", "bound", "side"], rows)


def _readers(proof: Proof) -> Table:
    rows = []
    for name, trials in proof.trials.items():
        share, low = sensitivity(trials, proof.confidence)
        bound = low_percent(low) if trials.total else "–"
        rows.append([name, f"{trials.total:,}", f"{trials.caught:,}", _percent(share), bound])
    if proof.recapture:
        estimate, found = proof.recapture.estimate, proof.recapture.found
        share = found / estimate if estimate else None
        name = "all that the system missed (estimated)"
        rows.append([name, f"{estimate:.1f}", f"{found:,}", _percent(share), "–"])
    header = ["PHI that readers were not shown", "pieces", "caught", "share", "lower bound"]
    return Table("What readers catch", header, rows)


def _agreement(named: Mapping[tuple[str, str], Agreement]) -> Table:
    rows = [
        [" and ".join(names), str(a.notes), f"{a.strict:.4f}", f"{a.token:.4f}", f"{a.kappa:.4f}"]
        for names, a in named.items()
    ]
    header = ["readers", "notes", "strict F1", "token F1", "token kappa"]
    return Table("Agreement of readers, before adjudication", header, rows)


def _sample(proof: Proof, sample: Sample) -> Table:
    rows = [
        ["system", sample.system],
        ["seed of the draw", str(sample.seed)],
        ["strata of the draw", sample.strata or "none"],
        ["notes drawn", f"{sample.drawn:,}"],
        ["notes read", f"{proof.notes:,}"],
        ["patients", f"{proof.patients:,}" if proof.by_patient else "unknown"],
        ["words", f"{proof.words:,}"],
        ["minutes of reading", f"{proof.seconds / 60:,.0f}"],
        ["confidence of each bound", f"{proof.confidence:g}"],
    ]
    return Table("Sample", ["", "value"], rows)


def _share_json(share: Share) -> dict[str, Any]:
    return {
        "hits": share.hits,
        "total": share.total,
        "estimate": share.estimate,
        "design_effect": share.design_effect,
        **{name: getattr(share, name)._asdict() for name in ("clustered", "exact", "bootstrap")},
    }


def _confidence(proof: Proof) -> str:
    return f"{100 * proof.confidence:g}%"


def _percent(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}%}"
