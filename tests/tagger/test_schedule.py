from itertools import islice

import pytest
from spacy.util import registry
from thinc.api import Config, Optimizer


def rates(steps, **settings):
    schedule = registry.get("schedules", "spacy_deid.WarmupDecline.v1")
    return list(islice(schedule(**settings), steps))


def test_the_rate_rises_falls_and_stays():
    settings = {"initial_rate": 0.5, "final_rate": 0.1, "warmup_steps": 2, "total_steps": 6}
    assert rates(9, **settings) == pytest.approx([0, 0.25, 0.5, 0.4, 0.3, 0.2, 0.1, 0.1, 0.1])


def test_warmup_may_be_left_out_or_be_all():
    settings = {"initial_rate": 0.5, "final_rate": 0.1}
    assert rates(2, warmup_steps=0, total_steps=1, **settings) == pytest.approx([0.5, 0.1])
    assert rates(3, warmup_steps=2, total_steps=2, **settings) == pytest.approx([0, 0.25, 0.5])


def test_an_optimizer_takes_it_from_a_config():
    config = """
    [optimizer]
    @optimizers = "Adam.v1"

    [optimizer.learn_rate]
    @schedules = "spacy_deid.WarmupDecline.v1"
    initial_rate = 0.005
    final_rate = 0.001
    warmup_steps = 0
    total_steps = 100
    """
    optimizer = registry.resolve(Config().from_str(config))["optimizer"]
    assert isinstance(optimizer, Optimizer)
    assert optimizer.learn_rate == 0.005
    for _ in range(50):
        optimizer.step_schedules()
    assert optimizer.learn_rate == pytest.approx(0.003)
