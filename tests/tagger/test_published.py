"""The published neural systems, each as the model block of a config."""

import numpy as np
import pytest
import spacy
from spacy.vectors import Vectors
from thinc.api import Config

WORD_EMBED = """
[tok2vec]
@architectures = "spacy_deid.WordEmbed.v1"
word_dropout = 0.0
list_dropout = 0.0
[tok2vec.parts]
"""
VECTORS = """
[tok2vec.parts.vectors]
@misc = "spacy_deid.WordVectors.v1"
trainable = true
"""
CHARS = """
[tok2vec.parts.chars]
@misc = "spacy_deid.CharBiLSTM.v1"
width = 25
"""
LISTED = """
[tok2vec.parts.words]
@misc = "spacy_deid.ListedWords.v1"
width = 100
"""
BILSTM = """
[encoder]
@architectures = "spacy_deid.RecurrentEncoder.v1"
hidden_width = 100
output_dropout = false
"""
TRANSFORMER = """
[encoder]
@architectures = "spacy_deid.TransformerEncoder.v1"
width = 128
depth = 2
n_heads = 4
inner_width = 256
"""
TRANSFORMER_BILSTM = """
[encoder]
@layers = "chain.v1"
[encoder.*.transformer]
@architectures = "spacy_deid.TransformerEncoder.v1"
width = 128
depth = 2
n_heads = 4
inner_width = 256
[encoder.*.bilstm]
@architectures = "spacy_deid.RecurrentEncoder.v1"
hidden_width = 100
"""
CRF = """
[decoder]
@architectures = "spacy_deid.CrfDecoder.v1"
scheme = "BIO"
feed_forward = false
"""
SOFTMAX = """
[decoder]
@architectures = "spacy_deid.SoftmaxDecoder.v1"
scheme = "BIO"
"""

DERNONCOURT = f"""
{WORD_EMBED}{CHARS}{VECTORS}{BILSTM}
[decoder]
@architectures = "spacy_deid.CrfDecoder.v1"
scheme = "BIOES"
feed_forward = true
"""
JIANG = f"""
{WORD_EMBED}{VECTORS}
[tok2vec.parts.chars]
@misc = "spacy_deid.CharBiLSTM.v1"
width = 25
cell = "coupled_lstm"
[tok2vec.parts.capitals]
@misc = "spacy_deid.Orthography.v1"
width = 6
[tok2vec.parts.dictionary]
@misc = "spacy_deid.WordLists.v1"
width = 6
[encoder]
@architectures = "spacy_deid.RecurrentEncoder.v1"
cell = "coupled_lstm"
hidden_width = 64
output_dropout = false
[decoder]
@architectures = "spacy_deid.CrfDecoder.v1"
scheme = "BIOES"
feed_forward = true
"""
ELMAN = f"""
{WORD_EMBED}{LISTED}
[encoder]
@layers = "chain.v1"
[encoder.*.window]
@architectures = "spacy_deid.ContextWindow.v1"
window = 5
[encoder.*.elman]
@architectures = "spacy_deid.RecurrentEncoder.v1"
cell = "elman"
hidden_width = 100
bidirectional = false
{SOFTMAX}
"""
JORDAN = f"""
{WORD_EMBED}{LISTED}
[encoder]
@architectures = "spacy_deid.ContextWindow.v1"
window = 4
[decoder]
@architectures = "spacy_deid.JordanDecoder.v1"
scheme = "BIO"
hidden_width = 100
"""
CHAR_VECTORS = """
[tok2vec.parts.chars]
@misc = "spacy_deid.CharVectors.v1"
"""

SYSTEMS = {
    "dernoncourt2017": (DERNONCOURT, 2 * 25 + 3, 200),
    "jiang2017": (JIANG, 2 * 25 + 6 + 6 + 3, 128),
    "shweta2017_elman": (ELMAN, 100, 100),
    "shweta2017_jordan": (JORDAN, 100, 900),
    "ahmed2021_bilstm": (WORD_EMBED + VECTORS + BILSTM + SOFTMAX, 3, 200),
    "ahmed2021_bilstm_crf": (WORD_EMBED + VECTORS + BILSTM + CRF, 3, 200),
    "ahmed2021_transformer": (WORD_EMBED + LISTED + TRANSFORMER + SOFTMAX, 100, 128),
    "ahmed2021_transformer_crf": (WORD_EMBED + LISTED + TRANSFORMER + CRF, 100, 128),
    "ahmed2021_transformer_bilstm": (
        WORD_EMBED + LISTED + TRANSFORMER_BILSTM + SOFTMAX,
        100,
        200,
    ),
    "ahmed2021_char_vectors": (WORD_EMBED + CHAR_VECTORS + BILSTM + CRF, 3, 200),
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_published_system(system, train):
    block, embedded, encoded = SYSTEMS[system]
    nlp = spacy.blank("en")
    words = ("john", "dr", "seen", "was", ".", "march")
    keys = [nlp.vocab.strings.add(word) for word in words]
    data = np.random.default_rng(0).normal(size=(len(words), 3)).astype("float32")
    nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, data=data, keys=keys)
    trained = train(Config().from_str(block), 3, nlp=nlp, learn_rate=0.005)
    model = nlp.get_pipe("phi_tagger").model
    assert model.get_ref("tok2vec").get_dim("nO") == embedded
    assert model.get_ref("encoder").get_dim("nO") == encoded
    assert trained.losses[-1] < trained.losses[0]
    fresh = spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes())
    assert fresh.get_pipe("phi_tagger").model.to_bytes() == model.to_bytes()
