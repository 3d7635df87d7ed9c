"""The smallest tagger that can be exported."""

from __future__ import annotations

MODEL = {
    "tok2vec": {
        "@architectures": "spacy_deid.WordEmbed.v1",
        "parts": {"words": {"@misc": "spacy_deid.HashedWords.v1", "rows": 500}},
    },
    "encoder": {"@architectures": "spacy_deid.RecurrentEncoder.v1", "hidden_width": 16},
    "decoder": {"@architectures": "spacy_deid.CrfDecoder.v1"},
}
