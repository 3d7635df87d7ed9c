"""Tables as plain text, Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from wasabi import table as text_table

_SPACING = 2
_LATEX = str.maketrans(
    {char: f"\\{char}" for char in "&%_#${}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "\\": r"\textbackslash{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


@dataclass(frozen=True)
class Table:
    """A table of strings; the first `n_names` columns name the row, the others are numbers."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_names: int = 1


def as_text(table: Table) -> str:
    """The table as plain text; columns that do not fit the terminal follow in a block below."""
    blocks = "".join(_block(table, columns) for columns in _blocks(table))
    return f"{table.title}\n{blocks}"


def _block(table: Table, columns: Sequence[int]) -> str:
    aligns: list[Literal["l", "r", "c"]] = ["l" if i < table.n_names else "r" for i in columns]
    rows = [[row[i] for i in columns] for row in table.rows]
    header = [table.header[i] for i in columns]
    longest = max(len(cell) for row in (header, *rows) for cell in row)
    return text_table(
        rows, header=header, aligns=aligns, spacing=_SPACING, divider=True, max_col=longest
    )


def _blocks(table: Table) -> list[list[int]]:
    """The columns of each block: those that name the row, and as many others as fit."""
    room = shutil.get_terminal_size().columns
    widths = [max(map(len, column)) for column in zip(table.header, *table.rows, strict=True)]
    names = list(range(table.n_names))
    blocks = [names]
    for i in range(table.n_names, len(widths)):
        width = sum(widths[k] + _SPACING for k in (*blocks[-1], i)) - _SPACING
        if width > room and blocks[-1] != names:
            blocks.append(names)
        blocks[-1] = [*blocks[-1], i]
    return blocks


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
