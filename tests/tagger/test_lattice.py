"""The CRF against brute force: every path of small lattices is scored one by one."""

from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
import pytest
import torch

from spacy_deid.annotation.tagging import SCHEMES, Scheme
from spacy_deid.tagger.lattice import Lattice, decode, legal_moves
from spacy_deid.tagger.likelihood import Likelihood

N_LABELS = 2
LENGTHS = np.array([4, 3, 2, 1])


@pytest.fixture(params=sorted(SCHEMES))
def scheme(request) -> Scheme:
    return SCHEMES[request.param]


@pytest.fixture
def n_tags(scheme) -> int:
    return scheme.n_tags(N_LABELS)


def draw(n_tags: int, scale: float) -> list[torch.Tensor]:
    shapes = [(LENGTHS[0], len(LENGTHS), n_tags), (n_tags, n_tags), (n_tags,), (n_tags,)]
    return [torch.randn(shape, dtype=torch.float64) * scale for shape in shapes]


@pytest.fixture
def parameters(n_tags) -> list[torch.Tensor]:
    torch.manual_seed(0)
    return draw(n_tags, 2)


@pytest.fixture
def lattice_of(scheme) -> Callable[[list[torch.Tensor]], Lattice]:
    def build(scores: list[torch.Tensor]) -> Lattice:
        arrays = tuple(values.detach().numpy() for values in scores)
        return Lattice.build(arrays, LENGTHS, scheme)

    return build


@pytest.fixture
def likelihood_of(scheme) -> Callable[[list[torch.Tensor]], Likelihood]:
    return lambda scores: Likelihood.build(tuple(scores), torch.tensor(LENGTHS), scheme)


@pytest.fixture
def paths_of(scheme, n_tags) -> Callable[..., dict[tuple[int, ...], float]]:
    return partial(score_paths, legal_moves(scheme, n_tags), n_tags)


def score_paths(
    legal: tuple[np.ndarray, ...], n_tags: int, parameters: list[torch.Tensor], segment: int
) -> dict[tuple[int, ...], float]:
    """Score of each legal path of a segment, from the definition."""
    rows = parameters[0][: LENGTHS[segment], segment].tolist()
    moves, opens, closes = (allowed.tolist() for allowed in legal)
    transitions, start, end = (values.tolist() for values in parameters[1:])
    scores = {}
    for path in product(range(n_tags), repeat=len(rows)):
        is_legal = opens[path[0]] and closes[path[-1]]
        is_legal = is_legal and all(moves[a][b] for a, b in zip(path, path[1:], strict=False))
        if is_legal:
            score = start[path[0]] + end[path[-1]]
            score += sum(rows[i][tag] for i, tag in enumerate(path))
            score += sum(transitions[a][b] for a, b in zip(path, path[1:], strict=False))
            scores[path] = score
    return scores


def marginals_of(lattice: Lattice) -> np.ndarray:
    odds = lattice.odds()
    return odds / odds.sum(2, keepdims=True)


def log_sum(scores: list[float]) -> float:
    return float(torch.tensor(scores, dtype=torch.float64).logsumexp(0))


def test_log_partition_equals_the_sum_over_all_paths(parameters, likelihood_of, paths_of):
    likelihood = likelihood_of(parameters)
    expected = [
        log_sum(list(paths_of(parameters, segment).values())) for segment in range(len(LENGTHS))
    ]
    assert likelihood.log_partition().tolist() == pytest.approx(expected, rel=1e-10)


def test_viterbi_equals_the_best_of_all_paths(parameters, lattice_of, paths_of):
    lattice = lattice_of(parameters)
    for segment, path in enumerate(lattice.viterbi()):
        scores = paths_of(parameters, segment)
        assert tuple(path.tolist()) == max(scores, key=scores.__getitem__)


@pytest.mark.parametrize("least", [0.0, 1e-4])
@pytest.mark.parametrize("scale", [0.01, 1, 2, 4, 20])
def test_best_tags_are_those_of_viterbi(scale, least, scheme, n_tags, lattice_of):
    torch.manual_seed(1)
    parameters = draw(n_tags, scale)
    parameters[0][1:3, :, 0] += 10 * (least > 0)  # plainly outside
    found = decode(tuple(values.numpy() for values in parameters), LENGTHS, scheme, least)
    tags = np.zeros((LENGTHS[0], len(LENGTHS)), dtype=int)
    tags[found.steps, found.segments] = found.tags
    for path, expected in zip(tags.T, lattice_of(parameters).viterbi(), strict=True):
        assert path[: len(expected)].tolist() == expected.tolist()


def test_score_is_the_score_of_the_path(parameters, likelihood_of, paths_of):
    likelihood = likelihood_of(parameters)
    tags = torch.zeros(likelihood.emissions.shape[:2], dtype=torch.long)
    expected = []
    for segment in range(len(LENGTHS)):
        path, score = next(iter(paths_of(parameters, segment).items()))
        tags[: len(path), segment] = torch.tensor(path)
        expected.append(score)
    assert likelihood.score(tags).tolist() == pytest.approx(expected)


def test_marginals_equal_the_share_of_the_paths(parameters, lattice_of, paths_of, n_tags):
    lattice = lattice_of(parameters)
    marginals = marginals_of(lattice)
    for segment in range(len(LENGTHS)):
        scores = paths_of(parameters, segment)
        total = log_sum(list(scores.values()))
        for step, tag in product(range(LENGTHS[segment]), range(n_tags)):
            share = [score for path, score in scores.items() if path[step] == tag]
            expected = np.exp(log_sum(share) - total) if share else 0.0
            assert float(marginals[step, segment, tag]) == pytest.approx(expected, abs=1e-9)


def test_unknown_gold_sums_over_every_tag(parameters, likelihood_of, paths_of):
    likelihood = likelihood_of(parameters)
    tags = torch.zeros(likelihood.emissions.shape[:2], dtype=torch.long)
    tags[0, :] = -1
    expected = 0.0
    for segment in range(len(LENGTHS)):
        scores = paths_of(parameters, segment)
        agree = [score for path, score in scores.items() if not any(path[1:])]
        expected += log_sum(list(scores.values())) - log_sum(agree)
    loss = likelihood.negative_log_likelihood(tags)
    assert float(loss) == pytest.approx(expected, rel=1e-10)


def test_gradient_equals_finite_differences(parameters, likelihood_of, scheme):
    tags = torch.zeros(max(LENGTHS), len(LENGTHS), dtype=torch.long)
    begin, end = scheme.encode(np.asarray([1, 1]), np.asarray([True, False]), N_LABELS)
    tags[:2, 0] = torch.tensor([begin, end])

    def loss(*arrays: torch.Tensor) -> torch.Tensor:
        return likelihood_of(list(arrays)).negative_log_likelihood(tags)

    leaves = [parameter.clone().requires_grad_() for parameter in parameters]
    assert torch.autograd.gradcheck(loss, leaves)


def test_extreme_scores_stay_finite(n_tags, likelihood_of):
    parameters = [torch.zeros_like(values) for values in draw(n_tags, 0)]
    parameters[0][:] = -200.0
    parameters[0][..., 0] = 200.0
    likelihood = likelihood_of(parameters)
    assert torch.isfinite(likelihood.log_partition()).all()


@pytest.mark.parametrize("odds", [50.0, 200.0])
def test_emissions_that_contradict_each_other_leave_every_gradient_finite(
    odds, n_tags, scheme, lattice_of, likelihood_of
):
    """A tag is all but certain, and what may follow it all but impossible."""
    entered = scheme.continuing(N_LABELS)[0]
    parameters = [values.float().requires_grad_() for values in draw(n_tags, 0)]
    emissions = torch.zeros(LENGTHS[0], len(LENGTHS), n_tags)
    emissions[..., 0] = odds  # outside at every step, which no entity can go on with
    emissions[1::2, :, entered] = 2 * odds
    scores = [emissions.requires_grad_(), *parameters[1:]]
    marginals = marginals_of(lattice_of(scores))
    assert np.isfinite(marginals).all()
    assert marginals.sum(2)[0].tolist() == pytest.approx([1.0] * len(LENGTHS), abs=1e-4)
    tags = torch.zeros(max(LENGTHS), len(LENGTHS), dtype=torch.long)
    likelihood_of(scores).negative_log_likelihood(tags).backward()
    for leaf in (emissions, *parameters[1:]):
        assert leaf.grad is not None
        assert torch.isfinite(leaf.grad).all()


def test_bioes_moves():
    names = SCHEMES["BIOES"].tag_names("AB")
    moves, opens, closes = legal_moves(SCHEMES["BIOES"], len(names))
    allowed = {(names[i], names[j]) for i, j in np.argwhere(moves)}
    assert ("B-A", "I-A") in allowed and ("I-A", "E-A") in allowed and ("B-B", "E-B") in allowed
    assert ("E-A", "B-B") in allowed and ("S-A", "S-A") in allowed and ("O", "B-A") in allowed
    assert not {("B-A", "I-B"), ("B-A", "O"), ("I-A", "S-A"), ("O", "I-A"), ("O", "E-B")} & allowed
    assert {names[i] for i in np.flatnonzero(opens)} == {"O", "B-A", "B-B", "S-A", "S-B"}
    assert {names[i] for i in np.flatnonzero(closes)} == {"O", "E-A", "E-B", "S-A", "S-B"}


def test_bio_forbids_only_an_inside_without_its_type_before_it():
    names = SCHEMES["BIO"].tag_names("AB")
    assert names == ["O", "B-A", "B-B", "I-A", "I-B"]
    moves, opens, closes = legal_moves(SCHEMES["BIO"], len(names))
    forbidden = {(names[i], names[j]) for i, j in np.argwhere(~moves)}
    others = {"A": ("O", "B-B", "I-B"), "B": ("O", "B-A", "I-A")}
    assert forbidden == {(name, f"I-{label}") for label in "AB" for name in others[label]}
    assert opens.tolist() == [True, True, True, False, False]
    assert closes.all()
