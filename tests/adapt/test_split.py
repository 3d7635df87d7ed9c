from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("scipy")

from spacy_deid.adapt.split import split


def clusters(notes):
    return {note.cluster for note in notes}


def three(parts):
    return parts.learn, parts.choose, parts.held_out


def test_no_patient_is_in_two_parts(local):
    parts = split(local, [], seed=3)
    found = [clusters(part) for part in three(parts)]
    assert [len(names) for names in found] == [6, 2, 4]
    assert len(set.union(*found)) == 12
    assert sum(map(len, three(parts))) == len(local)
    assert split(list(reversed(local)), [], seed=3).held_out == parts.held_out[::-1]


def test_no_text_is_in_two_parts(local):
    notes = [replace(note, patient_id="") for note in local]
    carried = [replace(note, gold=replace(note.gold, id=f"{note.gold.id}b")) for note in notes]
    parts = split([*notes, *carried[:10]], carried[10:])
    texts = [{note.gold.text for note in part} for part in three(parts)]
    assert sum(map(len, texts)) == len(set.union(*texts)) == len(local)
    linked = replace(local[0], patient_id=local[-1].patient_id)
    both = {local[0].cluster, local[-1].cluster}
    for seed in range(5):
        parts = split(local, [linked], seed)
        assert any(both <= clusters(part) for part in three(parts))


def test_doubtful_notes_are_only_learned_from(local):
    random, doubtful = local[::2], local[1::2]
    parts = split(random, doubtful)
    assert not {*parts.choose, *parts.held_out} & {*doubtful}
    assert not clusters(parts.learn) & clusters([*parts.choose, *parts.held_out])
    assert set(parts.learn) & set(doubtful)


def test_too_few_patients_are_refused(local):
    with pytest.raises(ValueError, match="notes of 3 patients; adapting takes 4"):
        split(local[:6], local[6:])
