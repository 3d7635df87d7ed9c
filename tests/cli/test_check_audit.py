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
