"""Layers of sparse tensors."""

import numpy as np
import pytest

from dyad import COOTensor, Tensor, jit, nn


@pytest.mark.parametrize("form", [lambda function: function, jit])
def test_the_whole_of_a_sparse_tensor(form):
    whole = nn.SparseToDense()

    def dense(values):
        return whole(COOTensor(Tensor([[0, 1], [1, 2], [1, 2]]), values, (2, 3)))

    made = form(dense)(Tensor([1.0, 2.0, 4.0]))
    np.testing.assert_array_equal(made.asnumpy(), [[0, 1, 0], [0, 0, 6]])
