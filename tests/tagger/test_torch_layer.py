import numpy as np
import pytest
from thinc.api import Model, NumpyOps

from spacy_deid.tagger.torch_layer import Pieces, join_rows


@pytest.fixture
def rows():
    return np.arange(12, dtype="f").reshape(6, 2)


@pytest.fixture
def join():
    model: Model = Model("any", lambda model, X, is_train: (X, lambda d: d), ops=NumpyOps())
    return lambda pieces: join_rows(model, pieces)


def test_pieces_are_joined_without_a_copy(rows, join):
    pieces = Pieces(rows, [1, 0, 3, 2])
    assert [len(piece) for piece in pieces] == [1, 0, 3, 2]
    assert join(pieces) is rows


def test_what_became_of_pieces_is_joined(rows, join):
    replaced = Pieces(rows, [2, 4])
    replaced[0] = replaced[0] * 0
    assert join(replaced).tolist() == [[0, 0], [0, 0], *rows[2:].tolist()]
    turned = Pieces(rows, [2, 4])
    turned.reverse()
    assert join(turned).tolist() == [*rows[2:].tolist(), *rows[:2].tolist()]


def test_lists_are_joined_and_rows_without_width_left_out(rows, join):
    assert join([rows[:2], np.zeros((0, 0), dtype="f"), rows[2:]]).tolist() == rows.tolist()
    assert join([np.zeros((0, 5), dtype="f")]).shape == (0, 5)
