"""What a model finds, word by word: each name, kind of number and everyday word in many contexts.

Reads the folder `behaviour` beside this script and writes `benchmarks/behaviour.json`:

- names: the most frequent US surnames and given names, and 50 names of each of many groups, each in
  every context. A name is found if PHI of any type covers its letters.
- kinds: dates, ages, numbers and words where they are PHI and where they are not.
- invariance: detections that stay when case, line breaks, spaces or a name change.
- again: patients named in full once, and then by a surname that is a word or has two letters.
- spread: everyday words that are a name in one place of a note and no name in others.

    python benchmarks/behaviour.py --set dev --show-text

The contexts of "dev" may be read; those of "test" are others, and their errors stay unread.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import spacy
import typer
from disguises import Disguise, each
from spacy.language import Language
from spacy.tokens import Doc, Span
from tqdm import tqdm
from wasabi import table

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.annotation.phi import CATEGORY, PERSONS
from spacy_deid.files import replacing
from spacy_deid.synthesis.values import read_lines, unescape

HERE = Path(__file__).parent
DATA = HERE / "behaviour"
GOAL = 0.95  # share of contexts in which a name should be found
_MARK = re.compile(r"\[\[([A-Z-]+)\|([^\]]+)\]\]")
_KINDS = ("family", "given")
AGAIN = ("form: everyday words", "form: two letters", "1,000 most frequent surnames")

Groups = dict[tuple[str, str], list[str]]
Result = dict[str, Any]


def parse(marked: str, note_id: str) -> Note:
    """A note from text with its PHI in marks, as in "Seen by [[DOCTOR|Abrams]]"."""
    text, spans, end = "", [], 0
    for match in _MARK.finditer(marked):
        text += marked[end : match.start()]
        spans.append(PhiSpan(len(text), len(text) + len(match[2]), match[1]))
        text, end = text + match[2], match.end()
    return Note(note_id, text + marked[end:], tuple(spans))


def data_rows(filename: str) -> Iterator[list[str]]:
    """The rows of a data file."""
    return (unescape(line).split("\t") for line in read_lines(DATA / filename))


def read_groups() -> Groups:
    """Names by kind ("family", "given") and group."""
    return {(kind, group): names.split(", ") for kind, group, names in data_rows("names.tsv")}


def read_contexts(set_name: str, groups: Groups, seed: int) -> dict[str, list[str]]:
    """Contexts by kind of name, with one slot left for it ("{name}" or "{NAME}")."""
    rng, contexts = random.Random(seed), defaultdict(list)
    names = {kind: next(n for (k, _), n in groups.items() if k == kind) for kind in _KINDS}
    for kind, text in data_rows(f"contexts_{set_name}.tsv"):
        for slot in re.findall(r"\{(?:given|family)\}", text, re.IGNORECASE):
            name = rng.choice(names[slot[1:-1].lower()])
            text = text.replace(slot, name.upper() if slot.isupper() else name, 1)
        contexts[kind].append(text)
    return contexts


def put_name(context: str, name: str) -> Note:
    """A context with a name as its only PHI span."""
    marked = context.replace("{name}", f"[[PATIENT|{name}]]")
    return parse(marked.replace("{NAME}", f"[[PATIENT|{name.upper()}]]"), name)


def pipe(nlp: Language, notes: Iterable[Note], title: str, total: int) -> Iterator[tuple]:
    """Notes with their docs."""
    pairs = ((note.text, note) for note in tqdm(notes, title, total, disable=None))
    return ((note, doc) for doc, note in nlp.pipe(pairs, as_tuples=True, batch_size=512))


def covered(doc: Doc, types: Collection[str] = CATEGORY) -> set[int]:
    """The characters that are PHI of some types; of any type if they are not given."""
    spans = (span for span in doc.spans["phi"] if span.label_ in types)
    return {i for span in spans for i in range(span.start_char, span.end_char)}


def is_found(note: Note, span: PhiSpan, characters: set[int]) -> bool:
    """Whether all letters and digits of a span are among some characters."""
    return all(i in characters for i in range(span.start, span.end) if note.text[i].isalnum())


def measure_names(nlp: Language, groups: Groups, contexts: dict[str, list[str]]) -> Result:
    """Find each name in each context of its kind."""
    found: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for kind in _KINDS:
        names = list(dict.fromkeys(n for (k, _), ns in groups.items() if k == kind for n in ns))
        notes = (put_name(context, name) for name in names for context in contexts[kind])
        total = len(names) * len(contexts[kind])
        for note, doc in pipe(nlp, notes, f"{kind} names", total):
            found[kind, note.id].append(is_found(note, note.spans[0], covered(doc)))
    shares = {key: sum(hits) / len(hits) for key, hits in found.items()}
    rows: list[Result] = []
    worst: dict[str, dict[str, float]] = {}
    places: dict[str, float] = {}
    for (kind, group), names in groups.items():
        own = [shares[kind, name] for name in names]
        good = sum(share >= GOAL for share in own) / len(own)
        row = {"kind": kind, "group": group, "names": len(own), "found": sum(own) / len(own)}
        rows.append(row | {"names_at_goal": good, "lowest": min(own)})
        if kind not in worst:  # the first group of a kind is that of the most frequent names
            worst[kind] = dict(sorted(zip(names, own, strict=True), key=lambda pair: pair[1])[:25])
            columns = zip(*(found[kind, name] for name in names), strict=True)
            by_context = zip(contexts[kind], map(sum, columns), strict=True)
            places.update((text, hits / len(own)) for text, hits in by_context)
    return {"groups": rows, "gap": _gaps(rows), "worst_names": worst, "contexts": places}


def _gaps(rows: list[Result]) -> dict[str, float]:
    """Largest difference between groups of people, by kind of name."""
    shares = defaultdict(list)
    for row in rows:
        if not row["group"].startswith("form:"):
            shares[row["kind"]].append(row["found"])
    return {kind: max(values) - min(values) for kind, values in shares.items()}


def measure_kinds(nlp: Language, notes: list[Note], show: bool) -> list[Result]:
    """Recall and false alarms of each kind; the id of a note is its kind."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for note, doc in pipe(nlp, notes, "kinds", len(notes)):
        characters = covered(doc)
        missed = [span for span in note.spans if not is_found(note, span, characters)]
        marked = {i for span in note.spans for i in range(span.start, span.end)}
        alarms = [
            span
            for span in doc.spans["phi"]
            if marked.isdisjoint(range(span.start_char, span.end_char))
        ]
        row = {"notes": 1, "words": len(note.text.split()), "phi": len(note.spans)}
        counts[note.id].update(row, missed=len(missed), false_alarms=len(alarms))
        if show and (missed or alarms):
            typer.echo(
                f"{note.id}\tmissed {[note.text[s.start : s.end] for s in missed]}\tfalse alarms "
                f"{[(s.text, s.label_, s.id_) for s in alarms]}\t{note.text!r}"
            )
    counts["all"] = sum(counts.values(), Counter())
    return [
        {"kind": kind, **{key: count[key] for key in ("notes", "words", "phi")}}
        | {"found": 1 - count["missed"] / count["phi"] if count["phi"] else None}
        | {"false_alarms": count["false_alarms"]}
        for kind, count in counts.items()
    ]


def _exchange(note: Note, names: list[str], rng: random.Random) -> list[str]:
    """A note's characters with another name in place of each name of one word."""
    pieces = list(note.text)
    for span in note.spans:
        old = note.text[span.start : span.end]
        if span.type in ("PATIENT", "DOCTOR") and old.isalpha():
            new = rng.choice(names)
            pieces[span.start] = new.upper() if old.isupper() and len(old) > 3 else new
            pieces[span.start + 1 : span.end] = [""] * (len(old) - 1)
    return pieces


def _narrow(text: str, rng: random.Random) -> list[str]:
    """Lines of about 30 characters."""
    pieces, length = list(text), 0
    for i, char in enumerate(text):
        length += 1
        if char == "\n" or (char == " " and length > 30):
            pieces[i], length = "\n", 0
    return pieces


def _close_commas(text: str, rng: random.Random) -> list[str]:
    return ["" if two == (",", " ") else two[1] for two in pairwise("\n" + text)]


CHANGES: dict[str, Disguise] = {
    "capitals": each(str.upper),
    "small letters": each(str.lower),
    "short lines": _narrow,
    "double spaces": each({" ": "  "}),
    "spaces around punctuation": each({mark: f" {mark} " for mark in ",;:()"}),
    "no space after a comma": _close_commas,
}


def still_found(note: Note, spans: Iterable[Span], changed: Doc, pieces: list[str]) -> int:
    """How many detections of a note are covered, letter by letter, in the changed note."""
    starts, characters = [0, *accumulate(map(len, pieces))], covered(changed)
    return sum(
        characters.issuperset(
            position
            for i in range(span.start_char, span.end_char)
            for position in range(starts[i], starts[i + 1])
            if note.text[i].isalnum()
        )
        for span in spans
    )


def measure_invariance(nlp: Language, notes: list[Note], groups: Groups, seed: int) -> list[Result]:
    """Share of the detections that stay when a note is changed."""
    rng, rows = random.Random(seed), []
    names = next(iter(groups.values()))
    plain = [list(doc.spans["phi"]) for _, doc in pipe(nlp, notes, "plain", len(notes))]
    of = sum(map(len, plain))
    for change in (*CHANGES, "other names"):
        changed = [
            CHANGES[change](note.text, rng) if change in CHANGES else _exchange(note, names, rng)
            for note in notes
        ]
        docs = nlp.pipe("".join(pieces) for pieces in changed)
        kept, after = 0, 0
        for note, spans, doc, pieces in zip(notes, plain, docs, changed, strict=True):
            kept += still_found(note, spans, doc, pieces)
            after += len(doc.spans["phi"])
        rows.append({"change": change, "of": of, "kept": kept / of, "detections_after": after})
    return rows


def measure_again(nlp: Language, groups: Groups, notes: list[str], show: bool) -> list[Result]:
    """Whether a surname is found where it stands alone, after the full name in the same note."""
    rows = []
    for group in AGAIN:
        names = groups["family", group]
        hits: list[bool] = []
        pairs = (put_name(text, name) for text in notes for name in names)
        for note, doc in pipe(nlp, pairs, "again", len(notes) * len(names)):
            characters = covered(doc)
            for span in note.spans[1:]:
                hits.append(is_found(note, span, characters))
                if show and not hits[-1]:
                    around = note.text[max(0, span.start - 20) : span.end + 20]
                    typer.echo(f"again\t{note.id}\t{around!r}")
        rows.append({"group": group, "mentions": len(hits), "found": sum(hits) / len(hits)})
    return rows


def measure_spread(nlp: Language, templates: list[str], words: list[str], show: bool) -> Result:
    """Whether a word is found where it is a name, and only there."""
    notes = [
        parse(text.format(word=word, Word=word.capitalize(), WORD=word.upper()), word)
        for text in templates
        for word in words
    ]
    counts: Counter[str] = Counter()
    for note, doc in pipe(nlp, notes, "spread", len(notes)):
        characters = covered(doc)
        counts["names"] += len(note.spans)
        counts["found"] += sum(is_found(note, span, characters) for span in note.spans)
        words_of_note = [match.start() for match in re.finditer(rf"\b{note.id}\b", note.text)]
        taken = len(covered(doc, PERSONS).intersection(words_of_note))
        counts.update(words=len(words_of_note), taken=taken)
        if show and taken:
            typer.echo(f"spread\t{taken} of {len(words_of_note)}\t{note.text!r}")
    return {
        **{key: counts[key] for key in ("names", "words")},
        "found": counts["found"] / counts["names"],
        "taken_as_names": counts["taken"] / counts["words"],
    }


def print_result(result: Result, show: bool) -> None:
    """Print the tables; contexts only where they may be read."""
    names, spread = result["names"], result["spread"]
    print_rows(names["groups"], ("group", "names", "found", "names_at_goal", "lowest"))
    for kind, gap in names["gap"].items():
        worst = ", ".join(f"{n} {_shown(share)}" for n, share in names["worst_names"][kind].items())
        typer.echo(f"{kind} names: gap between groups {_shown(gap)} points; lowest: {worst}\n")
    contexts = sorted(names["contexts"].items(), key=lambda pair: pair[1])
    for text, share in contexts[:15] if show else ():
        typer.echo(f"{_shown(share)}\t{text!r}")
    print_rows(result["kinds"], ("kind", "phi", "found", "words", "false_alarms"))
    print_rows(result["invariance"], ("change", "of", "kept", "detections_after"))
    print_rows(result["again"], ("group", "mentions", "found"))
    print_rows([spread], ("names", "found", "words", "taken_as_names"))


def print_rows(rows: list[Result], keys: tuple[str, ...]) -> None:
    """Print a table, shares in per cent."""
    typer.echo(table([[_shown(row[key]) for key in keys] for row in rows], keys, divider=True))


def _shown(value: object) -> str:
    return f"{100 * value:.1f}" if isinstance(value, float) else str("" if value is None else value)


def main(
    model: Annotated[str, typer.Option(help="Name or folder of the model.")] = "en_deid",
    set_name: Annotated[Literal["dev", "test"], typer.Option("--set", help="Contexts.")] = "dev",
    seed: Annotated[int, typer.Option(help="Seed of the names in contexts.")] = 1,
    show_text: Annotated[bool, typer.Option(help="Print each error of dev.")] = False,
    output: Annotated[Path, typer.Option(help="File to write.")] = HERE / "behaviour.json",
) -> None:
    """Test a model's behaviour, word by word."""
    if show_text and set_name == "test":
        raise typer.BadParameter("the errors of the test set stay unread; use --set dev")
    nlp, groups = spacy.load(model), read_groups()
    contexts = read_contexts(set_name, groups, seed)
    kinds = [parse(text, kind) for kind, text in data_rows(f"kinds_{set_name}.tsv")]
    rng = random.Random(seed)
    sample = [
        put_name(context, name)
        for kind, texts in contexts.items()
        for context in texts
        for name in rng.sample(next(n for (k, _), n in groups.items() if k == kind), 10)
    ]
    again, spread = (
        [text for (text,) in data_rows(f"{name}_{set_name}.txt")] for name in ("again", "spread")
    )
    words = [word for (word,) in data_rows("words.txt")][set_name == "test" :: 2]
    result = {
        "names": measure_names(nlp, groups, contexts),
        "kinds": measure_kinds(nlp, kinds, show_text),
        "invariance": measure_invariance(nlp, kinds + sample, groups, seed),
        "again": measure_again(nlp, groups, again, show_text),
        "spread": measure_spread(nlp, spread, words, show_text),
    }
    print_result(result, set_name == "dev")
    write(result, set_name, f"{nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}", output)


def write(result: Result, set_name: str, version: str, output: Path) -> None:
    """Write the result of a set beside that of the other, if that is of the same model."""
    if set_name == "test":
        del result["names"]["contexts"]
    old = json.loads(output.read_text("utf8")) if output.is_file() else {}
    sets = old.get("sets", {}) if old.get("model") == version else {}
    with replacing(output) as file:
        report = {"model": version, "sets": sets | {set_name: result}}
        file.write(json.dumps(report, indent=1).encode() + b"\n")


if __name__ == "__main__":
    typer.run(main)
