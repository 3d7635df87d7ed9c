"""XML with more than one text, of which only one would be written."""

from __future__ import annotations

import pytest
from attack_files import redact_file, withheld

from spacy_deid.corpora import read_notes

REASON = "it has more than one TEXT element; split it into a file for each note"


@pytest.mark.parametrize("more", ["<TEXT>Lopez</TEXT>", "<text/>", "<TAGS><TEXT>a</TEXT></TAGS>"])
def test_a_file_with_two_texts_is_withheld(nlp, tmp_path, more):
    result, summary = redact_file(nlp, tmp_path, "a.xml", f"<root><TEXT>Maria</TEXT>{more}</root>")
    assert (result, withheld(summary)) == (None, {"": REASON})


def test_a_corpus_with_two_texts_in_a_file_is_an_error(tmp_path):
    (tmp_path / "a.xml").write_text("<root><TEXT>a</TEXT><TEXT>b</TEXT><TAGS/></root>")
    with pytest.raises(ValueError, match=r"a\.xml: it has more than one TEXT element"):
        list(read_notes(tmp_path))
