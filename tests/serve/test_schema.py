"""Requests that a fuzzer derives from the OpenAPI description."""

from __future__ import annotations

from contextlib import suppress

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(GenerationMode))
def test_no_request_makes_the_server_fail(serve, tmp_path, mode):
    client = serve(jobs=tmp_path)
    schema = schemathesis.openapi.from_url(f"{client.base_url}/openapi.json")
    paths = set()
    for operation in (found.ok() for found in schema.get_all_operations()):
        cases = operation.as_strategy(generation_mode=mode)

        @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=cases)
        def check(case):
            answer = case.call()
            assert answer.status_code < 500 or "retry-after" in answer.headers

        with suppress(Unsatisfiable):  # a path that takes nothing cannot get anything wrong
            check()
            paths.add(operation.path)
    posts = {
        *("/v1/redact", "/v1/find", "/analyze", "/anonymize", "/v1/jobs", "/fhir/$de-identify"),
        "/label-studio/predict",
    }
    assert posts <= paths
