"""Tokens sent to experts and back, Gumbel samples, rotations, and the operators that `auto_generate` spells."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, ops
from dyad.ops import auto_generate


def _random(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


FORMS = pytest.mark.parametrize("form", [lambda function: function, dyad.jit], ids=["dynamic", "static"])


@FORMS
def test_tokens_come_back_from_their_experts(form):
    tokens = _random(5, 3)
    experts = np.array([[0, 2], [1, 2], [2, 0], [1, 0], [3, 3]], np.int32)
    probs = np.abs(_random(5, 2))

    @form
    def there_and_back(tokens, experts, probs):
        permuted, places = ops.moe_token_permute(tokens, experts)
        return permuted, places, ops.moe_token_unpermute(permuted, places, probs)

    permuted, places, back = there_and_back(Tensor(tokens), Tensor(experts), Tensor(probs))
    order = np.argsort(experts.ravel(), kind="stable")
    np.testing.assert_array_equal(permuted.asnumpy(), tokens[order // 2])
    np.testing.assert_array_equal(places.asnumpy(), np.argsort(order))
    assert places.dtype == dyad.int32
    np.testing.assert_allclose(back.asnumpy(), tokens * probs.sum(1, keepdims=True), rtol=1e-5)


def test_some_tokens_are_dropped():
    tokens, experts = Tensor(_random(3, 2)), Tensor([2, 0, 1])
    for kept, count in ((2, 2), (-1, 2), (0, 3)):
        assert ops.moe_token_permute(tokens, experts, kept)[0].shape == (count, 2)
    with pytest.raises(ValueError, match="padded_mode is True; need False"):
        ops.moe_token_permute(tokens, experts, padded_mode=True)
    with pytest.raises(ValueError, match="need as many rows in both"):
        ops.moe_token_permute(tokens, Tensor([0, 1]))


@FORMS
def test_a_gumbel_sample_follows_its_weights(form):
    dyad.set_seed(3)
    weights = np.array([0.5, 0.3, 0.2], np.float32)
    logits = Tensor(np.tile(np.log(weights)[:, None], (1, 4000)))
    sample = form(lambda x: ops.gumbel_softmax(x, 0.7, True, 0))(logits).asnumpy()
    np.testing.assert_allclose(sample.sum(0), 1, rtol=1e-6)
    np.testing.assert_allclose(sample.mean(1), weights, atol=0.04)
    soft = form(lambda x: ops.gumbel_softmax(x, 0.7))(logits).asnumpy()
    np.testing.assert_allclose(soft.sum(1), 1, rtol=1e-4)
    assert ((soft > 0) & (soft < 1)).any()


def test_gradients_pass_through_a_hard_sample():
    gradient = dyad.grad(lambda x, y: (ops.gumbel_softmax(x, hard=True) * y).sum())
    assert np.abs(gradient(Tensor(_random(4, 3)), Tensor(_random(4, 3))).asnumpy()).max() > 0
    with pytest.raises(ValueError, match=r"tau is 0\.0"):
        ops.gumbel_softmax(Tensor([1.0]), 0.0)
    with pytest.raises(ValueError, match=r"dim is 1; need one in \[-1, 1\)"):
        ops.gumbel_softmax(Tensor([1.0]), dim=1)


@FORMS
@pytest.mark.parametrize("mode", [0, 1])
def test_a_rotation_turns_pairs(form, mode):
    x, angle = _random(1, 2, 3, 4), _random(1, 1, 3, 2)
    angles = np.concatenate([angle, angle], -1) if mode == 0 else np.repeat(angle, 2, -1)
    rotate = form(lambda x, cos, sin: ops.rotary_position_embedding(x, cos, sin, mode))
    got = rotate(Tensor(x), Tensor(np.cos(angles)), Tensor(np.sin(angles))).asnumpy()
    first, second = (x[..., :2], x[..., 2:]) if mode == 0 else (x[..., ::2], x[..., 1::2])
    turned = (first + 1j * second) * np.exp(1j * angle)
    parts = (got[..., :2], got[..., 2:]) if mode == 0 else (got[..., ::2], got[..., 1::2])
    np.testing.assert_allclose(parts[0], turned.real, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(parts[1], turned.imag, rtol=1e-4, atol=1e-5)


def test_attention_as_a_function():
    x = Tensor(_random(1, 3, 4).astype(np.float16))
    expected = ops.FlashAttentionScore(2, scale_value=0.5, input_layout="BSH")(x, x, x)[3]
    got = ops.flash_attention_score(x, x, x, 2, scalar_value=0.5)
    np.testing.assert_array_equal(got.asnumpy(), expected.asnumpy())


def test_older_classes():
    a, b = _random(2, 3), _random(3, 4)
    np.testing.assert_allclose(ops.Einsum("ij,jk->ik")((Tensor(a), Tensor(b))).asnumpy(), a @ b, rtol=1e-5)
    assert ops.ScalarToArray()(2).dtype == dyad.int64
    with pytest.raises(TypeError, match="input_x is of type Tensor; need a number"):
        ops.scalar_to_array(Tensor(1.0))


def test_spellings_of_one_operator():
    x = _random(4, 2)
    np.testing.assert_array_equal(
        auto_generate.ClampScalar()(Tensor(x), -0.5, 0.5).asnumpy(), x.clip(-0.5, 0.5)
    )
    np.testing.assert_array_equal(
        auto_generate.RepeatInterleaveInt()(Tensor(x), 2, 0).asnumpy(), x.repeat(2, 0)
    )
    parts = auto_generate.SplitWithSize()(Tensor(x), (1, 3), 0)
    np.testing.assert_array_equal(parts[1].asnumpy(), x[1:])
    np.testing.assert_array_equal(auto_generate.SliceExt()(Tensor(x), 0, 1, 3, 1).asnumpy(), x[1:3])
    np.testing.assert_array_equal(auto_generate.softmax_impl(Tensor(x), 0).sum(0).shape, (2,))
    place, value = auto_generate.argmax_with_value_impl(Tensor(x), 0, False)
    np.testing.assert_array_equal(place.asnumpy(), x.argmax(0))
    np.testing.assert_array_equal(value.asnumpy(), x.max(0))
    written = Tensor(np.zeros((4, 2), np.float32))
    auto_generate.InplaceCopy()(written, Tensor(x))
    np.testing.assert_array_equal(written.asnumpy(), x)
