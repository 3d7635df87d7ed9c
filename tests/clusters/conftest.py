"""A model that the workers of a cluster can load: the toy pipeline as an installed package."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

KEY = "a canary of a secret 4711"

PACKAGE = '''
import os, re, signal
from pathlib import Path
from spacy.language import Language
from toy_pipeline import make_toy_pipeline

@Language.component("toy_killer_once")
def toy_killer_once(doc):
    """Kills its process unless there is a file, which it writes before."""
    for name in re.findall(r"ONCE (\\S+)", doc.text):
        if not Path(name).exists():
            Path(name).touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return doc

def load(**settings):
    nlp = make_toy_pipeline()
    nlp.add_pipe("toy_killer", first=True)
    nlp.add_pipe("toy_killer_once", first=True)
    return nlp
'''


@pytest.fixture(scope="session")
def packages(tmp_path_factory) -> Path:
    """A folder for PYTHONPATH with the package `cluster_toy`, a model."""
    folder = tmp_path_factory.mktemp("packages")
    (folder / "cluster_toy.py").write_text(PACKAGE)
    shutil.copy(Path(__file__).parents[1] / "toy_pipeline.py", folder)
    info = folder / "cluster_toy-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: cluster_toy\nVersion: 1.0\n")
    return folder


@pytest.fixture(scope="session")
def cluster_environment(packages) -> dict[str, str]:
    """The environment of a cluster: its workers have the key and the model."""
    paths = [str(packages), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "PYSPARK_PYTHON": sys.executable,
        "SPACY_DEID_KEY": KEY,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


@pytest.fixture(scope="session")
def spark(cluster_environment, tmp_path_factory):
    """A real local cluster with two workers, which runs a task up to four times."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in cluster_environment.items():
            patch.setenv(name, value)
        folder = tmp_path_factory.mktemp("spark")
        builder = sql.SparkSession.builder.master("local[2,4]").appName("tests")
        settings = {
            "spark.ui.enabled": "false",
            "spark.sql.warehouse.dir": str(folder),
            "spark.sql.shuffle.partitions": "2",
            "spark.log.level": "OFF",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        yield session
        session.stop()
