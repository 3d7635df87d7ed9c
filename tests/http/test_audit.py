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
    number, last = check_audit_log(log)
    assert number == 4 and last in log.read_text().splitlines()[-1]


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
    ],
)
def test_a_changed_chain_is_found_and_not_continued(log, change, line):
    log.write_bytes(b"".join(change(log.read_bytes().splitlines(keepends=True))))
    for check in (check_audit_log, AuditLog):
        with pytest.raises(RedactionError, match=f"broken at line {line}:"):
            check(log)


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
    assert "until now" in log.read_text() and check_audit_log(log)[0] == 6


def test_a_log_needs_its_folder(tmp_path):
    with pytest.raises(RedactionError, match="there is no folder .*gone for the audit log$"):
        AuditLog(tmp_path / "gone" / "audit.jsonl")
