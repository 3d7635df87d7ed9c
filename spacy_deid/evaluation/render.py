"""Tables as plain text, Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from wasabi import table as text_table

_LATEX = str.maketrans({char: f"\\{char}" for char in "&%_#$"})


@dataclass(frozen=True)
class Table:
    """A table of strings; the first `n_names` columns name the row, the others are numbers."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_names: int = 1


def as_text(table: Table) -> str:
    """The table as plain text."""
    aligns: list[Literal["l", "r", "c"]]
    aligns = ["l" if i < table.n_names else "r" for i in range(len(table.header))]
    body = text_table(table.rows, header=table.header, aligns=aligns, divider=True)
    return f"{table.title}\n{body}"


def as_markdown(table: Table) -> str:
    """The table in GitHub's Markdown."""
    rule = ["---" if i < table.n_names else "---:" for i in range(len(table.header))]
    rows = [table.header, rule, *table.rows]
    lines = (" | ".join(cell.replace("|", r"\|") for cell in row) for row in rows)
    return f"**{table.title}**\n\n" + "".join(f"| {line} |\n" for line in lines)


def as_latex(table: Table) -> str:
    """The table in LaTeX; needs the package booktabs."""
    columns = "l" * table.n_names + "r" * (len(table.header) - table.n_names)
    lines = [
        " & ".join(cell.translate(_LATEX) for cell in row) + r" \\"
        for row in (table.header, *table.rows)
    ]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{table.title.translate(_LATEX)}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def as_csv(table: Table) -> str:
    """The table as CSV, without its title."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([table.header, *table.rows])
    return file.getvalue()


RENDERERS: Mapping[str, Callable[[Table], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
}
"""The renderers by format name."""
