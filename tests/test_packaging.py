"""What setup.cfg promises: names, versions, configurations."""

import configparser
import re
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import srsly
from packaging.specifiers import SpecifierSet
from spacy.util import load_config, load_model_from_config, registry

from spacy_deid import __version__

ROOT = Path(__file__).parent.parent
SETUP = configparser.ConfigParser()
SETUP.read(ROOT / "setup.cfg")
PROMISED = [
    (group, *(part.strip() for part in line.split("=")))
    for group, lines in SETUP["options.entry_points"].items()
    for line in lines.strip().splitlines()
]


@pytest.mark.parametrize(("group", "name", "target"), PROMISED)
def test_entry_point_is_installed_and_loads(group, name, target):
    points = list(entry_points(group=group, name=name))
    found = [point.value for point in points]
    assert found == [target], "another setup.cfg is installed; reinstall: pip install -e ."
    loaded = points[0].load()
    if group.startswith("spacy_") and group != "spacy_factories":
        assert getattr(registry, group.removeprefix("spacy_")).get(name) is loaded


def test_versions_agree():
    project = srsly.read_yaml(ROOT / "project.yml")
    (wheel,) = (ROOT / "models").glob("*.whl")
    assert wheel.name == f"en_deid-{project['vars']['version']}-py3-none-any.whl"
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.cfg")), ids=lambda p: p.name)
def test_configuration_builds_a_pipeline(path):
    if path.stem == "en_deid_trf":
        pytest.importorskip("spacy_transformers")
    nlp = load_model_from_config(load_config(path), auto_fill=True)
    assert nlp.pipe_names[-1] == "phi_merger"
    detectors = nlp.get_pipe("phi_merger").detectors
    assert {name for name in nlp.pipe_names if "crf" in name or "tagger" in name} <= set(detectors)
    assert set(detectors) <= set(nlp.pipe_names)
    assert nlp.config["training"]["score_weights"]["phi_token_f2"] == 1.0


def test_the_wheel_of_the_model_goes_with_this_version():
    (wheel,) = (ROOT / "models").glob("*.whl")
    name, version, *_ = wheel.name.split("-")
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"{name}-{version}.dist-info/METADATA").decode()
    (wanted,) = re.findall(r"^Requires-Dist: spacy_deid(.*)$", metadata, re.MULTILINE)
    assert __version__ in SpecifierSet(wanted)
