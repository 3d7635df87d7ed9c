"""`spacy-deid review`: people read notes, and correct what was found."""

from __future__ import annotations

import getpass
import webbrowser
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from typer import Argument, Option

from ..corpora import Problem, write_notes
from ..corpora.convert import check_apart
from ..engine.loading import load_pipeline
from ..errors import RedactionError, install
from ..prove.plan import Plan, plan_sample
from ..records import Fields
from ..review.begin import Draw, begin_review
from ..review.findings import SAMPLE_BY, is_text
from ..review.results import Desk, gold_notes
from ..review.store import ADJUDICATE, DOUBTFUL, RANDOM, READ, STORE, Store, check_new
from . import messages, options
from .decorator import command

Notes = Annotated[
    Path | None,
    Argument(metavar="[NOTES]", help="Notes to begin a review of: a file, or a folder."),
]
Project = Annotated[Path, Option("--project", help="Folder of the review.")]
Adjudicating = Annotated[bool, Option("--adjudicate", help="Decide where readers disagree.")]
Export = Annotated[
    Path | None, Option(help="File or folder to write the reviewed notes to, in place of reading.")
]
TargetFormat = Annotated[str | None, Option("--to", help="Format of --export, if unclear.")]

_REDIRECT = '<meta charset="utf-8"><meta http-equiv="refresh" content="0; url={url}">'
"""A page that leads to an address with a token, which everyone could see in a command line."""


@dataclass(frozen=True)
class Drawing:
    """Options of what is drawn, as in `Draw`, and of the claim it is to show."""

    random: Annotated[
        int | None, Option(min=1, help="Notes to draw at random, without --claim; by default 50.")
    ] = None
    doubtful: Annotated[
        int, Option(min=0, help="Further notes, in which most misses are expected.")
    ] = 0
    blind: Annotated[
        float, Option(min=0, max=1, help="Share of random notes shown without detections.")
    ] = 0.1
    planted: Annotated[
        float, Option(min=0, max=1, help="Share of detections to hold back in the others.")
    ] = 0.05
    claim: Annotated[
        float | None,
        Option(min=0, max=1, help="Recall to show: draws as many notes as that takes."),
    ] = None
    confidence: Annotated[float, Option(min=0, max=1, help="Confidence of the claim.")] = 0.95
    seed: options.Seed = 1
    strata: Annotated[
        str | None,
        Option(
            help=f"Give each {' or '.join(SAMPLE_BY)} the same share in the random notes as in all "
            "notes."
        ),
    ] = None

    def drawn(self) -> Draw:
        """What to draw."""
        if self.strata is not None:
            options.check_choice(self.strata, list(SAMPLE_BY), "--strata")
        plan = None if self.claim is None else plan_sample(self.claim, confidence=self.confidence)
        if plan and self.random is not None:
            raise ValueError("--claim draws as many notes as it takes; leave out --random")
        random = Draw.random if self.random is None else self.random
        return Draw(random, self.doubtful, self.blind, self.planted, self.seed, plan, self.strata)


@command("review")
def review_cli(
    notes: Notes = None,
    *,
    project: Project = Path("review"),
    reader: Annotated[str, Option(help="Your name; by default, that of your account.")] = "",
    drawing: Drawing,
    model: options.SearchModel = None,
    threshold: options.Threshold = None,
    format: options.Format = None,
    columns: options.Columns,
    draw_only: Annotated[bool, Option("--draw-only", help="Draw the notes, and end.")] = False,
    adjudicate: Adjudicating = False,
    export: Export = None,
    target_format: TargetFormat = None,
    force: options.Force = False,
    port: Annotated[int, Option(min=0, max=65535, help="Port to listen on; 0 for any.")] = 0,
    launch: Annotated[bool, Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """
    With NOTES, a review begins: notes are drawn at random, before anyone reads them, and searched.
    Without NOTES, it continues. Everything is in one file in the project folder; it holds PHI.
    Several people read under names of their own and do not see each other's marks. Press ? on the
    page for its keys. `spacy-deid prove` then says what the random notes show. A note that cannot
    be read is left out and listed; the exit code is then 1.

    Examples:

    spacy-deid review notes/ --project ours --random 60

    spacy-deid review --project ours --reader anna

    spacy-deid review --project ours --adjudicate

    spacy-deid review --project ours --export gold.jsonl
    """
    problems: list[Problem] = []
    if notes is not None:
        drawn, fields = drawing.drawn(), columns.fields()
        problems = _begin(project, notes, drawn, model, threshold, format, fields)
    with Store(project) as store:
        if export:
            check_apart(project / STORE, export)
            _export(store, export, target_format, force=force)
            return
        messages.good(_summary(store, project))
        if not draw_only:
            role = ADJUDICATE if adjudicate else READ
            _serve(store, project, reader or getpass.getuser(), role, port, launch=launch)
    if problems:
        raise typer.Exit(1)


def _begin(
    project: Path,
    notes: Path,
    drawn: Draw,
    model: str | None,
    threshold: float | None,
    format: str | None,
    fields: Fields,
) -> list[Problem]:
    """Begin a review, and tell the notes that are left out."""
    check_new(project)
    if model is None and fields != Fields() and not is_text(notes, format):
        raise ValueError(
            f"{notes} holds marks, which are read without --patient-column, --text-column and "
            "--id-column; leave those out, or search the texts anew with --model"
        )
    name = model or ("en_deid" if is_text(notes, format, fields) else None)
    problems: list[Problem] = []
    with begin_review(
        project,
        notes,
        drawn,
        load_pipeline(name, threshold) if name else None,
        system=name or f"the marks in {notes.name}",
        format=format,
        fields=fields,
        on_problem=problems.append,
    ) as store:
        if drawn.plan:
            _check_size(store, drawn.plan)
    for problem in problems:
        messages.tell(f"Left out: {problem}")
    return problems


def _check_size(store: Store, plan: Plan) -> None:
    """Say if the random notes hold less PHI than planned."""
    sizes = [len(note.found) for note in store.notes() if note.stratum == RANDOM]
    if sum(sizes) < plan.pieces:
        messages.tell(
            f"Too few notes: to show a recall of {plan.claim:g} takes about {plan.pieces:,} "
            f"pieces of PHI, and the {len(sizes):,} there are have {sum(sizes):,}"
        )


def _export(store: Store, path: Path, format: str | None, *, force: bool) -> None:
    problems: list[Problem] = []
    notes = list(gold_notes(store))
    if not notes:
        raise ValueError("there is nothing to export: no note is reviewed to the end")
    tally = write_notes(notes, path, fmt=format, force=force, on_problem=problems.append)
    if tally.notes:
        messages.good(f"Written: {path}, with {tally.notes} reviewed notes")
    messages.list_problems("Notes set aside", problems)


def _summary(store: Store, project: Path) -> str:
    strata = Counter(note.stratum for note in store.notes())
    doubtful = f" and {strata[DOUBTFUL]} doubtful" if strata[DOUBTFUL] else ""
    return f"{project}: {strata[RANDOM]} random{doubtful} notes to read"


def _serve(store: Store, project: Path, reader: str, role: str, port: int, *, launch: bool) -> None:
    try:
        from ..review.server import run_review
    except ModuleNotFoundError as error:
        raise RedactionError(f"the page needs {install('review')}") from error

    with ExitStack() as stack:

        def start(url: str) -> None:
            messages.tell(f"Open {url} (until Ctrl-C; the address is for {reader} alone)")
            if launch:
                private = stack.enter_context(TemporaryDirectory(prefix="open-", dir=project))
                page = Path(private).resolve() / "review.html"
                page.write_text(_REDIRECT.format(url=url), "utf-8")
                webbrowser.open(page.as_uri())

        run_review(Desk(store, reader, role), port, start)
