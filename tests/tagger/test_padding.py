import numpy as np
import torch

from spacy_deid.tagger.padding import Padding


def test_buckets_hold_similar_lengths_and_padding_repeats_the_last_token():
    padding = Padding(np.asarray([1, 3]))
    (bucket,) = padding.buckets
    assert bucket.starts.tolist() == [1, 0] and bucket.sizes.tolist() == [3, 1]
    assert bucket.sources(reverse=False).T.tolist() == [[1, 2, 3], [0, 0, 0]]
    assert bucket.sources(reverse=True).T.tolist() == [[3, 2, 1], [0, 0, 0]]


def test_buckets_are_cut_between_lengths():
    lengths = np.asarray([2] * 100 + [7] * 70)
    sizes = [bucket.sizes for bucket in Padding(lengths).buckets]
    assert [(set(some.tolist()), len(some)) for some in sizes] == [({7}, 70), ({2}, 100)]


def test_outputs_come_back_in_order():
    lengths = np.asarray([2, 5, 1, *[3] * 80, 9])
    inputs = torch.arange(float(lengths.sum()))[:, None]
    for reverse in (False, True):
        padding = Padding(lengths)
        assert torch.equal(padding.apply(lambda x, _: x * 2, inputs, reverse=reverse), inputs * 2)


def test_reversed_sequences_are_read_from_their_end():
    def steps(padded: torch.Tensor, lengths: np.ndarray) -> torch.Tensor:
        return torch.arange(len(padded))[:, None, None].expand(padded.shape)

    padding = Padding(np.asarray([2, 3]))
    inputs = torch.zeros(5, 1)
    assert padding.apply(steps, inputs).flatten().tolist() == [0, 1, 0, 1, 2]
    assert padding.apply(steps, inputs, reverse=True).flatten().tolist() == [1, 0, 2, 1, 0]
