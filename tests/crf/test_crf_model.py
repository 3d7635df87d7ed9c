import pickle

import pytest

from spacy_deid.crf.model import CrfModel, train_crf

SEQUENCES = [
    ([{"+0": ["word=a"]}, {"+0": ["word=b", "rare"]}], ["O", "B-AGE"]),
    ([{"+0": ["word=b"]}, {"+0": ["word=c"]}], ["B-AGE", "O"]),
] * 2 + [([{"+0": ["word=b", "once"]}], ["B-AGE"])]


def train(**settings: float) -> CrfModel:
    return train_crf(iter(SEQUENCES), settings)


def state_features(**settings: float) -> dict[tuple[str, str], float]:
    """Weight of each attribute with each tag in a model trained with these settings."""
    model = train(**settings)  # the tagger does not keep it alive
    return model.tagger.info().state_features


def test_stronger_l2_gives_smaller_weights():
    weak, strong = (state_features(c2=c2) for c2 in (0.01, 10.0))
    assert 0 < strong["+0:word=b", "B-AGE"] < 0.2 * weak["+0:word=b", "B-AGE"]


def test_l1_drops_features():
    assert len(state_features(c1=1.0, c2=0.0)) < len(state_features(c2=1.0))


@pytest.mark.parametrize(
    ("min_count", "names"),
    [
        (1, {"word=a", "word=b", "word=c", "rare", "once"}),
        (2, {"word=a", "word=b", "word=c", "rare"}),
        (3, {"word=b"}),
    ],
)
def test_rarer_attributes_are_cut_off(min_count, names):
    kept = state_features(**{"feature.minfreq": min_count})
    assert {name.removeprefix("+0:") for name, _ in kept} == names


def test_tags_and_their_marginals():
    model = train(c2=0.01)
    tags, scores = model.tag([{"+0": ["word=a"]}, {"+0": ["word=b"]}])
    assert tags == ["O", "B-AGE"]
    assert scores[0] == 0.0
    assert scores[1] == pytest.approx(model.tagger.marginal("B-AGE", 1))
    assert 0.9 < scores[1] < 1.0
    assert model.tag([{"+0": ["never seen"]}])[1][0] <= 1.0


def test_same_sequences_same_bytes_and_pickle():
    model = train()
    assert train().data == model.data
    assert pickle.loads(pickle.dumps(model)).data == model.data


def test_nothing_to_learn_is_an_error():
    with pytest.raises(ValueError, match="contain no PHI"):
        train_crf([([{"+0": ["word=a"]}], ["O"])], {})


def test_what_is_no_model_is_an_error():
    with pytest.raises(ValueError):
        CrfModel(b"no model")
