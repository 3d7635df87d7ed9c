"""The CRF against brute force: every path of small lattices is scored one by one."""

from itertools import product

import numpy as np
import pytest
import torch

from spacy_deid.tagger.decode import Lattice, legal_moves, negative_log_likelihood, tag_names
from spacy_deid.tagger.model import make_lattice

N_LABELS = 2
N_TAGS = 1 + 4 * N_LABELS
LENGTHS = [2, 4, 1, 3]


@pytest.fixture
def parameters() -> list[torch.Tensor]:
    torch.manual_seed(0)
    shapes = [(sum(LENGTHS), N_TAGS), (N_TAGS, N_TAGS), (N_TAGS,), (N_TAGS,)]
    return [torch.randn(shape, dtype=torch.float64) * 2 for shape in shapes]


def paths_of(parameters: list[torch.Tensor], segment: int) -> dict[tuple[int, ...], float]:
    """Score of each legal path of a segment, from the definition."""
    emissions, transitions, start, end = parameters
    offset = sum(LENGTHS[:segment])
    rows = emissions[offset : offset + LENGTHS[segment]]
    moves, opens, closes = legal_moves(N_LABELS)
    scores = {}
    for path in product(range(N_TAGS), repeat=len(rows)):
        legal = opens[path[0]] and closes[path[-1]]
        legal = legal and all(moves[a, b] for a, b in zip(path, path[1:], strict=False))
        if legal:
            score = start[path[0]] + end[path[-1]]
            score += sum(rows[i, tag] for i, tag in enumerate(path))
            score += sum(transitions[a, b] for a, b in zip(path, path[1:], strict=False))
            scores[path] = float(score)
    return scores


def log_sum(scores: list[float]) -> float:
    return float(torch.tensor(scores, dtype=torch.float64).logsumexp(0))


def lattice_of(parameters: list[torch.Tensor]) -> tuple[Lattice, np.ndarray]:
    lattice, _, order = make_lattice(parameters, LENGTHS)
    return lattice, order


def test_legal_moves_are_those_of_biluo():
    names = tag_names(["A", "B"])
    moves, opens, closes = legal_moves(2)
    allowed = {(names[i], names[j]) for i, j in moves.nonzero().tolist()}
    assert ("B-A", "I-A") in allowed and ("I-A", "L-A") in allowed and ("B-B", "L-B") in allowed
    assert ("L-A", "B-B") in allowed and ("U-A", "U-A") in allowed and ("O", "B-A") in allowed
    assert not {("B-A", "I-B"), ("B-A", "O"), ("I-A", "U-A"), ("O", "I-A"), ("O", "L-B")} & allowed
    assert {names[i] for i in opens.nonzero().flatten()} == {"O", "B-A", "B-B", "U-A", "U-B"}
    assert {names[i] for i in closes.nonzero().flatten()} == {"O", "L-A", "L-B", "U-A", "U-B"}


def test_log_partition_equals_the_sum_over_all_paths(parameters):
    lattice, order = lattice_of(parameters)
    expected = [log_sum(list(paths_of(parameters, segment).values())) for segment in order]
    assert lattice.log_partition().tolist() == pytest.approx(expected, rel=1e-10)


def test_viterbi_equals_the_best_of_all_paths(parameters):
    lattice, order = lattice_of(parameters)
    for path, segment in zip(lattice.viterbi(), order, strict=True):
        scores = paths_of(parameters, segment)
        assert tuple(path.tolist()) == max(scores, key=scores.__getitem__)


@pytest.mark.parametrize("seed", range(5))
def test_viterbi_never_makes_an_impossible_move(seed):
    torch.manual_seed(seed)
    shapes = [(sum(LENGTHS), N_TAGS), (N_TAGS, N_TAGS), (N_TAGS,), (N_TAGS,)]
    lattice, _ = lattice_of([torch.randn(shape) * 20 for shape in shapes])
    moves, opens, closes = legal_moves(N_LABELS)
    for path in lattice.viterbi():
        assert opens[path[0]] and closes[path[-1]]
        assert all(moves[a, b] for a, b in zip(path[:-1], path[1:], strict=True))


def test_score_is_the_score_of_the_path(parameters):
    lattice, order = lattice_of(parameters)
    tags = torch.zeros(lattice.emissions.shape[:2], dtype=torch.long)
    expected = []
    for column, segment in enumerate(order):
        path, score = next(iter(paths_of(parameters, segment).items()))
        tags[: len(path), column] = torch.tensor(path)
        expected.append(score)
    assert lattice.score(tags).tolist() == pytest.approx(expected)


def test_marginals_equal_the_share_of_the_paths(parameters):
    lattice, order = lattice_of(parameters)
    marginals = lattice.marginals()
    for column, segment in enumerate(order):
        scores = paths_of(parameters, segment)
        total = log_sum(list(scores.values()))
        for step, tag in product(range(LENGTHS[segment]), range(N_TAGS)):
            share = [score for path, score in scores.items() if path[step] == tag]
            expected = np.exp(log_sum(share) - total) if share else 0.0
            assert float(marginals[step, column, tag]) == pytest.approx(expected, abs=1e-9)


def test_marginals_of_selected_sequences_are_unchanged(parameters):
    lattice, _ = lattice_of(parameters)
    every, some = lattice.marginals(), lattice.select([1, 3]).marginals()
    assert torch.allclose(every[: len(some), [1, 3]], some)


def test_unknown_gold_sums_over_every_tag(parameters):
    lattice, order = lattice_of(parameters)
    tags = torch.zeros(lattice.emissions.shape[:2], dtype=torch.long)
    tags[0, :] = -1
    expected = 0.0
    for segment in order:
        scores = paths_of(parameters, segment)
        agree = [score for path, score in scores.items() if not any(path[1:])]
        expected += log_sum(list(scores.values())) - log_sum(agree)
    loss = negative_log_likelihood(lattice, tags)
    assert float(loss) == pytest.approx(expected / len(LENGTHS), rel=1e-10)


def test_gradient_equals_finite_differences(parameters):
    tags = torch.zeros(max(LENGTHS), len(LENGTHS), dtype=torch.long)
    tags[0, :2] = torch.tensor([1, 2])
    tags[1, :2] = torch.tensor([5, 6])

    def loss(*arrays: torch.Tensor) -> torch.Tensor:
        return negative_log_likelihood(lattice_of(list(arrays))[0], tags)

    leaves = [parameter.clone().requires_grad_() for parameter in parameters]
    assert torch.autograd.gradcheck(loss, leaves)


def test_extreme_scores_stay_finite():
    parameters = [
        torch.tensor([[200.0] + [-200.0] * (N_TAGS - 1)] * sum(LENGTHS)),
        torch.zeros(N_TAGS, N_TAGS),
        torch.zeros(N_TAGS),
        torch.zeros(N_TAGS),
    ]
    lattice, _ = lattice_of(parameters)
    assert torch.isfinite(lattice.log_partition()).all()
