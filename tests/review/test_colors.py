from __future__ import annotations

from itertools import combinations

import pytest
from spacy import displacy
from spacy.tokens import Span

from spacy_deid.annotation.phi import CATEGORY, PHI_TYPES
from spacy_deid.review import COLORS, displacy_options

TEXT_COLOR = "#1c2530"


def channels(color):
    return [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]


def luminance(color):
    """Relative luminance, as WCAG 2.1 defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(color)]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("color", COLORS.values())
def test_text_stands_out_on_every_color(color):
    """Contrast of 7 to 1, the strictest level of WCAG 2.1 (AAA)."""
    assert (luminance(color) + 0.05) / (luminance(TEXT_COLOR) + 0.05) >= 7


def test_categories_have_colors_of_their_own():
    assert list(COLORS) == list(PHI_TYPES)
    for one, other in combinations(COLORS.values(), 2):
        distance = sum((a - b) ** 2 for a, b in zip(channels(one), channels(other), strict=True))
        assert distance**0.5 > 0.08, (one, other)


def test_displacy_takes_the_options(nlp):
    options = displacy_options()
    assert options["ents"] == list(CATEGORY)
    doc = nlp("Maria came Monday with aspirin")
    doc.ents = [*doc.ents, Span(doc, 4, 5, label="DRUG")]
    html = displacy.render(doc, style="ent", options=options)
    assert COLORS["NAME"] in html and COLORS["DATE"] in html
    assert "DRUG" not in html
