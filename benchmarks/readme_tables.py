"""Write the measured figures of `benchmarks/*.json` into README and docs, between their markers.

python benchmarks/readme_tables.py
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sets import OWN

ROOT = Path(__file__).parent.parent
PUBLISHED = {
    "liu2015": "token 0.946, strict 0.912, relaxed 0.916: typed, i2b2 2014 (Liu et al. 2015)",
    "jiang2017": "strict 0.899: typed, CEGS N-GRID 2016 (Jiang et al. 2017)",
    "jiang2017_crf": "less than the network of the same paper",
    "dernoncourt2017": "token 0.979: binary, HIPAA types, i2b2 2014 (Dernoncourt et al. 2017)",
}
"""F1 that the papers' abstracts report, on corpora that cannot be shipped."""

BIASES = {
    0.05: "cautious",
    0.1: "",
    0.2: "",
    0.25: "the default",
    0.5: "as the detectors decided",
    0.65: "",
    0.8: "precise",
}
"""Thresholds to show, and what to call them."""

FILES = (
    *("quality", "speed", "false_alarms", "read_by_hand"),
    *("comparison", "comparison_real", "scale", "thresholds", "redaction", "behaviour"),
    *("serving", "serving_memory", "spark", "adapt", "bounds"),
)
"""The files under `benchmarks/` that are read."""

TEXTS = {"mtsamples": "dictated reports", "blind_dev3": "dense notes"}
"""What speed is measured on."""


def markdown(header: str, rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; all columns but the first are figures, aligned on the right."""
    right = "--:|" * (header.count("|") - 2)
    return "\n".join([header, f"|---|{right}", *(f"| {' | '.join(cells)} |" for cells in rows)])


def quality_rows(sets: Iterable[dict[str, Any]]) -> str:
    """Markdown table of the sets."""
    header = (
        "| notes | n | PHI | token recall | token precision | strict F1 | missed PHI "
        "| false alarms | leak-free notes |"
    )
    rows = []
    for row in sets:
        figures = [f"{row[key]:.3f}" for key in ("recall", "precision", "strict_f1")]
        rates = [f"{row[f'{key}_per_1000_words']:.1f}" for key in ("missed", "false_alarms")]
        cells = [
            row["set"],
            str(row["notes"]),
            f"{row['phi_per_1000_words']:.0f}",
            *figures,
            *rates,
            f"{row['leak_free_notes']:.0%}",
        ]
        rows.append(cells)
    return markdown(header, rows)


def quality_table(quality: dict[str, Any]) -> str:
    """The table of all sets, and how those are scored that have labels of their own."""
    others = (row for row in quality["sets"] if not row["policy"].startswith(("i2b2", "own")))
    notes = (f"- `{row['set']}`: {row['policy']}" for row in others)
    lines = (quality_rows(quality["sets"]), "", "How the sets of other projects are scored:", "")
    return "\n".join((*lines, *notes))


def speed_table(speed: dict[str, Any]) -> str:
    """Markdown table of the systems timed, the first of which is `en_deid`.

    Medians of all turns, and their range; ratios are those of each turn.
    """
    texts, systems = list(speed["texts"]), speed["systems"]
    ours, *_ = systems.values()
    first = speed["texts"][texts[0]]
    size = first["words"] / first["notes"]
    names = [TEXTS.get(text, text) for text in texts]
    lines = [
        f"| system | {' | '.join(f'ratio, {name}' for name in names)} "
        f"| {' | '.join(f'words per second, {name}' for name in names)} "
        "| core-hours | peak memory | load |",
        f"|---|{'--:|' * (2 * len(texts) + 3)}",
    ]
    for runs in systems.values():
        ratios = ([o / t for o, t in zip(ours[text], runs[text], strict=True)] for text in texts)
        hours = 1e6 * size / statistics.median(runs[texts[0]]) / 3600
        cells = [
            runs["system"],
            *("1" if runs is ours else _spread(ratio, ".1f") for ratio in ratios),
            *(_spread(runs[text], ",.0f") for text in texts),
            f"{hours:,.1f}",
            f"{max(runs['peak_mib']):,.0f} MiB",
            f"{statistics.median(runs['load_seconds']):.1f} s",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "The ratio says how many times as fast `en_deid` is. Core-hours are those of a million "
        f"{names[0]} of {size:.0f} words.",
    ]
    if speed["missing"]:
        lines[-1] += f" Not measured: {', '.join(speed['missing'])}."
    return "\n".join(lines)


def _spread(values: list[float], form: str) -> str:
    """The median, and the range, if there is one, in brackets."""
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{middle:{form}}" + (f" ({low:{form}}–{high:{form}})" if low < high else "")


def alarm_line(alarms: dict[str, Any], reading: dict[str, Any]) -> str:
    """What was found in prose that has almost no PHI, and how much of it a reader found false."""
    files = alarms["files"].values()
    words, spans = (sum(file[key] for file in files) for key in ("words", "spans"))
    kept = "all texts" if alarms["all"] else "texts kept out of training"
    line = (
        f"In {words:,} words of clinical prose with almost no PHI ({kept}), it marks "
        f"{spans} spans, {1000 * spans / words:.1f} per 1,000 words, most of them true dates, ages "
        "and names."
    )
    if reading["spans"] != spans:
        return line
    false = sum(reading["no_phi"].values())
    types = ", ".join(f"{name} {count}" for name, count in reading["no_phi"].items())
    return (
        f"{line} Read one by one, {false} of them are not PHI: {1000 * false / words:.2f} false "
        f"alarms per 1,000 words ({types})."
    )


def systems_table(comparison: dict[str, Any]) -> str:
    """Markdown table of the published systems: measured here, and what their papers report."""
    rows = []
    for name, system in comparison["systems"].items():
        token = system["scores"]["token"]["i2b2"]["binary"]["micro"]
        strict = system["scores"]["strict"]["i2b2"]["typed"]["micro"]
        cost = comparison["costs"][name]
        figures = [token["recall"], token["precision"], token["f1"], strict["f1"]]
        cells = [name, *(f"{figure:.3f}" for figure in figures), f"{cost['seconds'] / 60:.1f}"]
        rows.append([*cells, f"{cost['megabytes']:.0f}", PUBLISHED.get(name.split()[0], "")])
    header = "| config | token R | token P | token F1 | strict F1 | minutes | MB | in the paper |"
    return markdown(header, rows)


def scale_table(scale: dict[str, Any]) -> str:
    """Markdown table of the growth with the corpus."""
    lines = [
        "| part of the corpus | training tokens | seconds per epoch | peak memory | evaluation |",
        "|--:|--:|--:|--:|--:|",
    ]
    for part in scale["parts"]:
        lines.append(
            f"| {part['percent']} % | {part['train_tokens']:,} | {part['epoch_seconds']:.0f} "
            f"| {part['train_peak_mib']:,.0f} MiB | {part['evaluate']['seconds']:.0f} s |"
        )
    return "\n".join(lines)


def thresholds_table(points: list[dict[str, Any]]) -> str:
    """Markdown table of what lower and higher thresholds find."""
    lines = [
        "| threshold | | token recall | token precision | leak-free notes |",
        "|--:|---|--:|--:|--:|",
    ]
    for point in points:
        if point["threshold"] in BIASES:
            lines.append(
                f"| {point['threshold']} | {BIASES[point['threshold']]} | {point['recall']:.3f} "
                f"| {point['precision']:.3f} | {point['leak_free_notes']:.0%} |"
            )
    return "\n".join(lines)


def bounds_table(bounds: dict[str, Any]) -> str:
    """Markdown table of how often bounds of recall hold in simulated reviews."""
    header = (
        "| notes | recall | correlation | if independent | by bootstrap | lower bound "
        "| corrected for readers |"
    )
    names = ("exact", "bootstrap", "clustered", "corrected")
    rows = (
        [
            *(f"{one[name]:g}" for name in ("notes", "recall", "correlation")),
            *(f"{one[name]:.1%}" for name in names),
        ]
        for one in bounds["scenarios"]
    )
    return markdown(header, rows)


def redaction_text(redaction: dict[str, Any]) -> str:
    """What redaction at size takes, in Markdown."""
    lines = [
        f"Generated notes of {redaction['words_per_note']:.0f} words, JSON lines to surrogates, "
        "manifest and all:",
        "",
        "| notes | processes | minutes | words per second | peak memory of all processes |",
        "|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {run['notes']:,} | {run['processes']} | {run['seconds'] / 60:.1f} "
        f"| {run['words_per_second']:,.0f} | {run['peak_mib']:,.0f} MiB |"
        for run in redaction["runs"]
    ]
    return "\n".join(lines)


def serving_text(serving: dict[str, Any], memory: dict[str, Any]) -> str:
    """The server beside `nlp.pipe` and Presidio's, and its memory."""
    header = "| | notes per second | of `nlp.pipe` | CPU per note | p50 | p95 | p99 |"
    rows = []
    pipe = serving["pipe"]
    named = [("`nlp.pipe`", pipe)]
    for key, name in (("serve", "`spacy-deid serve`"), ("presidio", "Presidio's server")):
        runs = serving.get(key, {}).items()
        named += [(f"{name}, {n} client{'s' * (n != '1')}", run) for n, run in runs]
    for name, run in named:
        times = [f"{run[at]:,.0f} ms" if at in run else "" for at in ("p50", "p95", "p99")]
        share = f"{run['rate'] / pipe['rate']:.0%}"
        rows.append([name, f"{run['rate']:.1f}", share, f"{run['cpu_ms']:.0f} ms", *times])
    return (
        f"Notes of {serving['words_per_note']} words, one thread for each model, in turns:\n\n"
        f"{markdown(header, rows)}"
        f"\n\nOver {memory['requests']:,} requests of {memory['words_per_note']} words, each "
        f"with words of its own, memory grows by {memory['growth']:.1%}, to "
        f"{max(memory['mib'])} MiB at most."
    )


def spark_table(spark: dict[str, Any]) -> str:
    """Markdown table of Spark beside one machine."""
    runs = ((name, spark[name]) for name in ("redact", "spark-job"))
    rows = (
        (f"`spacy-deid {name}`", f"{run['per_cpu_second']:,.0f}", f"{run['mib']:,.0f} MiB")
        for name, run in runs
    )
    table = markdown("| | words per second of processor time | memory |", rows)
    return (
        f"{spark['notes']:,} notes, {spark['words']:,} words, {spark['cores']} cores; "
        f"{spark['differing']} texts differ:\n\n{table}"
    )


def adapt_table(adapt: dict[str, Any]) -> str:
    """Markdown table of the learning curves."""
    curves: dict[tuple[str, int], dict[str, str]] = {}
    for row in adapt["rows"]:
        local = row["local"]
        before, after = (
            f"{local[key]['recall']:.3f} / {local[key]['precision']:.3f}"
            for key in ("before", "after")
        )
        curves.setdefault((row["set"], 0), dict.fromkeys(("random", "doubtful"), before))
        curves.setdefault((row["set"], row["notes"]), {})[row["order"]] = after
    rows = (
        (name, str(notes), cells.get("random", ""), cells.get("doubtful", ""))
        for (name, notes), cells in curves.items()
    )
    header = "| notes of | read | random: recall / precision | doubtful: recall / precision |"
    return f"With {adapt['model']}, {adapt['steps']} steps:\n\n{markdown(header, rows)}"


def names_text(behaviour: dict[str, Any]) -> str:
    """Which names are found, group by group, the lowest first, in Markdown."""
    names = behaviour["sets"]["test"]["names"]
    kinds = {"family": "surnames", "given": "given names"}
    lines = [
        f"With {behaviour['model']}:",
        "",
        "| | group | names | found | found in 95% of contexts |",
        "|---|---|--:|--:|--:|",
    ]
    lines += [
        f"| {kinds[row['kind']]} | {row['group']} | {row['names']:,} | {row['found']:.1%} "
        f"| {row['names_at_goal']:.0%} |"
        for row in sorted(names["groups"], key=lambda row: row["found"])
    ]
    worst = "; ".join(
        ", ".join(
            f"{name} {share:.0%}" for name, share in list(names["worst_names"][kind].items())[:6]
        )
        for kind in kinds
    )
    return "\n".join((*lines, "", f"The names that are found least: {worst}."))


def again_table(behaviour: dict[str, Any]) -> str:
    """Markdown table of the surnames that are found again in their note."""
    rows = behaviour["sets"]["test"]["again"]
    return "\n".join(
        (
            "| surnames | mentions | found |",
            "|---|--:|--:|",
            *(f"| {row['group']} | {row['mentions']:,} | {row['found']:.1%} |" for row in rows),
        )
    )


def changes_table(behaviour: dict[str, Any]) -> str:
    """Markdown table of the detections that stay when the form of a note changes."""
    rows = behaviour["sets"]["test"]["invariance"]
    return "\n".join(
        (
            "| change | detections that stay |",
            "|---|--:|",
            *(f"| {row['change']} | {row['kept']:.1%} |" for row in rows),
        )
    )


def fill(text: str, marker: str, body: str) -> str:
    """A page with `body` between its markers `<!-- marker -->` and `<!-- /marker -->`.

    RAISES (SystemExit): If it does not hold them once.
    """
    markers = re.compile(rf"(<!-- {marker} -->\n).*?(<!-- /{marker} -->)", re.DOTALL)
    text, count = markers.subn(lambda found: f"{found[1]}{body}\n{found[2]}", text)
    if count != 1:
        raise SystemExit(f"the page must hold the markers <!-- {marker} --> once")
    return text


def fill_page(page: Path, bodies: Mapping[str, str]) -> None:
    """Write each text between its markers."""
    text = page.read_text("utf-8")
    for marker, body in bodies.items():
        text = fill(text, marker, body)
    page.write_text(text, "utf-8")


def main() -> None:
    """Fill the pages."""
    read = {
        name: json.loads((ROOT / "benchmarks" / f"{name}.json").read_text("utf-8"))
        for name in FILES
    }
    speed, quality = read["speed"], read["quality"]
    measured = (
        quality_table(quality),
        alarm_line(read["false_alarms"], read["read_by_hand"]),
        "Speed in turns on one thread, per second of processor time, medians and ranges. Each run "
        "is a new process with nothing cached; loading, up to the first sentence, is timed "
        "separately. Of spaCy's small English model (from PyPI), only the entity recogniser runs; "
        "Presidio runs on the whole model:",
        speed_table(speed),
    )
    bodies = {
        "measured": "\n\n".join(measured),
        "systems": systems_table(read["comparison"]),
        "systems_real": systems_table(read["comparison_real"]),
        "scale": scale_table(read["scale"]),
        "thresholds": thresholds_table(read["thresholds"]),
        "redaction": redaction_text(read["redaction"]),
        "names": names_text(read["behaviour"]),
        "again": again_table(read["behaviour"]),
        "changes": changes_table(read["behaviour"]),
        "serving": serving_text(read["serving"], read["serving_memory"]),
        "spark": spark_table(read["spark"]),
        "adapt": adapt_table(read["adapt"]),
    }
    fill_page(ROOT / "docs" / "evidence.md", bodies)
    fill_page(ROOT / "docs" / "how-to" / "prove.md", {"bounds": bounds_table(read["bounds"])})
    tests = {own.name for own in OWN.values() if own.role == "test"}
    shown = (row for row in quality["sets"] if row["set"].partition(",")[0] in tests)
    fill_page(ROOT / "README.md", {"summary": quality_rows(shown)})


if __name__ == "__main__":
    main()
