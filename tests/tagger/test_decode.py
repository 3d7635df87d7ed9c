import numpy as np
import pytest
import torch

from spacy_deid.tagger.decode import CrfDecoder, JordanDecoder, SoftmaxDecoder, build_crf_decoder
from spacy_deid.tagger.scheme import SCHEMES

LENGTHS = np.asarray([3, 1, 5, 2])
TAGS = SCHEMES["BIO"].tag_names(["A", "B"])


@pytest.fixture
def inputs() -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(int(LENGTHS.sum()), 4)


@pytest.fixture
def jordan() -> JordanDecoder:
    torch.manual_seed(1)
    decoder = JordanDecoder("BIO", hidden_width=6)
    decoder.build(width=4, n_tags=len(TAGS))
    return decoder


def test_jordan_equals_its_definition(jordan, inputs):
    (emitted,) = jordan(inputs, LENGTHS)
    expected = []
    for segment in inputs.split(LENGTHS.tolist()):
        output = torch.zeros(len(TAGS))
        for step in segment:
            hidden = torch.tanh(jordan.from_input(step) + jordan.from_output(output))
            expected.append(jordan.emit(hidden))
            output = expected[-1].softmax(0)
    assert torch.allclose(emitted, torch.stack(expected), atol=1e-6)


def test_jordan_sees_its_last_output_and_only_that(jordan, inputs):
    """Changing y_1 by the output's bias changes h_2; without V it is a feed-forward network."""
    before = jordan(inputs, LENGTHS)[0]
    changed = inputs.clone()
    changed[0] += 1.0
    after = jordan(changed, LENGTHS)[0]
    assert not torch.allclose(before[1], after[1], atol=1e-4)
    assert torch.equal(before[3:], after[3:])
    with torch.no_grad():
        jordan.from_output.weight.zero_()
    feed_forward = jordan.emit(torch.tanh(jordan.from_input(changed)))
    assert torch.allclose(jordan(changed, LENGTHS)[0], feed_forward, atol=1e-6)


def test_jordan_learns_through_its_own_outputs(jordan, inputs):
    inputs.requires_grad_()
    third_token = jordan(inputs, LENGTHS)[0][2].square().sum()
    (gradient,) = torch.autograd.grad(third_token, inputs)
    assert gradient.any(dim=1).tolist() == [True] * 3 + [False] * (len(inputs) - 3)


def test_softmax_loss_is_cross_entropy_of_what_is_known():
    decoder = SoftmaxDecoder("BIO", feed_forward=False)
    scores = torch.tensor([[2.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0], [9.0, 0, 0, 0, 0]])
    loss = decoder.loss((scores,), [2, 1], torch.tensor([0, 1, -1]))
    expected = -np.log(np.e**2 / (np.e**2 + 4)) - np.log(np.e / (np.e + 4))
    assert float(loss) == pytest.approx(expected / 2)


def test_softmax_decodes_each_token_with_its_chance():
    decoder = SoftmaxDecoder("BIO", feed_forward=False)
    scores = torch.zeros(4, len(TAGS))
    scores[[0, 1, 3], [0, 0, 0]] = 5.0
    scores[2, TAGS.index("I-B")] = 2.0
    first, (segment, path, chances) = decoder.decode((scores,), [2, 2])
    assert segment == 1 and not first[1].any()
    assert [TAGS[tag] for tag in path] == ["I-B", "O"]
    assert chances[0, path[0]] == pytest.approx(np.e**2 / (np.e**2 + 4))
    assert chances.sum(1) == pytest.approx(1)


def test_crf_decodes_only_possible_paths_with_marginals():
    decoder = build_crf_decoder(scheme="BIO", feed_forward=False).shims[0]._model
    scores = torch.zeros(2, len(TAGS))
    scores[0, TAGS.index("O")] = 1.0
    scores[1, TAGS.index("I-B")] = 3.0
    parameters = [torch.zeros(len(TAGS), len(TAGS)), torch.zeros(len(TAGS)), torch.zeros(len(TAGS))]
    ((_, path, chances),) = decoder.decode((scores, *parameters), [2])
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
    decoder = CrfDecoder("BIO", feed_forward=True)
    decoder.build(width=4, n_tags=len(TAGS))
    given = inputs.clone()
    expected = decoder(inputs, LENGTHS)[0]
    with torch.no_grad():
        predicted = decoder(inputs, LENGTHS)[0]
    assert torch.allclose(predicted, expected, atol=1e-6)
    assert torch.equal(inputs, given)


def test_unknown_scheme_is_an_error():
    with pytest.raises(ValueError, match="no tagging scheme 'IOB1'"):
        build_crf_decoder(scheme="IOB1")
