"""`spacy-deid check-audit`."""

from __future__ import annotations

from typer.testing import CliRunner

from spacy_deid.cli import app
from spacy_deid.http.audit import AuditLog


def test_a_log_is_intact_or_broken(tmp_path):
    log = tmp_path / "audit.jsonl"
    audit = AuditLog(log)
    audit.write(who="ward")
    audit.close()
    result = CliRunner().invoke(app, ["check-audit", str(log)])
    assert result.exit_code == 0 and audit.last in result.stdout
    log.write_text(log.read_text().replace("ward", "icu"))
    result = CliRunner().invoke(app, ["check-audit", str(log)])
    assert result.exit_code == 2 and "broken at line 1" in result.stderr
    result = CliRunner().invoke(app, ["check-audit", str(tmp_path / "none.jsonl")])
    assert result.exit_code == 2 and "none.jsonl" in result.stderr


def test_a_log_in_several_files_is_checked_in_order(tmp_path):
    log, before = tmp_path / "audit.jsonl", tmp_path / "before.jsonl"
    audit = AuditLog(log)
    audit.write(who="ward")
    end = audit.last
    log.rename(before)
    audit.write(who="ward")
    audit.close()
    both = CliRunner().invoke(app, ["check-audit", str(before), str(log)])
    assert both.exit_code == 0 and "lines: 2" in both.stdout and audit.last in both.stdout
    alone = CliRunner().invoke(app, ["check-audit", str(log)])
    assert alone.exit_code == 0 and end in alone.stderr
    assert CliRunner().invoke(app, ["check-audit", str(log), str(before)]).exit_code == 2
