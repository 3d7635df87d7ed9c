"""The chain of the audit log."""

from __future__ import annotations

import os

import pytest

from spacy_deid.http.audit import AuditLog, check_audit_log
from spacy_deid.redaction import RedactionError


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "audit.jsonl"
    for start in (0, 2):  # the second server goes on where the first ended
        audit = AuditLog(path)
        for number in (start, start + 1):
            audit.write(who="ward", notes=number)
        audit.close()
    return path


def test_a_whole_chain_is_confirmed(log):
    chain = check_audit_log(log)
    assert chain.lines == 4 and chain.begins
    assert chain.last in log.read_text().splitlines()[-1]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda lines: lines[:1] + lines[2:], 2),
        (lambda lines: [lines[1], lines[0], *lines[2:]], 1),
        (lambda lines: [lines[0].replace(b"ward", b"icu"), *lines[1:]], 1),
        (lambda lines: [*lines, lines[-1]], 5),
        (lambda lines: [*lines[:-1], lines[-1][:20]], 4),
        (lambda lines: [*lines[:-1], lines[-1][:-1]], 4),
        (lambda lines: [*lines[:-1], b"[]\n"], 4),
        (lambda lines: [*lines[:-1], b"[" * 100_000 + b"\n"], 4),
        (lambda lines: [lines[0], lines[1].replace(b"{", b'{"who": "icu", '), *lines[2:]], 2),
        (lambda lines: [lines[0], lines[1].replace(b": ", b":"), *lines[2:]], 2),
        (lambda lines: [line.replace(b"\n", b"\r\n") for line in lines], 1),
        (lambda lines: [lines[0], b" " + lines[1], *lines[2:]], 2),
        (lambda lines: [lines[0].replace(b"ward", b"w\\u0061rd"), *lines[1:]], 1),
    ],
)
def test_a_changed_chain_is_found_and_not_continued(log, change, line):
    log.write_bytes(b"".join(change(log.read_bytes().splitlines(keepends=True))))
    with pytest.raises(RedactionError, match=f"broken at line {line}:"):
        check_audit_log(log)
    with pytest.raises(RedactionError, match=f"broken at line {line}:.*; rename it"):
        AuditLog(log)


def test_two_servers_do_not_share_a_log(log):
    audit = AuditLog(log)
    with pytest.raises(RedactionError):
        AuditLog(log)
    audit.close()
    AuditLog(log).close()


def test_a_line_that_does_not_fit_is_not_half_written(log, monkeypatch):
    before = log.read_bytes()
    audit = AuditLog(log)
    write = os.write

    def write_nine(file, data):
        if os.fstat(file).st_size >= len(before) + 9:
            raise OSError(28, "No space left on device")
        return write(file, data[:9])

    monkeypatch.setattr(os, "write", write_nine)
    with pytest.raises(OSError, match="No space left"):
        audit.write(who="ward")
    assert log.read_bytes() == before
    assert not audit.is_ready()
    monkeypatch.undo()
    assert audit.is_ready()
    audit.write(who="ward")
    audit.close()
    assert "a line could not be written" in log.read_text() and check_audit_log(log).lines == 6


def test_a_log_that_is_renamed_or_deleted_goes_on_in_a_new_file(log, tmp_path):
    before, deleted = (tmp_path / f"{name}.jsonl" for name in ("before", "deleted"))
    audit = AuditLog(log)
    log.rename(before)
    log.touch()  # as logrotate does
    audit.write(who="ward", notes=4)
    deleted.write_bytes(log.read_bytes())
    log.unlink()
    audit.write(who="ward", notes=5)
    audit.close()
    audit = AuditLog(log)
    audit.write(who="ward", notes=6)
    audit.close()
    assert [check_audit_log(file).lines for file in (before, deleted, log)] == [4, 1, 2]
    assert check_audit_log(log).before == check_audit_log(deleted).last
    assert check_audit_log(before, deleted, log) == (7, "0" * 64, audit.last)
    for files in ((before, log), (deleted, before), (log, before)):
        with pytest.raises(RedactionError, match="does not go on where"):
            check_audit_log(*files)


@pytest.mark.parametrize("content", [b"", b"x", b"x" * 9999])
def test_a_log_that_another_program_changed_takes_no_line_until_it_is_renamed(
    log, tmp_path, content
):
    audit = AuditLog(log)
    with log.open("wb") as file:  # as copytruncate does
        file.write(content)
    with pytest.raises(OSError, match="rename it"):
        audit.write(who="ward")
    assert log.read_bytes() == content and not audit.is_ready()
    log.rename(tmp_path / "before.jsonl")
    assert audit.is_ready()
    audit.close()
    assert not check_audit_log(log).begins


def test_a_log_needs_its_folder(tmp_path):
    with pytest.raises(RedactionError, match="there is no folder .*gone for the audit log$"):
        AuditLog(tmp_path / "gone" / "audit.jsonl")
