"""Label Studio's JSON: tasks with predictions to import, and the export with annotations.

A task's "data" holds the note's "text" and "id". Its PHI is that of the annotation, or else of the
last prediction. Other kinds of results (choices, relations) are ignored.

Label Studio counts characters (checked with 1.23), but its versions before 1.4 and some browsers
counted UTF-16 units, or CRLF as one. Where the text of the regions shows that, the offsets are
corrected.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..annotation.notes import Note, PhiSpan
from ..files import FormatError, read_bytes, replacing
from .base import CorpusFormat, check_covered, note_files
from .jsonl import note_id
from .offsets import places, unit_offsets

_UNITS = tuple(
    {"utf16": utf16, "crlf_as_one": crlf} for crlf in (False, True) for utf16 in (False, True)
)


def entries(path: Path) -> Iterator[tuple[str, Any]]:
    """The tasks of a file, or of each file of a folder."""
    for file in note_files(path, ".json"):
        try:
            content = json.loads(read_bytes(file))
        except (ValueError, RecursionError):
            content = None
        tasks = content if isinstance(content, list) else [content]
        for number, task in enumerate(tasks, 1):
            yield f"{file}, task {number}", task


def load(task: Any) -> Note:
    """Read a note from a task."""
    data = task.get("data") if isinstance(task, dict) else None
    if not isinstance(data, dict) or not isinstance(data.get("text"), str):
        raise FormatError('it is not JSON of tasks with "data" that hold a string as "text"')
    name = note_id({"id": task.get("id"), **data}, "id")
    return Note(name, data["text"], _load_spans(_regions(task), data["text"]))


def dump(note: Note) -> bytes:
    """Write a note as a task with a prediction."""
    prediction = {"model_version": "spacy-deid", "result": dump_regions(note.text, note.spans)}
    data = {"id": note.id, "text": note.text}
    task = {"data": data, "predictions": [prediction]}
    return json.dumps(task, ensure_ascii=False).encode("utf-8")


def dump_regions(
    text: str, spans: Iterable[PhiSpan], *, from_name: str = "label", to_name: str = "text"
) -> list[dict[str, Any]]:
    """The result of a prediction.

    from_name, to_name (str): Names of the `Labels` and of the `Text` in the labelling interface.
    """
    return [
        {
            "id": f"phi{number}",
            "from_name": from_name,
            "to_name": to_name,
            "type": "labels",
            "value": {
                "start": span.start,
                "end": span.end,
                "text": text[span.start : span.end],
                "labels": [span.type],
            },
        }
        for number, span in enumerate(spans, 1)
    ]


def save(path: Path, dumped: Iterable[bytes]) -> None:
    """Write tasks to one file."""
    with replacing(path) as file:
        before = b"[\n"
        for task in dumped:
            file.write(before + task)
            before = b",\n"
        file.write(b"[]\n" if before == b"[\n" else b"\n]\n")


def _regions(task: Mapping[str, Any]) -> list[Any]:
    """The regions of the one annotation that counts, or else of the last prediction."""
    annotations = _objects(task, "annotations") or _objects(task, "completions")
    if not annotations:
        predictions = _objects(task, "predictions")
        if not predictions and "annotations" in task:  # an export names predictions by number only
            raise FormatError("nobody annotated it, and it holds no prediction")
        return _labelled(predictions[-1]) if predictions else []
    done = [each for each in annotations if not each.get("was_cancelled")]
    chosen = [each for each in done if each.get("ground_truth")] or done
    if not chosen:
        raise FormatError("its annotators skipped it")
    regions = [_labelled(each) for each in chosen]
    if any(_content(rows) != _content(regions[0]) for rows in regions):
        raise FormatError(
            f"it has {len(chosen)} annotations that differ; mark one as the ground truth"
        )
    return regions[0]


def _labelled(annotation: Mapping[str, Any]) -> list[Any]:
    """The results that are labels of the text."""
    rows = _objects(annotation, "result")
    return [row for row in rows if str(row.get("type")).endswith("labels")]


def _objects(record: Mapping[str, Any], key: str) -> list[Any]:
    value = record.get(key)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _value(row: Mapping[str, Any]) -> Mapping[str, Any]:
    value = row.get("value")
    return value if isinstance(value, dict) else {}


def _content(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What annotators agree on: the regions without their ids, in any order."""
    keys = ("start", "end", "labels")
    return sorted(json.dumps([_value(row).get(key) for key in keys]) for row in rows)


def _load_spans(rows: Sequence[Mapping[str, Any]], text: str) -> tuple[PhiSpan, ...]:
    for units in _UNITS:
        with suppress(FormatError):
            return tuple(_spans_in(rows, text, places(unit_offsets(text, **units))))
    return tuple(_spans_in(rows, text, places(unit_offsets(text))))  # raises the error


def _spans_in(
    rows: Sequence[Mapping[str, Any]], text: str, place: Mapping[int, int]
) -> Iterator[PhiSpan]:
    for number, row in enumerate(rows):
        name, value = str(row.get("id", number)), _value(row)
        if not isinstance(value.get("labels"), list):
            raise FormatError(f"region {name} is not one of a Text, the only kind that can be read")
        if not value["labels"]:
            raise FormatError(f"region {name} has no label")
        start, end = value.get("start"), value.get("end")
        if type(start) is not int or type(end) is not int:
            raise FormatError(f"region {name} has no whole numbers for start and end")
        for label in value["labels"]:
            span = PhiSpan(place.get(start, -1), place.get(end, -1), str(label), name)
            if isinstance(value.get("text"), str):
                _check_text(text, span, value["text"])
            yield span


def _check_text(text: str, span: PhiSpan, covered: str) -> None:
    """Check the text of a region, in which Label Studio may write line ends as backslash and n."""
    with suppress(FormatError):
        check_covered(text, [span], covered)
        return
    check_covered(text, [span], covered.replace("\\n", "\n"))


LABEL_STUDIO = CorpusFormat("label-studio", (), False, entries, load, dump, save)
