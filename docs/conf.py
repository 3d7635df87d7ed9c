"""The site: `make docs` builds it, offline, into output/site."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer

sys.path.insert(0, str(Path(__file__).parent.parent))

from spacy_deid import __version__

project = "spacy-deid"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = f"spacy-deid {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
myst_heading_anchors = 3
default_role = "code"
smartquotes = False  # they would turn the -- of options into a dash
pygments_style, pygments_dark_style = "friendly", "monokai"
autodoc_typehints = "none"  # the docstrings have them
autoclass_content = "both"
autodoc_member_order = "bysource"
autodoc_mock_imports = ["pandas", "pyarrow", "pyspark", "presidio_analyzer"]

_SECTION = re.compile(r"(RETURNS|RAISES)(?: \((.+?)\))?: (.*)")
_PARAMETER = re.compile(r"(\w+) \((.+?)\): (.*)")


def _to_fields(_app: Any, _what: str, _name: str, _obj: Any, _opts: Any, lines: list[str]) -> None:
    """Turn `name (type): text`, RETURNS and RAISES of our docstrings into fields of Sphinx."""
    found: list[str] = []
    in_fields = False
    for line in lines:
        section, parameter = _SECTION.match(line), _PARAMETER.match(line)
        if (section or parameter) and not in_fields:
            found.append("")
        if section:
            kind, type_, text = section.groups()
            returns = kind == "RETURNS"
            found.append(f":returns: (`{type_}`) {text}" if returns else f":raises {type_}: {text}")
        elif parameter:
            name, type_, text = parameter.groups()
            found.append(f":param {name}: (`{type_}`) {text}")
        else:
            found.append(line)
        in_fields = bool(section or parameter) or (in_fields and line.startswith(" "))
    lines[:] = found


def setup(app: Any) -> None:
    """Connect the docstrings, and show CSV as it is."""
    app.add_lexer("csv", TextLexer)
    app.connect("autodoc-process-docstring", _to_fields)
