"""Matrix products."""

from __future__ import annotations

import numpy as np
import pytest

from spacy_deid.tagger.blas import multiply


@pytest.mark.parametrize("n_rows", [0, 1, 31, 32, 33, 1000])
@pytest.mark.parametrize("shape", [(64, 128), (1, 1), (1024, 512)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_are_those_of_numpy(
    n_rows: int, shape: tuple[int, int], dtype: type[np.floating]
) -> None:
    random = np.random.default_rng(0)
    left, right = random.normal(size=(n_rows, shape[0])), random.normal(size=shape)
    product = multiply(left.astype(dtype), right.astype(dtype))
    assert product.dtype == dtype
    assert np.allclose(product, left @ right, atol=1e-3)


def test_the_product_is_written_where_told() -> None:
    out = np.full((5, 2), np.nan)
    assert multiply(np.ones((3, 4)), np.ones((4, 2)), out=out[1:4]).base is out
    assert np.isnan(out[[0, 4]]).all()
    assert (out[1:4] == 4).all()
