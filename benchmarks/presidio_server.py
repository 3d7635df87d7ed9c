"""Presidio's `/analyze`, for `serving.py`: run it with the Python of Presidio's environment.

python benchmarks/presidio_server.py SPACY_MODEL PORT
"""

from __future__ import annotations

import sys

from flask import Flask, Response, jsonify, request
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider
from waitress import serve


def make_app(spacy_model: str) -> Flask:
    """The application, with Presidio's own recognizers for English."""
    models = [{"lang_code": "en", "model_name": spacy_model}]
    provider = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models})
    analyzer = AnalyzerEngine(nlp_engine=provider.create_engine(), supported_languages=["en"])
    app = Flask(__name__)

    @app.get("/health")
    def health() -> str:
        return "up"

    @app.post("/analyze")
    def analyze() -> Response:
        body = request.get_json()
        found = analyzer.analyze(text=body["text"], language=body["language"])
        return jsonify([each.to_dict() for each in found])

    return app


if __name__ == "__main__":
    _, model, port = sys.argv
    serve(make_app(model), host="127.0.0.1", port=int(port), threads=64)
