"""Operands that FlashAttentionScore refuses, and the ones it takes."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, ops


def rows(*shape):
    return Tensor(np.random.default_rng(0).standard_normal(shape).astype(np.float32))


def test_layouts_give_the_same_output():
    x = rows(2, 4, 3, 5)  # batch, heads, length, width
    flat = x.swapaxes(1, 2).reshape(2, 3, 20)
    wanted = ops.FlashAttentionScore(4, input_layout="BNSD")(x, x, x)[3]
    given = ops.FlashAttentionScore(4)(flat, flat, flat)[3]
    np.testing.assert_allclose(
        given.reshape(2, 3, 4, 5).swapaxes(1, 2).asnumpy(), wanted.asnumpy(), rtol=1e-5
    )


@pytest.mark.parametrize(
    ("layout", "operands", "error", "message"),
    [
        ("BSH", (3, rows(1, 2, 8), rows(1, 2, 8)), TypeError, "query is of type int; need a Tensor"),
        (
            "BSH",
            (rows(1, 2, 8), rows(1, 2, 8).astype(dyad.float16), rows(1, 2, 8)),
            TypeError,
            "key has dtype Float16",
        ),
        (
            "BSH",
            (rows(2, 8), rows(1, 2, 8), rows(1, 2, 8)),
            ValueError,
            r"query has shape \(2, 8\); BSH needs 3",
        ),
        (
            "BNSD",
            (rows(1, 4, 2, 8),) + (rows(1, 2, 8),) * 2,
            ValueError,
            r"key has shape \(1, 2, 8\); BNSD needs 4",
        ),
        (
            "BSH",
            (rows(1, 2, 8), rows(1, 2, 8), rows(1, 3, 8)),
            ValueError,
            "need the same but for the last size",
        ),
        ("SBH", (rows(2, 1, 8),) + (rows(2, 3, 8),) * 2, ValueError, "need as many batches"),
        (
            "BSH",
            (rows(1, 2, 6),) + (rows(1, 2, 8),) * 2,
            ValueError,
            "its last size must divide by head_num 4",
        ),
        ("BSH", (rows(1, 2, 8),) + (rows(1, 2, 6),) * 2, ValueError, "times a divisor of head_num 4"),
        ("BSND", (rows(1, 2, 4, 8),) + (rows(1, 2, 3, 8),) * 2, ValueError, "have 4 and 3 heads"),
        ("BNSD", (rows(1, 4, 2, 8),) + (rows(1, 4, 2, 6),) * 2, ValueError, "need the same last size"),
    ],
)
def test_operands_that_do_not_fit(layout, operands, error, message):
    with pytest.raises(error, match=f"FlashAttentionScore: .*{message}"):
        ops.FlashAttentionScore(4, input_layout=layout)(*operands)
