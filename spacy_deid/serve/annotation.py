"""The paths of annotation tools: a backend of Label Studio, and a recommender of INCEpTION.

Each tool adds its own paths to the address that it is given: `/label-studio` and `/inception`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Request
from pydantic import AliasChoices, BaseModel, Field

from .. import __version__
from ..annotation.phi import normalize_type
from ..corpora.label_studio import dump_regions
from ..corpora.xmi import read_cas, require_cassis
from ..engine.work import InputText
from ..files import FormatError
from ..http.bodies import JsonRoute
from ..http.errors import RequestError
from ..merger import UNKNOWN_ORIGIN
from ..xml import parse_xml
from .engine import Result, Work
from .routes import MOST_TEXTS
from .service import checked, service_of

if TYPE_CHECKING:
    from cassis import Cas

router = APIRouter(tags=["Annotation tools"], route_class=JsonRoute)

_VERSION = f"spacy-deid {__version__}"
_LONGEST_INTERFACE = 100_000  # characters


class SetUp(BaseModel):
    """A project of Label Studio."""

    label_config: str = Field(
        default="",
        max_length=_LONGEST_INTERFACE,
        alias="schema",
        description="The labelling interface.",
    )


class Task(BaseModel):
    """A task of Label Studio."""

    data: dict[str, Any]


class Tasks(BaseModel):
    """Tasks to annotate."""

    tasks: Annotated[list[Task], Field(max_length=MOST_TEXTS, fail_fast=True)]
    label_config: str | None = Field(
        default=None, max_length=_LONGEST_INTERFACE, description="The labelling interface."
    )


class Prediction(BaseModel):
    """The PHI of a task; if its text failed, none, with the reason as the version."""

    result: list[dict[str, Any]]
    score: float
    model_version: str = _VERSION


class Predictions(BaseModel):
    """A prediction for each task."""

    results: list[Prediction]
    model_version: str = _VERSION


class Layer(BaseModel):
    """What INCEpTION asks for."""

    layer: str
    feature: str


class CasDocument(BaseModel):
    """A document of INCEpTION."""

    xmi: str


class Recommend(BaseModel):
    """A document to annotate."""

    metadata: Layer = Field(validation_alias=AliasChoices("metadata", "config"))
    document: CasDocument
    type_system: str = Field(alias="typeSystem")


class Recommended(BaseModel):
    """The document with the PHI found, as XMI."""

    document: str


@router.get("/label-studio/health")
async def health() -> dict[str, str]:
    """Whether the backend works."""
    return {"status": "UP", "model_class": _VERSION}


@router.post("/label-studio/setup")
async def set_up(body: SetUp) -> dict[str, str]:
    """Check the labelling interface of a project."""
    if body.label_config:
        _Interface.read(body.label_config)
    return {"model_version": _VERSION}


@router.post("/label-studio/predict")
async def predict(request: Request, body: Tasks) -> Predictions:
    """Find the PHI of tasks."""
    interface = _Interface.read(body.label_config) if body.label_config else _Interface()
    texts = [task.data.get(interface.key) for task in body.tasks]
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise RequestError(422, f"body.tasks.{number}.data: it has no text")
    works = [Work(InputText(text=str(text))) for text in texts]
    results = await service_of(request).run(request, works)
    return Predictions(
        results=[
            interface.prediction(work.input.text, result)
            for work, result in zip(works, results, strict=True)
        ]
    )


@router.post("/inception/predict")
async def recommend(request: Request, body: Recommend) -> Recommended:
    """Find the PHI of a document."""
    cas = await asyncio.to_thread(_read_document, body)
    work = Work(InputText(text=cas.sofa_string or ""))
    (result,) = await service_of(request).run(request, [work])
    document = await asyncio.to_thread(_add_predictions, cas, body.metadata, checked(result))
    return Recommended(document=document)


def _read_document(body: Recommend) -> Cas:
    try:
        require_cassis()
        cas = read_cas(body.document.xmi.encode("utf-8"), body.type_system.encode("utf-8"))
    except FormatError as error:
        raise RequestError(422, f"body.document: {error}") from None
    except ValueError as error:
        raise RequestError(501, str(error)) from None
    if body.metadata.feature not in _features(cas, body.metadata.layer):
        raise RequestError(422, "body.metadata: the type system has no such layer and feature")
    return cas


def _features(cas: Cas, layer: str) -> set[str]:
    """The features of a layer; none if it is not in the type system."""
    if not cas.typesystem.contains_type(layer):
        return set()
    return {feature.name for feature in cas.typesystem.get_type(layer).all_features}


def _add_predictions(cas: Cas, wanted: Layer, result: Result) -> str:
    """A document with its PHI, marked as predictions, with their scores."""
    annotation = cas.typesystem.get_type(wanted.layer)
    features = _features(cas, wanted.layer)
    for span in result.found.spans:
        origin = result.found.origins.get(span.start, UNKNOWN_ORIGIN)
        values = {
            wanted.feature: span.type,
            "inception_internal_predicted": True,
            f"{wanted.feature}_score": origin.score,
            f"{wanted.feature}_score_explanation": origin.explanation,
        }
        values = {name: value for name, value in values.items() if name in features}
        cas.add(annotation(begin=span.start, end=span.end, **values))
    document: str = cas.to_xmi()
    return document


@dataclass(frozen=True)
class _Interface:
    """The parts of a labelling interface that regions refer to.

    key (str): The key of the text in a task's data.
    from_name, to_name (str): Names of the `Labels` and of the `Text`.
    labels (Mapping[str, str]): Labels by PHI type, where they are written in another way.
    """

    key: str = "text"
    from_name: str = "label"
    to_name: str = "text"
    labels: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, config: str) -> _Interface:
        """Read the XML of an interface.

        RAISES (RequestError): If it has no labels for a text.
        """
        try:
            root = parse_xml(config, forbid_dtd=True)
        except FormatError:
            raise RequestError(422, "the labelling interface is not valid XML") from None
        texts = {text.get("name", ""): text for text in root.iter("Text")}
        for labels in root.iter("Labels"):
            text = texts.get(labels.get("toName", ""))
            if text is None:
                continue
            if text.get("valueType") == "url":
                raise RequestError(
                    422, "the server fetches no URLs: import tasks with the texts themselves"
                )
            key = text.get("value", "").removeprefix("$")
            names = dict(_type_and_name(label.get("value", "")) for label in labels.iter("Label"))
            return cls(key, labels.get("name", ""), text.get("name", ""), names)
        raise RequestError(422, "the labelling interface has no Labels for a Text")

    def prediction(self, text: str, result: Result) -> Prediction:
        """What was found in a text."""
        if result.error:
            return Prediction(result=[], score=0.0, model_version=f"withheld: {result.error}")
        spans, origins = result.found.spans, result.found.origins
        regions = dump_regions(text, spans, from_name=self.from_name, to_name=self.to_name)
        for span, region in zip(spans, regions, strict=True):
            region["value"]["labels"] = [self.labels.get(span.type, span.type)]
            region["score"] = origins.get(span.start, UNKNOWN_ORIGIN).score
        scores = [region["score"] for region in regions]
        return Prediction(result=regions, score=min(scores, default=1.0))


def _type_and_name(label: str) -> tuple[str, str]:
    try:
        return normalize_type(label), label
    except ValueError:
        return label, label
