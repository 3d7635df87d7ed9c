"""Tables in each form."""

from __future__ import annotations

from spacy_deid.tables import RENDERERS, Table

TABLE = Table("50% & more_", ["name", "n"], [["a|b", "1"], ["$c", "22"]])
ODD = Table("p < 0.05", ["x{}", "n"], [["a\\b~", "^2"]])


def test_render_markdown():
    assert RENDERERS["markdown"](TABLE).splitlines() == [
        "**50% & more_**",
        "",
        "| name | n |",
        "| --- | ---: |",
        r"| a\|b | 1 |",
        "| $c | 22 |",
    ]


def test_render_latex():
    lines = RENDERERS["latex"](TABLE).splitlines()
    assert r"\caption{50\% \& more\_}" in lines
    assert r"\begin{tabular}{lr}" in lines
    assert r"\$c & 22 \\" in lines
    odd = RENDERERS["latex"](ODD)
    assert r"\caption{p \textless{} 0.05}" in odd and r"x\{\} & n \\" in odd
    assert r"a\textbackslash{}b\textasciitilde{} & \textasciicircum{}2 \\" in odd
    assert (lines[0], lines[-1]) == (r"\begin{table}", r"\end{table}")


def test_render_csv():
    assert RENDERERS["csv"](TABLE).splitlines() == ["name,n", "a|b,1", "$c,22"]


def test_render_text():
    lines = [line.rstrip() for line in RENDERERS["text"](TABLE).splitlines() if line.strip()]
    assert lines == ["50% & more_", "name   n", "----  --", "a|b    1", "$c    22"]


def test_long_cells_stay_in_line():
    table = Table("Notes withheld", ("reason", "notes"), [("x" * 50, "1"), ("y", "10")])
    assert {len(line) for line in RENDERERS["text"](table).splitlines()[2:]} == {57}
