"""What keeps a server from starting, in one sentence."""

from __future__ import annotations

import shutil
import socket
import subprocess

import pytest

from spacy_deid.redaction import RedactionError
from spacy_deid.serve.app import run_server
from spacy_deid.serve.settings import ServeSettings


def test_a_port_in_use(nlp):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = ServeSettings(port=taken.getsockname()[1])
        with pytest.raises(RedactionError, match="cannot listen on 127.0.0.1, port"):
            run_server(nlp, settings, on_start=pytest.fail)


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    """A certificate and its key, also with a passphrase; other keys, a weak pair, and no PEM."""
    folder = tmp_path_factory.mktemp("tls")
    openssl = shutil.which("openssl") or pytest.skip("needs openssl")
    names = ("cert.pem", "key.pem", "other.pem", "secret.pem", "junk.pem", "weak.pem", "ec.pem")
    cert, key, other, secret, junk, weak, ec = (folder / name for name in names)
    junk.write_text("nothing")
    new = [openssl, "req", "-x509", "-nodes", "-subj", "/CN=x", "-newkey"]
    for command in (
        [*new, "rsa:2048", "-keyout", key, "-out", cert],
        [*new, "rsa:2048", "-keyout", other, "-out", folder / "other-cert.pem"],
        [*new, "rsa:512", "-keyout", folder / "weak-key.pem", "-out", weak],
        [openssl, "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", ec],
        [openssl, "pkey", "-aes256", "-passout", "pass:1234", "-in", key, "-out", secret],
    ):
        subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize(
    ("certificate", "key", "reason"),
    [
        ("junk", "key", r"junk.pem is not a certificate in PEM"),
        ("cert", "junk", r"junk.pem is not a private key in PEM"),
        ("cert", "cert", r"cert.pem is not a private key in PEM"),
        ("cert", "other", r"other.pem is not that of the certificate .*cert.pem"),
        ("cert", "ec", r"ec.pem is not that of the certificate .*cert.pem"),
        ("weak", "weak-key", r"weak.pem cannot be used: EE_KEY_TOO_SMALL"),
        ("cert", "secret", r"secret.pem has a passphrase, .*openssl pkey -in .*secret.pem"),
    ],
)
def test_tls_files_that_cannot_be_used_are_named(nlp, tls, certificate, key, reason):
    settings = ServeSettings(certificate=tls / f"{certificate}.pem", private_key=tls / f"{key}.pem")
    with pytest.raises(RedactionError, match=reason):
        run_server(nlp, settings, on_start=pytest.fail)
