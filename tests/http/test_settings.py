"""Unsafe settings do not start."""

from __future__ import annotations

import pytest

from spacy_deid.http.settings import HttpSettings, find_tokens, token_digest
from spacy_deid.redaction import RedactionError

TOKENS = {token_digest("correct-horse-battery"): "ward"}


@pytest.fixture
def tls(tmp_path):
    files = tmp_path / "cert.pem", tmp_path / "key.pem"
    for file in files:
        file.touch()
    return dict(zip(("certificate", "private_key"), files, strict=True))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_loopback_needs_nothing(host):
    assert {host, "localhost"} <= HttpSettings(host=host).hosts


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "deid.example"])
def test_other_addresses_need_a_token_and_tls_or_a_proxy(host, tls):
    names = {"host": host, "allowed_hosts": ("deid.example",)}
    for some in ({}, {"tokens": TOKENS}, tls):
        with pytest.raises(RedactionError, match="token"):
            HttpSettings(**names, **some)
    assert HttpSettings(**names, tokens=TOKENS, **tls).hosts == {"deid.example"}
    assert HttpSettings(**names, behind_proxy=True)
    with pytest.raises(RedactionError, match="name the hosts"):
        HttpSettings(host=host, behind_proxy=True)


def test_tls_needs_both_files(tls, tmp_path):
    with pytest.raises(RedactionError, match="both"):
        HttpSettings(certificate=tls["certificate"])
    with pytest.raises(RedactionError, match="does not exist"):
        HttpSettings(**{**tls, "private_key": tmp_path / "none.pem"})


def test_tokens_come_from_a_file_or_the_environment(tmp_path, monkeypatch):
    file = tmp_path / "tokens.txt"
    file.write_text("ward correct-horse-battery\n\nanother-long-secret\n")
    assert find_tokens(file) == {**TOKENS, token_digest("another-long-secret"): "token 2"}
    monkeypatch.setenv("SPACY_DEID_TOKEN", "correct-horse-battery")
    assert list(find_tokens()) == list(TOKENS)
    monkeypatch.delenv("SPACY_DEID_TOKEN")
    assert find_tokens() == {}


@pytest.mark.parametrize("content", ["", "short", "ward short", "a b correct-horse-battery"])
def test_bad_token_files_are_refused(tmp_path, content):
    file = tmp_path / "tokens.txt"
    file.write_text(content)
    with pytest.raises(RedactionError) as error:
        find_tokens(file)
    assert "short" not in str(error.value) and "horse" not in str(error.value)
