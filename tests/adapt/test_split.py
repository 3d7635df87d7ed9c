from __future__ import annotations

import pytest

pytest.importorskip("scipy")

from spacy_deid.adapt.split import split


def clusters(notes):
    return {note.cluster for note in notes}


def test_no_patient_is_in_two_parts(local):
    parts = split(local, [], seed=3)
    found = [clusters(part) for part in (parts.learn, parts.choose, parts.held_out)]
    assert [len(names) for names in found] == [6, 2, 4]
    assert len(set.union(*found)) == 12
    assert sum(map(len, (parts.learn, parts.choose, parts.held_out))) == len(local)
    assert split(list(reversed(local)), [], seed=3).held_out == parts.held_out[::-1]


def test_doubtful_notes_are_only_learned_from(local):
    random, doubtful = local[::2], local[1::2]
    parts = split(random, doubtful)
    assert not {*parts.choose, *parts.held_out} & {*doubtful}
    assert not clusters(parts.learn) & clusters([*parts.choose, *parts.held_out])
    assert set(parts.learn) & set(doubtful)


def test_too_few_patients_are_refused(local):
    with pytest.raises(ValueError, match="notes of 3 patients; adapting takes 4"):
        split(local[:6], local[6:])
