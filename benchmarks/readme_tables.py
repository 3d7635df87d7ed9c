"""Write the measured figures of `benchmarks/*.json` into the README, between its markers.

python benchmarks/readme_tables.py
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
MARKERS = re.compile(r"(<!-- measured -->\n).*?(<!-- /measured -->)", re.DOTALL)


def quality_table(quality: dict[str, Any]) -> str:
    """Markdown table of the sets."""
    lines = [
        "| notes | n | token recall | token precision | strict F1 (typed) | how scored |",
        "|---|--:|--:|--:|--:|---|",
    ]
    for row in quality["sets"]:
        figures = " | ".join(f"{row[key]:.3f}" for key in ("recall", "precision", "strict_f1"))
        lines.append(f"| {row['set']} | {row['notes']} | {figures} | {row['policy']} |")
    return "\n".join(lines)


def speed_table(speed: dict[str, Any]) -> str:
    """Markdown table of the models timed."""
    lines = [
        "| pipeline | words per second | peak memory | load |",
        "|---|--:|--:|--:|",
    ]
    for name, figures in speed["models"].items():
        lines.append(
            f"| {name} | {figures['words_per_second']:,.0f} | {figures['peak_mib']:,.0f} MiB "
            f"| {figures['load_seconds']:.1f} s |"
        )
    return "\n".join(lines)


def alarm_line(alarms: dict[str, Any], reading: dict[str, Any]) -> str:
    """What was found in prose that has almost no PHI, and how much of it a reader found false."""
    files = alarms["files"].values()
    words, spans = (sum(file[key] for file in files) for key in ("words", "spans"))
    kept = "all texts" if alarms["all"] else "texts kept out of training"
    line = (
        f"In {words:,} words of dictated clinical prose with almost no PHI ({kept}), it marks "
        f"{spans} spans, {1000 * spans / words:.1f} per 1,000 words, most of them true dates, ages "
        "and names."
    )
    if reading["spans"] != spans:
        return line
    false = sum(reading["no_phi"].values())
    types = ", ".join(f"{name} {count}" for name, count in reading["no_phi"].items())
    return (
        f"{line} Read one by one, {false} of them are no PHI: {1000 * false / words:.2f} false "
        f"alarms per 1,000 words ({types})."
    )


def main() -> None:
    """Fill the README."""
    read = {
        name: json.loads((ROOT / "benchmarks" / f"{name}.json").read_text("utf-8"))
        for name in ("quality", "speed", "false_alarms", "read_by_hand")
    }
    speed = read["speed"]
    body = "\n\n".join(
        (
            quality_table(read["quality"]),
            alarm_line(read["false_alarms"], read["read_by_hand"]),
            f"Speed on {speed['words']:,} words of dictated reports, one process, one thread; of "
            "spaCy's small English model, as PyPI carries it, only what finds entities runs:",
            speed_table(speed),
        )
    )
    readme = ROOT / "README.md"
    text, count = MARKERS.subn(
        lambda found: f"{found[1]}{body}\n{found[2]}", readme.read_text("utf-8")
    )
    if count != 1:
        raise SystemExit("README.md must hold the markers <!-- measured --> once")
    readme.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
