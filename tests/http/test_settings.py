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


@pytest.mark.parametrize(
    "name", ["deid.lab:8443", "*.lab", "https://deid.lab", "deid.lab/", "::1", "[::1]:80", "dé", ""]
)
def test_host_names_that_no_request_has_are_refused(name):
    with pytest.raises(RedactionError, match="without scheme, port"):
        HttpSettings(allowed_hosts=(name,))
    assert "[::1]" in HttpSettings(allowed_hosts=("[::1]", "deid-1.lab")).hosts


def test_tls_needs_both_files(tls, tmp_path):
    with pytest.raises(RedactionError, match="both"):
        HttpSettings(certificate=tls["certificate"])
    with pytest.raises(RedactionError, match="does not exist"):
        HttpSettings(**{**tls, "private_key": tmp_path / "none.pem"})


def test_a_header_names_the_user_only_behind_a_proxy():
    with pytest.raises(RedactionError, match="only behind a proxy"):
        HttpSettings(user_header="X-Forwarded-User")


def test_tokens_come_from_a_file_or_the_environment(tmp_path, monkeypatch):
    file = tmp_path / "tokens.txt"
    file.write_text("ward correct-horse-battery\n\nanother-long-secret\n")
    assert find_tokens(file) == {**TOKENS, token_digest("another-long-secret"): "token b2e4b317"}
    monkeypatch.setenv("SPACY_DEID_TOKEN", "correct-horse-battery")
    assert list(find_tokens()) == list(TOKENS)
    monkeypatch.delenv("SPACY_DEID_TOKEN")
    assert find_tokens() == {}


def test_a_client_without_a_name_keeps_its_own_when_another_leaves(tmp_path):
    file = tmp_path / "tokens.txt"
    file.write_text("correct-horse-battery\nanother-long-secret\n")
    both = find_tokens(file)
    file.write_text("another-long-secret\n")
    (left,) = find_tokens(file).items()
    assert left in both.items() and len(set(both.values())) == 2


def test_a_token_file_may_begin_with_a_byte_order_mark(tmp_path):
    file = tmp_path / "tokens.txt"
    file.write_text("correct-horse-battery\n", "utf-8-sig")
    assert list(find_tokens(file)) == list(TOKENS)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "is empty"),
        ("short", "line 1: a token needs 16 characters"),
        ("\nward short", "line 2: a token needs"),
        ("a b correct-horse-battery", "line 1: a token needs"),
        ("correct-hörse-battery", "line 1: a token needs .* ASCII"),
        ("a correct-horse-battery\n\nb correct-horse-battery", "one token on lines 1 and 3"),
        (None, "cannot be read: No such file"),
    ],
)
def test_bad_token_files_are_refused(tmp_path, content, reason):
    file = tmp_path / "tokens.txt"
    if content is not None:
        file.write_text(content, "utf-8")
    with pytest.raises(RedactionError, match=reason) as error:
        find_tokens(file)
    assert str(file) in str(error.value)
    assert "short" not in str(error.value) and "battery" not in str(error.value)
