"""The parts of functions that packages take from `ops.function.nn_func` and `ops.function.random_func`."""

import numpy as np
import pytest

from dyad import Tensor, get_seed, jit, ops, set_seed
from dyad.ops.function import nn_func, random_func

X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def test_get_seed_combines_the_global_and_the_operator_seed():
    before = get_seed()
    set_seed(5)
    try:
        assert random_func._get_seed(3, "dropout") == (5, 3)
    finally:
        set_seed(before or 0)


def test_attributes_of_primitives():
    primitive = ops.ReLU()
    assert random_func._set_prim_op_user_data(primitive, "random_cache", False) is primitive
    assert primitive.random_cache is False


def test_borders_of_bool():
    mask = Tensor([[True, False]])
    for pad in (nn_func._inner_pad, jit(nn_func._inner_pad)):
        assert pad(mask, (0, 1)).tolist() == [[True, False, False]]
    assert nn_func._inner_pad(X, (1, 0), 9.0).tolist() == [[9, 0, 1, 2], [9, 3, 4, 5]]


def test_dropout_only_while_training():
    assert nn_func._inner_dropout(X, 0.5, False) is X and nn_func._inner_dropout(X, 0.0, True) is X
    assert set(np.unique(nn_func._inner_dropout(ops.ones((50, 50)), 0.5, True).asnumpy())) == {0.0, 2.0}


def test_shapes_of_attention():
    assert nn_func._check_qkv_shape(3, 3, 3) and not nn_func._check_qkv_shape(2, 2, 2)
    nn_func._check_kpm_shape(3, 2)
    nn_func._check_attn_mask_shape(2, (5, 4), (6, 4), 3, (2, 5, 6), 2)
    for refused, arguments in (
        (nn_func._check_qkv_shape, (3, 2, 3)),
        (nn_func._check_kpm_shape, (2, 2)),
        (nn_func._check_attn_mask_shape, (3, (5, 1, 4), (6, 1, 4), 1, (5,), 2)),
        (nn_func._check_attn_mask_shape, (2, (5, 4), (6, 4), 3, (2, 6, 5), 2)),
    ):
        with pytest.raises(ValueError, match="need"):
            refused(*arguments)


def test_packed_and_single_projections_agree_with_numpy():
    weight = Tensor(np.arange(27, dtype=np.float32).reshape(9, 3))
    bias = Tensor(np.arange(9, dtype=np.float32))
    expected = np.split(X.asnumpy() @ weight.asnumpy().T + bias.asnumpy(), 3, axis=-1)
    parts = np.split(weight.asnumpy(), 3)
    packed = nn_func._in_projection_packed(X, X, X, weight, bias, True, True)
    single = nn_func._in_projection(X, X, X, *map(Tensor, parts), *map(Tensor, np.split(bias.asnumpy(), 3)))
    for found in (packed, single):
        for part, wanted in zip(found, expected, strict=True):
            np.testing.assert_allclose(part.asnumpy(), wanted)
    with pytest.raises(ValueError, match="weight of key"):
        nn_func._in_projection(X, X, X, Tensor(parts[0]), weight, weight)


def test_interpolate_helpers_compute_the_sizes():
    picture = ops.ones((1, 2, 5, 7))
    assert nn_func._interploate_ext_make_tuple(picture, 2) == (2, 2)
    assert nn_func._interploate_ext_make_tuple(picture, [3, 4]) == [3, 4]
    assert nn_func._interpolate_ext_scale_factor_convert_size(picture, (0.5, 2.0)) == (2, 14)


def test_unknown_names_stay_unknown():
    with pytest.raises(AttributeError, match="_no_such_part"):
        getattr(nn_func, "_no_such" + "_part")
