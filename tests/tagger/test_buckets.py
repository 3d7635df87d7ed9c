import numpy as np
import torch

from spacy_deid.tagger.buckets import by_length, make_buckets
from spacy_deid.tagger.padding import is_inside, reverse


def test_longest_first_and_padding_repeats_the_last_row():
    (bucket,) = make_buckets([1, 3])
    assert bucket.lengths.tolist() == [3, 1]
    assert bucket.rows.T.tolist() == [[1, 2, 3], [0, 0, 0]]
    assert is_inside(3, torch.from_numpy(bucket.lengths)).T.tolist() == [
        [True] * 3,
        [True, False, False],
    ]


def test_buckets_hold_similar_lengths_and_are_cut_between_lengths():
    groups = list(by_length(np.asarray([2] * 100 + [7] * 70)))
    assert [group.tolist() for group in groups] == [[*range(100, 170)], [*range(100)]]


def test_every_row_has_its_place():
    lengths = [2, 5, 1, *[3] * 80, 9]
    buckets = make_buckets(lengths)
    rows = [
        bucket.rows[is_inside(len(bucket.rows), torch.from_numpy(bucket.lengths)).numpy()]
        for bucket in buckets
    ]
    assert sorted(np.concatenate(rows)) == [*range(sum(lengths))]
    assert make_buckets([]) == []


def test_reversed_sequences_keep_their_padding_behind():
    sequences = torch.tensor([[1, 4], [2, 5], [3, 0]])[:, :, None]
    lengths = torch.tensor([3, 2])
    assert reverse(sequences, lengths)[:, :, 0].T.tolist() == [[3, 2, 1], [5, 4, 0]]
    assert torch.equal(reverse(reverse(sequences, lengths), lengths), sequences)
