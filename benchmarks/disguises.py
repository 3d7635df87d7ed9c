"""How much of the PHI found in plain notes is still found when their characters are disguised.

Takes the development notes beside this script, and generated ones of the set "dev" up to `--notes`;
disguises each in one of the ways of `DISGUISES` in turn, and in all of them at once; and counts the
detections of the plain note that are covered to the last character in the disguised one. Writes
`benchmarks/disguises.json`.

    python benchmarks/disguises.py --model en_deid --notes 5000
"""

from __future__ import annotations

import json
import random
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate, islice
from pathlib import Path
from typing import Annotated

import spacy
import srsly
import typer
from spacy.tokens import Doc
from tqdm import tqdm
from wasabi import table

from spacy_deid.files import replacing
from spacy_deid.synthesis import Generator

HERE = Path(__file__).parent
BLIND = ("blind_dev", "blind_dev2", "blind_dev3", "blind_dev4")
SPACES = "\u00a0\u2002\u2007\u2009\u202f\u3000"
UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u200e"
LOOK_ALIKES = dict(zip("AaBCcEeHIiKMNOoPpSsTXxy", "АаВСсЕеНІіКМΝОоРрЅѕТХху", strict=True))
"""Letters of Cyrillic and Greek, by the Latin ones that they look like."""

Disguise = Callable[[str, random.Random], list[str]]
"""From a text to what stands in place of each of its characters."""


def each(change: Mapping[str, str] | Callable[[str], str], chance: float = 1.0) -> Disguise:
    """Change each character by itself, with some chance."""
    of = change if callable(change) else lambda char: change.get(char, char)
    return lambda text, rng: [of(c) if rng.random() < chance else c for c in text]


def spaces(text: str, rng: random.Random) -> list[str]:
    """Each blank another kind of space."""
    return [rng.choice(SPACES) if char == " " else char for char in text]


def inside_words(marks: str) -> Disguise:
    """A mark that cannot be seen behind every other letter or digit of a word, but its last."""

    def disguise(text: str, rng: random.Random) -> list[str]:
        return [
            char + rng.choice(marks)
            if char.isalnum() and after.isalnum() and rng.random() < 0.5
            else char
            for char, after in zip(text, text[1:] + " ", strict=True)
        ]

    return disguise


def look_alikes(text: str, rng: random.Random) -> list[str]:
    """Half of the letters that have a look-alike, in words that keep a Latin letter."""
    changed = [
        LOOK_ALIKES.get(char, char)
        if rng.random() < 0.5 and (after in _LATIN_ONLY or before in _LATIN_ONLY)
        else char
        for before, char, after in zip(" " + text[:-1], text, text[1:] + " ", strict=True)
    ]
    return changed


_LATIN_ONLY = frozenset("bdfghjklmnqrtuvwzDFGJLQRUVWYZ")


def in_turn(*disguises: Disguise) -> Disguise:
    """Several disguises, one over the other, each of the characters as they were."""

    def disguise(text: str, rng: random.Random) -> list[str]:
        pieces = list(text)
        for one in disguises:
            for i, new in enumerate(one(text, rng)):
                if new != text[i] and pieces[i] == text[i] and rng.random() < 0.5:
                    pieces[i] = new
        return pieces

    return disguise


DISGUISES: dict[str, Disguise] = {
    "full-width digits": each({str(n): chr(0xFF10 + n) for n in range(10)}),
    "Arabic digits": each({str(n): chr(0x0660 + n) for n in range(10)}),
    "full-width letters": each({chr(n): chr(n + 0xFEE0) for n in range(0x21, 0x7F)}, 0.5),
    "other spaces": spaces,
    "zero-width characters": inside_words(UNSEEN),
    "soft hyphens": inside_words("\u00ad"),
    "look-alike letters": look_alikes,
    "typographic signs": each({"'": "\u2019", "-": "\u2011", '"': "\u201d"}),
    "accents apart": each(lambda char: unicodedata.normalize("NFD", char)),
    "line ends": each({"\n": "\r\n"}),
}
DISGUISES["all at once"] = in_turn(*DISGUISES.values())


def texts(count: int) -> Iterator[str]:
    """The notes."""
    for name in BLIND:
        yield from (row["text"] for row in srsly.read_jsonl(HERE / f"{name}.jsonl"))
    yield from (
        note.text for note in Generator(HERE.parent / "assets", "dev", seed=23).notes(count)
    )


def still_found(plain: Doc, disguised: Doc, pieces: list[str]) -> tuple[int, int]:
    """Detections of the plain note that the disguised one covers, and all of them."""
    starts = [0, *accumulate(map(len, pieces))]
    covered = {i for ent in disguised.ents for i in range(ent.start_char, ent.end_char)}
    found = sum(
        covered.issuperset(
            range(starts[ent.start_char], starts[ent.end_char - 1] + len(pieces[ent.end_char - 1]))
        )
        for ent in plain.ents
    )
    return found, len(plain.ents)


def main(
    model: Annotated[str, typer.Option(help="Name or folder of the model.")] = "en_deid",
    notes: Annotated[int, typer.Option(help="Number of notes.")] = 5000,
    seed: Annotated[int, typer.Option(help="Seed of the disguises.")] = 1,
    output: Annotated[Path, typer.Option(help="File to write.")] = HERE / "disguises.json",
) -> None:
    """Find PHI in plain notes and in the same notes disguised."""
    nlp, rng = spacy.load(model), random.Random(seed)
    found: Counter[str] = Counter()
    of: Counter[str] = Counter()
    names = list(DISGUISES)
    for number, text in enumerate(tqdm(islice(texts(notes), notes), total=notes, disable=None)):
        name = names[number % len(names)]
        pieces = DISGUISES[name](text, rng)
        plain, disguised = nlp.pipe([text, "".join(pieces)])
        kept, all_found = still_found(plain, disguised, pieces)
        found[name] += kept
        of[name] += all_found
    rows = [
        {"disguise": name, "found": found[name], "of": of[name], "share": found[name] / of[name]}
        for name in names
    ]
    total = {"found": found.total(), "of": of.total(), "share": found.total() / of.total()}
    typer.echo(
        table(
            [(row["disguise"], row["of"], f"{row['share']:.4f}") for row in rows],
            header=("disguise", "detections", "still found"),
            footer=("all", total["of"], f"{total['share']:.4f}"),
            aligns=("l", "r", "r"),
            divider=True,
        )
    )
    version = f"{nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}"
    with replacing(output) as file:
        report = {"model": version, "notes": notes, "seed": seed, "all": total, "disguises": rows}
        file.write(json.dumps(report, indent=1).encode() + b"\n")


if __name__ == "__main__":
    typer.run(main)
