"""Jobs: files that are redacted while nobody waits, and that no restart loses."""

from __future__ import annotations

import json
import time
from uuid import uuid4

import pytest
from serving import serving

from spacy_deid.http.audit import AuditLog, check_audit_log
from spacy_deid.http.settings import token_digest
from spacy_deid.redaction import RedactionError
from spacy_deid.serve.app import create_app
from spacy_deid.serve.jobs import Job
from spacy_deid.serve.settings import ServeSettings

LINES = [{"id": "a", "text": "Seen Maria."}, {"id": "b", "text": "BOOM"}, {"id": "c", "text": "x"}]
JSONL = "".join(f"{json.dumps(line)}\n" for line in LINES)
CANARY = "Zyzzogeton"


def send(client, content=JSONL, **params):
    answer = client.post("/v1/jobs", content=content, params={"format": "jsonl", **params})
    assert answer.status_code == 202, answer.text
    assert answer.headers["location"] == f"/v1/jobs/{answer.json()['id']}"
    return answer.headers["location"]


def wait(client, path):
    while (job := client.get(path).json())["state"] in ("waiting", "running"):
        time.sleep(0.05)
    return job


def stored_text(folder):
    """What all files hold when the jobs have ended."""
    while list(folder.glob("*/input")):
        time.sleep(0.05)
    return "".join(file.read_text() for file in folder.rglob("*") if file.is_file())


def test_a_file_is_redacted_and_nothing_else_is_left(serve, tmp_path):
    log = tmp_path / "audit.jsonl"
    client = serve(jobs=tmp_path / "jobs", audit_log=log)
    path = send(client)
    job = wait(client, path)
    assert (job["state"], job["notes"], job["withheld"]) == ("done", 2, 1)
    assert job["phi"] == {"PATIENT": 1} and job["kept"] == ["id"]
    assert job["failures"][0]["row"] == "2" and "toy_detector" in job["failures"][0]["error"]
    result = client.get(f"{path}/result")
    texts = [json.loads(line)["text"] for line in result.text.splitlines()]
    assert texts == ["Seen [PATIENT].", None, "x"]
    assert json.loads(client.get(f"{path}/manifest").text.splitlines()[-1])["end"]["notes"] == 2
    assert "Maria" not in stored_text(tmp_path / "jobs")
    assert client.delete(path).status_code == 204 and client.get(path).status_code == 404
    assert [file.name for file in (tmp_path / "jobs").iterdir()] == [".lock"]
    assert check_audit_log(log).lines >= 6


def lines_of(log):
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_a_job_is_counted_once_when_it_ends(serve, tmp_path):
    log = tmp_path / "audit.jsonl"
    client = serve(jobs=tmp_path / "jobs", audit_log=log)
    path = send(client)
    job = wait(client, path)
    while not any("state" in line for line in lines_of(log)):
        time.sleep(0.02)
    for _ in range(3):
        assert client.get(f"{path}/result").status_code == 200
    metrics = client.get("/metrics").text
    for line in ("notes_total 2", "withheld_total 1", "characters_total 16", 'phi_total{type="P'):
        assert f"deid_{line}" in metrics
    lines = lines_of(log)
    assert {line["job"] for line in lines if line.get("path") != "/metrics"} == {job["id"]}
    counts = {"notes": 3, "withheld": 1, "characters": 16, "phi": {"PATIENT": 1}}
    (end,) = [line for line in lines if line["notes"]]
    assert {"state": "done", **counts}.items() <= end.items()


def test_a_job_whose_end_cannot_be_written_is_counted_later(serve, tmp_path, monkeypatch):
    write = AuditLog.write
    failures = iter(range(2))

    def write_later(self, **entry):
        if "state" in entry and next(failures, None) is not None:
            raise OSError(28, "No space left on device")
        write(self, **entry)

    monkeypatch.setattr("spacy_deid.serve.jobs._PAUSE", 0.01)
    monkeypatch.setattr(AuditLog, "write", write_later)
    log = tmp_path / "audit.jsonl"
    client = serve(jobs=tmp_path / "jobs", audit_log=log)
    send(client)
    while "deid_notes_total 2.0" not in client.get("/metrics").text:
        time.sleep(0.02)
    assert next(failures, None) is None
    assert sum("state" in line for line in lines_of(log)) == 1


def test_a_job_that_ended_uncounted_is_counted_once_after_a_restart(nlp, tmp_path):
    log, jobs = tmp_path / "audit.jsonl", tmp_path / "jobs"
    stored(jobs, state="done", notes=2)
    with serving(nlp, jobs=jobs, audit_log=log) as client:
        while "deid_notes_total 2.0" not in client.get("/metrics").text:
            time.sleep(0.02)
    assert not list(jobs.glob("*/input"))
    with serving(nlp, jobs=jobs, audit_log=log) as client:
        send(client)
        while "deid_notes_total 2.0" not in client.get("/metrics").text:  # those of the other job
            time.sleep(0.02)
    assert [line["notes"] for line in lines_of(log) if "state" in line] == [2, 3]


def test_a_job_is_not_deleted_before_it_is_counted(serve, tmp_path, monkeypatch):
    write = AuditLog.write

    def write_requests(self, **entry):
        if "state" in entry:
            raise OSError(28, "No space left on device")
        write(self, **entry)

    monkeypatch.setattr(AuditLog, "write", write_requests)
    log = tmp_path / "audit.jsonl"
    client = serve(jobs=tmp_path / "jobs", audit_log=log)
    path = send(client)
    wait(client, path)
    assert client.delete(path).status_code == 503
    assert wait(client, path)["state"] == "done"
    monkeypatch.undo()
    assert client.delete(path).status_code == 204
    assert [line["notes"] for line in lines_of(log) if "state" in line] == [3]


def test_without_a_folder_there_are_no_jobs(client):
    answer = client.post("/v1/jobs", content=JSONL, params={"format": "jsonl"})
    assert answer.status_code == 404 and "--jobs" in answer.json()["error"]


@pytest.mark.parametrize(
    ("params", "content", "status", "error"),
    [
        ({}, JSONL, 422, "query.format: "),
        ({"format": CANARY}, JSONL, 422, "query.format: "),
        ({"format": "csv", "policy": CANARY}, JSONL, 422, "query.policy: "),
        ({"format": "csv", CANARY: "1"}, JSONL, 422, "query: "),
        ({"format": "csv"}, "", 422, "the body is empty"),
        ({"format": "csv"}, "a" * 2001, 413, "the body is larger than 2,000 bytes"),
    ],
)
def test_what_cannot_be_a_job_is_refused_and_leaves_nothing(
    serve, tmp_path, params, content, status, error
):
    client = serve(jobs=tmp_path, max_upload=2000, max_body=1000)
    for body in (content, iter([content.encode()])):  # with its length, and without
        answer = client.post("/v1/jobs", content=body, params=params)
        assert answer.status_code == status and answer.json()["error"].startswith(error)
        assert CANARY not in answer.text
    assert [file.name for file in tmp_path.iterdir()] == [".lock"]
    send(client, JSONL + " " * 1500)  # a job may be larger than other requests


def test_a_job_that_fails_says_why_without_text(serve, tmp_path):
    client = serve(jobs=tmp_path)
    path = send(client, f"id,txt\n1,{CANARY}\n", format="csv", text_column="note")
    job = wait(client, path)
    assert job["state"] == "failed" and "(text_column)" in job["error"]
    assert CANARY not in job["error"] and str(tmp_path) not in job["error"]
    answer = client.get(f"{path}/result")
    assert answer.status_code == 409 and "failed" in answer.json()["error"]
    assert CANARY not in stored_text(tmp_path)


def test_a_withheld_note_has_no_result(serve, tmp_path):
    client = serve(jobs=tmp_path)
    path = send(client, "BOOM", format="text")
    assert wait(client, path)["withheld"] == 1
    answer = client.get(f"{path}/result")
    assert answer.status_code == 422 and answer.json()["error"].startswith("the note is withheld: ")


def test_jobs_belong_to_the_client_that_sent_them(serve, tmp_path):
    tokens = {"correct-horse-battery": "ward", "another-long-secret": "icu"}
    client = serve(jobs=tmp_path, tokens={token_digest(token): tokens[token] for token in tokens})
    ward, icu = ({"Authorization": f"Bearer {token}"} for token in tokens)
    client.headers.update(ward)
    path = send(client)
    wait(client, path)
    for end in ("", "/result", "/manifest"):
        assert client.get(f"{path}{end}").status_code == 200
        assert client.get(f"{path}{end}", headers=icu).status_code == 404
    assert client.delete(path, headers=icu).status_code == 404
    assert client.get("/v1/jobs/..%2F..%2Fetc").status_code in (404, 422)


def test_jobs_belong_to_the_user_that_the_proxy_names(serve, tmp_path):
    client = serve(jobs=tmp_path, behind_proxy=True, user_header="X-Forwarded-User")
    client.headers["X-Forwarded-User"] = "maria"
    path = send(client)
    assert wait(client, path)["state"] == "done"
    assert client.get(path, headers={"X-Forwarded-User": "john"}).status_code == 404


def test_without_its_line_in_the_audit_log_no_job_begins_or_is_deleted(
    serve, tmp_path, monkeypatch
):
    def full(self, line):
        raise OSError(28, "No space left on device")

    client = serve(jobs=tmp_path / "jobs", audit_log=tmp_path / "audit.jsonl")
    path = send(client)
    job = wait(client, path)
    monkeypatch.setattr(AuditLog, "_append", full)
    answer = client.post("/v1/jobs", content=JSONL, params={"format": "jsonl"})
    assert answer.status_code == 503
    assert client.delete(path).status_code == 503
    assert {file.name for file in (tmp_path / "jobs").iterdir()} == {".lock", job["id"]}
    monkeypatch.undo()
    assert client.get(f"{path}/result").status_code == 200


def test_an_effect_that_fails_after_its_line_has_another(serve, tmp_path, monkeypatch):
    def fail(self, job_id):
        raise OSError(28, "No space left on device")

    log = tmp_path / "audit.jsonl"
    client = serve(jobs=tmp_path / "jobs", audit_log=log)
    path = send(client)
    wait(client, path)
    monkeypatch.setattr("spacy_deid.serve.jobs.Jobs.remove", fail)
    assert client.delete(path).status_code == 500
    statuses = [line["status"] for line in lines_of(log) if "status" in line]
    assert statuses[-2:] == [204, 500]


def test_surrogates_need_a_key_that_a_restart_does_not_change(serve, tmp_path):
    client = serve(jobs=tmp_path, key=None)
    answer = client.post(
        "/v1/jobs", content=JSONL, params={"format": "jsonl", "policy": "surrogate"}
    )
    assert answer.status_code == 422 and "key" in answer.json()["error"]
    assert wait(client, send(client))["notes"] == 2


def stored(folder, **about):
    """A job as a server leaves it that was killed."""
    job = Job("jsonl", **about)
    (folder / job.id / "input").mkdir(parents=True)
    (folder / job.id / "input" / job.file).write_text(JSONL)
    job.save(folder / job.id)
    return f"/v1/jobs/{job.id}"


def test_jobs_go_on_after_a_restart(serve, tmp_path):
    paths = [stored(tmp_path), stored(tmp_path, state="running")]
    sent = tmp_path / f".{uuid4().hex}"
    (sent / "input").mkdir(parents=True)
    client = serve(jobs=tmp_path)
    assert not sent.exists()
    assert [wait(client, path)["notes"] for path in paths] == [2, 2]


def test_what_a_server_has_not_written_stays_in_the_folder_of_jobs(serve, tmp_path):
    others = [tmp_path / name for name in (".git", "ward/input", f"{uuid4().hex}/input")]
    for folder in others:
        folder.mkdir(parents=True)
        (folder / "a.txt").write_text("text")
    serve(jobs=tmp_path)
    assert all((folder / "a.txt").exists() for folder in others)


def test_a_job_whose_policy_is_gone_fails_and_the_next_goes_on(serve, tmp_path):
    gone = stored(tmp_path, policy="hospital", created="2026-01-01")
    other = stored(tmp_path, created="2026-01-02")
    client = serve(jobs=tmp_path)
    assert wait(client, gone)["state"] == "failed"
    assert "unknown style or policy 'hospital'" in client.get(gone).json()["error"]
    assert wait(client, other)["state"] == "done"


def test_a_job_that_runs_or_waits_can_be_deleted(serve, tmp_path):
    client = serve(jobs=tmp_path)
    paths = [send(client, JSONL * 500) for _ in range(3)]
    while client.get(paths[0]).json()["state"] == "waiting":
        time.sleep(0.02)
    for path in paths[:2]:
        assert client.delete(path).status_code == 204
    assert wait(client, paths[2])["notes"] == 1000


def test_jobs_go_on_after_a_full_disk(serve, tmp_path, monkeypatch):
    save, failures = Job.save, iter(range(2))

    def save_later(job, folder):
        if job.state == "running" and next(failures, None) is not None:
            raise OSError(28, "No space left on device")
        save(job, folder)

    monkeypatch.setattr("spacy_deid.serve.jobs._PAUSE", 0.01)
    monkeypatch.setattr(Job, "save", save_later)
    client = serve(jobs=tmp_path)
    paths = [send(client), send(client)]
    assert [wait(client, path)["notes"] for path in paths] == [2, 2]
    assert next(failures, None) is None


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_server_that_works_on_no_jobs_any_more_is_not_ready(serve, tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_deid.serve.jobs.process_context", lambda: None)
    stored(tmp_path)
    client = serve(jobs=tmp_path)
    while client.get("/readyz").status_code != 503:
        time.sleep(0.02)
    assert client.get("/livez").text == "ok"


@pytest.mark.slow
def test_a_note_that_kills_the_process_is_withheld(serve, tmp_path, nlp):
    nlp.add_pipe("toy_killer", first=True)
    client = serve(jobs=tmp_path)
    path = send(client, JSONL.replace("BOOM", "DIE"))
    job = wait(client, path)
    assert (job["state"], job["notes"], job["withheld"]) == ("done", 2, 1)
    assert "died" in job["failures"][0]["error"]


def test_two_servers_do_not_share_jobs(serve, tmp_path, nlp):
    serve(jobs=tmp_path)
    with pytest.raises(RedactionError, match="another server uses the jobs"):
        create_app(nlp, ServeSettings(jobs=tmp_path))
