"""The tagger on a GPU."""

from __future__ import annotations

from importlib.util import find_spec

import spacy

from ..errors import RedactionError, install

NOTES_AT_ONCE = 512
"""Notes of a batch on a GPU, which is faster with large batches."""


def require_gpu(number: int) -> None:
    """Run the taggers of all pipelines that are loaded from now on, on a GPU.

    number (int): Number of the GPU, from 0 on.
    RAISES (RedactionError): If torch or onnx is missing, or there is no such GPU.
    """
    if find_spec("torch") is None or find_spec("onnx") is None:
        raise RedactionError(f"a GPU needs torch and onnx: {install('train')}")
    from thinc.compat import has_torch_cuda_gpu

    try:
        if not has_torch_cuda_gpu:
            raise ValueError("torch finds none")
        spacy.require_gpu(number)
    except (ValueError, RuntimeError) as error:  # CuPy's errors are of the latter type
        raise RedactionError(
            f"GPU {number} cannot be used ({error}); it takes an NVIDIA GPU, torch with CUDA, and "
            "CuPy (see docs/how-to/files.md), or leave out --gpu"
        ) from error
