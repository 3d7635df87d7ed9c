from pathlib import Path

import numpy as np
import pytest
from spacy.vocab import Vocab

from spacy_deid.crf.clusters import WordClusters, cluster_vectors, read_brown


def brown_of(tmp_path: Path, text: str) -> WordClusters:
    path = tmp_path / "paths"
    path.write_text(text, "utf8")
    return read_brown(path)


def test_brown_paths_by_word(tmp_path):
    clusters = brown_of(tmp_path, "0010\tWill\t7\n111\twill\t9\n0010\tJos\u00e9\t2\n")
    words = ("Will", "will", "WILL", "Jos\u00e9", "none")
    assert [clusters.get(word) for word in words] == ["0010", "111", "111", "0010", None]
    assert clusters.names == ["0010", "111"]


def test_empty_brown_file(tmp_path):
    assert brown_of(tmp_path, "").get("word") is None


@pytest.mark.parametrize("line", ["0010\tword", "0012\tword\t3", "\tword\t3", "word 0010 3"])
def test_line_of_another_form_is_an_error(tmp_path, line):
    with pytest.raises(ValueError, match="line 2 is not 'path<TAB>word<TAB>count'"):
        brown_of(tmp_path, f"0010\tword\t3\n{line}\n")


def test_missing_brown_file_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file of Brown clusters at"):
        read_brown(tmp_path / "nowhere")


def test_msg_round_trip(tmp_path):
    clusters = brown_of(tmp_path, "0010\tWill\t7\n111\twill\t9\n")
    again = WordClusters.from_msg(clusters.to_msg())
    assert (again.get("Will"), again.get("will")) == ("0010", "111")


def test_vectors_of_one_direction_share_a_cluster():
    vocab = Vocab()
    rng = np.random.default_rng(0)
    for i in range(40):
        direction = np.eye(4)[i % 4] + rng.normal(scale=0.05, size=4)
        vocab.set_vector(f"w{i}", (direction * (1 + i)).astype("float32"))
    clusters = cluster_vectors(vocab, 4, seed=1)
    names = [clusters.get(f"w{i}") for i in range(40)]
    assert [len(set(names[i::4])) for i in range(4)] == [1, 1, 1, 1]
    assert len(set(names)) == 4
    again = cluster_vectors(vocab, 4, seed=1)
    assert [again.get(f"W{i}") for i in range(40)] == names
