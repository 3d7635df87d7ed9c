"""HTML pages: self-contained files that need no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from ..files import replacing


def render_page(template: str, **values: Any) -> str:
    """A page as HTML.

    template (str): Name of its template in this folder, such as "evaluation".
    values (Any): Values for the template, with a `title`.
    """
    environment = Environment(
        loader=PackageLoader("spacy_deid.pages", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    return environment.get_template(f"{template}.html.jinja").render(values)


def write_page(path: Path, template: str, *, private: bool = False, **values: Any) -> None:
    """Write a page, atomically; see `render_page`.

    private (bool): Whether only the owner may read the file, since it contains PHI.
    """
    with replacing(path, private=private) as file:
        file.write(render_page(template, **values).encode("utf-8"))
