import numpy as np
import pytest
import torch

from spacy_deid.annotation.tagging import SCHEMES
from spacy_deid.tagger.decoders import CrfDecoder, JordanDecoder, SoftmaxDecoder
from spacy_deid.tagger.lattice import decode

TAGS = SCHEMES["BIO"].tag_names(["A", "B"])


@pytest.fixture
def inputs() -> torch.Tensor:
    """Five steps of four segments."""
    torch.manual_seed(0)
    return torch.randn(5, 4, 4)


@pytest.fixture
def jordan() -> JordanDecoder:
    torch.manual_seed(1)
    decoder = JordanDecoder(scheme="BIO", hidden_width=6)
    decoder.build(width=4, n_tags=len(TAGS))
    return decoder


def test_jordan_equals_its_definition(jordan, inputs):
    (emitted,) = jordan(inputs)
    for column, segment in enumerate(inputs.unbind(1)):
        output = torch.zeros(len(TAGS))
        for step, features in enumerate(segment):
            hidden = torch.tanh(jordan.from_input(features) + jordan.from_output(output))
            expected = jordan.emit(hidden)
            assert torch.allclose(emitted[step, column], expected, atol=1e-6)
            output = expected.softmax(0)


def test_jordan_sees_its_last_output_and_only_that(jordan, inputs):
    """Changing y_1 by the output's bias changes h_2; without V it is a feed-forward network."""
    (before,) = jordan(inputs)
    changed = inputs.clone()
    changed[0, 0] += 1.0
    (after,) = jordan(changed)
    assert not torch.allclose(before[1, 0], after[1, 0], atol=1e-4)
    assert torch.allclose(before[:, 1:], after[:, 1:])
    with torch.no_grad():
        jordan.from_output.weight.zero_()
    feed_forward = jordan.emit(torch.tanh(jordan.from_input(changed)))
    assert torch.allclose(jordan(changed)[0], feed_forward, atol=1e-6)


def test_jordan_learns_through_its_own_outputs(jordan, inputs):
    inputs.requires_grad_()
    third_token = jordan(inputs)[0][2, 0].square().sum()
    (gradient,) = torch.autograd.grad(third_token, inputs)
    expected = torch.zeros(5, 4, dtype=torch.bool)
    expected[:3, 0] = True
    assert torch.equal(gradient.any(dim=2), expected)


def test_softmax_loss_is_cross_entropy_of_what_is_known():
    decoder = SoftmaxDecoder(scheme="BIO")
    scores, gold = torch.zeros(2, 3, len(TAGS)), torch.tensor([[0, 1, -1], [1, 0, 0]])
    scores[:, :, 0] = torch.tensor([[2, 1, 9], [0, 9, 9]])
    loss = decoder.loss((scores,), torch.tensor([2, 1, 1]), gold)
    chances = np.e**2 / (np.e**2 + 4), 1 / 5, 1 / (np.e + 4)
    assert float(loss) == pytest.approx(-np.log(chances).sum())


def test_softmax_decodes_each_token_with_its_chance():
    scores = np.zeros((2, 2, len(TAGS)), dtype=np.float32)
    scores[0, 0, 0] = scores[0, 1, 0] = 5.0
    scores[1, 0, TAGS.index("I-B")] = 2.0
    found = decode((scores,), np.asarray([2, 1]), SCHEMES["BIO"])
    chances = found.probabilities
    assert found.segments.tolist() == [0, 0, 1] and found.steps.tolist() == [0, 1, 0]
    assert [TAGS[tag] for tag in found.tags] == ["O", "I-B", "O"]
    assert chances[1, found.tags[1]] == pytest.approx(np.e**2 / (np.e**2 + 4))
    assert chances.sum(1) == pytest.approx(1)


def test_crf_decodes_only_possible_paths_with_marginals():
    scores = np.zeros((2, 1, len(TAGS)), dtype=np.float32)
    scores[0, 0, TAGS.index("O")] = 1.0
    scores[1, 0, TAGS.index("I-B")] = 3.0
    parameters = [np.zeros((len(TAGS), len(TAGS))), np.zeros(len(TAGS)), np.zeros(len(TAGS))]
    *_, path, chances = decode((scores, *parameters), np.asarray([2]), SCHEMES["BIO"])
    assert [TAGS[tag] for tag in path] == ["B-B", "I-B"]
    # From O follow O, B-A, B-B; from B-A those and I-A; from B-B those and I-B: no I comes first.
    others, inside = 3.0, np.e**3
    total = np.e * others + (others + 1) + (others + inside)
    assert chances[[0, 1], path].tolist() == pytest.approx(
        [(others + inside) / total, inside / total]
    )


def test_prediction_scores_tags_as_training_does(inputs):
    """Prediction takes a faster way to the tangent, in place, and leaves its inputs as they are."""
    torch.manual_seed(2)
    decoder = CrfDecoder(scheme="BIO", feed_forward=True)
    decoder.build(width=4, n_tags=len(TAGS))
    given = inputs.clone()
    expected = decoder(inputs)[0]
    with torch.no_grad():
        predicted = decoder(inputs)[0]
    assert torch.allclose(predicted, expected, atol=1e-6)
    assert torch.equal(inputs, given)


def test_unknown_scheme_is_an_error():
    with pytest.raises(ValueError, match="unknown tagging scheme 'IOB1'"):
        CrfDecoder(scheme="IOB1")
