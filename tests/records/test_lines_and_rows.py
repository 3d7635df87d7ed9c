"""Text, JSON lines, CSV and TSV."""

from __future__ import annotations

import csv
import io
import json
import random
from decimal import Decimal

import pytest
from records_helpers import errors, run, texts

from spacy_deid.ids import id_text
from spacy_deid.records import RECORD_FORMATS, Fields, FormatError, format_of


def same(text):
    return text


@pytest.mark.parametrize(
    "name, format",
    [("a.TXT", "text"), ("a.b.jsonl", "jsonl"), ("a.tsv", "tsv"), ("a.doc", None), ("a", None)],
)
def test_format_of_a_file(name, format, tmp_path):
    found = format_of(tmp_path / name)
    assert (found.name if found else None) == format


def test_suffixes_are_each_of_one_format():
    suffixes = [suffix for each in RECORD_FORMATS.values() for suffix in each.suffixes]
    assert len(suffixes) == len(set(suffixes))


@pytest.mark.parametrize("data", [b"", b"a\r\nb\rc\n", b"\xef\xbb\xbfa\x00"])
def test_text_keeps_bytes(data):
    assert run("text", data, new=same)[1] == data


def test_text_that_is_not_utf8_is_withheld():
    assert run("text", b"Maria \xff")[0][0].error == "it is not valid UTF-8"
    data = "Maria came".encode("utf-16-le")
    assert run("text", data)[0][0].error == "it is UTF-16 or UTF-32, and not UTF-8"


LINES = (
    b'\xef\xbb\xbf{"id": 3, "x": 1.00,  "text":"a \\u00e9 \\"b\\"", "n": {"text": "in"} }\r\n'
    b'\n{"text": "c", "y": [1, 2e5]}'
)


def test_jsonl_changes_the_text_alone():
    records, out = run("jsonl", LINES)
    assert [(record.row, record.id, record.text) for record in records] == [
        ("1", "3", 'a é "b"'),
        ("3", "", "c"),
    ]
    assert out == LINES.replace(rb'"a \u00e9 \"b\""', '"A É \\"B\\""'.encode()).replace(
        b'"c"', b'"C"'
    )


def test_jsonl_of_a_corpus_loses_what_tells_of_its_text():
    line = {"text": "Maria", "spans": [{"text": "Maria", "start": 0}], "tokens": ["Maria"]}
    _, out = run("jsonl", json.dumps(line).encode(), new=lambda text: "[PATIENT]")
    assert json.loads(out) == {"text": "[PATIENT]", "spans": [], "tokens": []}


@pytest.mark.parametrize(
    "line, error, left",
    [
        (b'{"text": "Maria"', "it is not valid JSON", b"null"),
        (b'{"text": "Maria"} x', "it is not valid JSON", b"null"),
        (b"[" * 50_000, "it is nested too deeply to be read", b"null"),
        (b'["Maria"]', "it has no 'text'", b"null"),
        (b'{"note": "Maria"}', "it has no 'text'", b"null"),
        (b'{"text": ["Maria"]}', "its 'text' is not a string", b'{"text": null}'),
        (b'{"text": "Maria \xff"}', "it is not valid UTF-8", b"null"),
    ],
)
def test_jsonl_withholds_what_it_cannot_read(line, error, left):
    records, out = run("jsonl", b'{"text": "a"}\n' + line + b"\n")
    assert errors(records) == {"2": error}
    assert out == b'{"text": "A"}\n' + left + b"\n"


def test_jsonl_both_of_two_equal_keys_are_changed():
    _, out = run("jsonl", b'{"text": "a", "text": "b"}')
    assert out == b'{"text": "A", "text": "B"}'


def test_jsonl_null_is_no_text():
    assert run("jsonl", b'{"text": null}') == ([], b'{"text": null}')


@pytest.mark.parametrize("patient", ["[4711]", '{"value": 4711}'])
def test_jsonl_withholds_a_note_whose_patient_is_no_single_value(patient):
    line = f'{{"text": "Maria", "mrn": {patient}}}'.encode()
    records, out = run("jsonl", line, Fields(patient="mrn"))
    assert errors(records) == {"1": "its patient id is not a single value"}
    assert b'"text": null' in out


def test_jsonl_several_keys_and_patients():
    fields = Fields(("a", "b"), patient="mrn")
    records, out = run("jsonl", b'{"a": "x", "b": "y", "mrn": 7, "text": "z"}', fields)
    assert [(record.row, record.patient_id) for record in records] == [("1/a", "7"), ("1/b", "7")]
    assert out == b'{"a": "X", "b": "Y", "mrn": 7, "text": "z"}'
    assert errors(run("jsonl", b'{"a": "x", "b": "y"}', fields)[0]) == {"1": "it has no 'mrn'"}


ROWS = b'\xef\xbb\xbf"id",text,n\r\n1,"a ""b"",\r\n c",3.0\r\n\r\n2,plain,"q"\r\n"3",5" tall,\r\n'


def test_csv_changes_the_text_alone():
    records, out = run("csv", ROWS)
    assert [(record.row, record.id) for record in records] == [("1", "1"), ("3", "2"), ("4", "3")]
    assert texts(records) == ['a "b",\r\n c', "plain", '5" tall']
    expected = ROWS.replace(b'"a ""b"",\r\n c"', b'"A ""B"",\r\n C"')
    assert out == expected.replace(b"plain", b"PLAIN").replace(b"tall", b"TALL")


@pytest.mark.parametrize("new", ["x,y", "x\ny", '"x"', "x\ry", "", " "])
def test_csv_quotes_what_has_to_be(new):
    _, out = run("csv", b"text,n\na,1\n", new=lambda _: new)
    assert list(csv.reader(io.StringIO(out.decode(), newline="")))[1] == [new, "1"]


def test_csv_random_tables_come_back():
    """What the csv module writes, in all its ways, is read as it reads it and kept to the byte."""
    draw = random.Random(5)
    for number in range(300):
        file = io.StringIO(newline="")
        quoting = draw.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC])
        delimiter = draw.choice(",\t")
        end = draw.choice(["\n", "\r\n"])
        writer = csv.writer(file, quoting=quoting, delimiter=delimiter, lineterminator=end)
        cells = ["".join(draw.choices('ab",\t\n\r é', k=draw.randrange(6))) for _ in range(8)]
        if delimiter == "\t":  # which in a cell of several lines may be that of several rows
            cells = [cell.replace("\t", " ") if "\n" in cell else cell for cell in cells]
        rows = [["text", "n"], *zip(cells[::2], cells[1::2], strict=True)]
        writer.writerows(rows)
        data = file.getvalue().encode()
        records, out = run("csv" if delimiter == "," else "tsv", data, new=same)
        assert out == data, number
        assert texts(records) == cells[::2]


@pytest.mark.parametrize("row", [b'1,"a"b,x', b"1,a", b"1,a,b,Maria", b'1,"Maria" ,x'])
def test_csv_rows_with_other_cells_are_emptied(row):
    records, out = run("csv", b"id,text,n\n" + row + b"\n2,b,c\n")
    assert errors(records) == {"1": "its quotes or its number of cells are wrong"}
    assert out == b"id,text,n\n,,\n2,B,c\n"


def test_tsv_may_hold_quotes_that_enclose_nothing():
    rows = [
        b'1\t"a" b\n',
        b'"2\tc\r\n',
        b'3\t"d\r\n',
        b'4\t"e ""f"\n',
        b'5\t"g\n ""h"""\n',
        b'6\t"i\tj"\n',
        b'7\t"k',
    ]
    data = b"id\ttext\n" + b"".join(rows)
    records, out = run("tsv", data)
    assert texts(records) == ['"a" b', "c", '"d', 'e "f', 'g\n "h"', "i\tj", '"k']
    assert [record.id for record in records] == ["1", '"2', *"34567"]
    assert out == b"id\ttext\n" + b"".join(rows).upper() and run("tsv", data, new=same)[1] == data
    _, out = run("tsv", b'text\tn\n"a\t1\nb\tc\td\n', new=lambda _: "x")
    assert out == b"text\tn\nx\t1\n\t\n"


def test_tsv_lines_that_may_be_one_row_or_several_are_emptied():
    data = b'id\ttitle\ttext\n1\t"urgent\ta\n2\tvisit\tb\n3\twound 5"\tc\n4\tvisit\td\n'
    records, out = run("tsv", data)
    assert [each.text for each in records if not each.error] == ["d"]
    assert out == b"id\ttitle\ttext\n" + b"\t\t\n" * 3 + b"4\tvisit\tD\n"
    quoted = b'id\ttext\n1\t"a\nb"\n2\t"c\n\td\te"\n3\tf\n'
    assert [each.text for each in run("tsv", quoted)[0]] == ["a\nb", "c\n\td\te", "f"]


def test_tsv_of_one_column_has_notes_of_several_lines():
    records, out = run("tsv", b'text\n"a\nb"\nc\n"d\n\ne"\n')
    assert [each.text for each in records] == ["a\nb", "c", "d\n\ne"]
    assert out == b'text\n"A\nB"\nC\n"D\n\nE"\n'


def test_tsv_ids_are_the_same_with_and_without_quoting():
    data = b'id\tpid\ttext\n"1"\t"7"\tMaria Zorg\n"2"\t"7"\t"Maria "M" Zorg"\n"\t7"\tx\n'
    records, out = run("tsv", data, Fields(patient="pid"), same)
    assert texts(records) == ["Maria Zorg", '"Maria "M" Zorg"', "x"]
    assert [record.id for record in records] == ["1", "2", '"']
    assert [record.patient_id for record in records] == ["7", "7", '7"']
    assert out == data


@pytest.mark.parametrize("line", [b'"a ""b""\t1\n', b'5"\t"abc\n', b'"a" b\t"1\n'])
def test_tsv_with_many_open_quotes_takes_no_time(line):
    rows = b"text\tn\n" + line * 20_000 + b"a\t1\n" * 20_000
    chunks = RECORD_FORMATS["tsv"].read(io.BytesIO(rows), Fields())
    assert sum(len(chunk.records) for chunk in chunks) == 40_000


def test_csv_cell_that_is_not_utf8_is_emptied():
    records, out = run("csv", b"id,text\n\xff,a\nb,Maria\xff\n")
    assert errors(records) == {"2": "it is not valid UTF-8"}
    assert out == b"id,text\n\xff,A\nb,\n"


def test_csv_open_quote_ends_the_file():
    chunks = RECORD_FORMATS["csv"].read(io.BytesIO(b'id,text\n1,a\n2,"Maria\n3,Lopez\n'), Fields())
    assert texts(next(chunks).records + next(chunks).records) == ["a"]
    with pytest.raises(FormatError, match="a quote opens and never closes"):
        next(chunks)


@pytest.mark.parametrize(
    "format, data", [("csv", b",text\n0,a\n"), ("jsonl", b'{"": 7, "text": "a"}\n')]
)
def test_a_column_without_a_name_is_no_patient(format, data):
    (record,), _ = run(format, data)
    assert record.patient_id == ""


@pytest.mark.parametrize("header", [b"Maria,Lopez", b"text,text", b'"text'])
def test_csv_needs_its_column_once(header):
    with pytest.raises(FormatError) as caught:
        run("csv", header + b"\na,b\n")
    assert "Maria" not in str(caught.value)


def test_csv_long_cells_take_no_time():
    cell = b'"' + b'line ""x"",\r\n' * 300_000 + b'"'
    records, out = run("csv", b"text\n" + cell + b"\n", new=same)
    assert len(texts(records)[0]) == 300_000 * len('line "x",\r\n')
    assert out == b"text\n" + cell + b"\n"


def test_csv_with_the_line_ends_of_old_macs_is_refused():
    with pytest.raises(FormatError, match="rows end in CR alone"):
        run("csv", b"id,text,date\r1,Maria came,2020\r")


@pytest.mark.parametrize(
    "value, name",
    [
        (4711.0, "4711"),
        (4711, "4711"),
        (1e22, "10000000000000000000000"),
        ("4711.0", "4711"),
        ("1.10", "1.10"),
        ("v2.0", "v2.0"),
        (" P1 ", "P1"),
        ("4711.00", "4711"),
        (Decimal("4711.0000000000"), "4711"),
        (Decimal("47.10"), "47.1"),
        (Decimal("1234567890123456789012345678901.0"), "1234567890123456789012345678901"),
        (Decimal("4700"), "4700"),
        (None, ""),
        (float("nan"), ""),
        (1.5, "1.5"),
        (b"4711 ", "4711"),
        (b"47\xfc", r"47\xfc"),
    ],
)
def test_an_id_is_the_same_however_it_is_held(value, name):
    assert id_text(value) == name
