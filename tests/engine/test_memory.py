"""Tests that freed memory is returned to the system."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from spacy_deid import deidentify
from spacy_deid.engine import search
from spacy_deid.engine.memory import keep_few_kernels, return_freed_memory


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_holes_in_the_heap_are_returned():
    blocks = [bytearray(8192) for _ in range(20_000)]
    keepers = blocks[::100]  # one in a hundred stays, so that the heap cannot shrink from its end
    before = _resident()
    del blocks
    return_freed_memory()
    assert before - _resident() > 100 * 2**20
    assert len(keepers) == 200


@pytest.mark.parametrize(("before", "after"), [(None, "64"), ("512", "512")])
def test_kernels_are_few_unless_the_user_says_otherwise(monkeypatch, before, after):
    name = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
    monkeypatch.setenv(name, before or "")
    if before is None:
        monkeypatch.delenv(name)
    keep_few_kernels()
    assert os.environ[name] == after


def test_memory_is_returned_every_some_hundred_texts(nlp, monkeypatch):
    calls = []
    monkeypatch.setattr(search, "return_freed_memory", lambda: calls.append(finder.count))
    monkeypatch.setattr(search, "_RETURN_EVERY", 4)
    finder = search.Search(nlp)
    for _ in range(4):
        finder.find(["Seen by Dr. Okafor.", "Seen on 1/2/2067."], [{}, {}])
    assert calls == [4, 4]


def test_only_the_first_words_stay_in_memory(nlp, monkeypatch):
    monkeypatch.setattr(search, "_KEPT_WORDS", len(nlp.vocab.strings) + 5)
    for word in ("zyzzyva", "quokka", "axolotl"):
        search.Search(nlp, exclusive=True).find([f"Several unusual words, as {word}"], [{}])
    assert "zyzzyva" in nlp.vocab.strings
    assert "axolotl" not in nlp.vocab.strings


def test_docs_of_others_are_left_alone(nlp, monkeypatch):
    monkeypatch.setattr(search, "_KEPT_WORDS", 0)
    detector = nlp.get_pipe("toy_detector")
    docs = []

    def meanwhile(doc):
        docs.append(nlp.make_doc(f"quokka{len(docs)}"))
        return detector(doc)

    nlp._components[0] = ("toy_detector", meanwhile)
    search.Search(nlp).find(["Several unusual words"], [{}])
    deidentify("More of them", model=nlp)
    with nlp.memory_zone():
        docs.append(nlp.make_doc("quokka2"))
        deidentify("Others", model=nlp)
        assert [doc.text for doc in docs[:3]] == ["quokka0", "quokka1", "quokka2"]


def _resident() -> int:
    """Memory of this process, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
