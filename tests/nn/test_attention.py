import math
import re

import numpy as np
import pytest

from dyad import Tensor, nn, ops


def random(*shape):
    return np.random.standard_normal(shape).astype(np.float32)


def softmax(x):
    exp = np.exp(x - x.max(-1, keepdims=True))
    return exp / exp.sum(-1, keepdims=True)


def attention(layer, query, key, value, mask=0.0):
    """Batch first: the definition for one batch entry and head at a time. `mask` broadcasts to (N, heads, T, S)."""
    width, heads = layer.embed_dim, layer.num_heads
    size = width // heads
    parameters = {name: p.asnumpy() for name, p in layer.parameters_and_names()}
    if "in_proj_weight" in parameters:
        weights = np.split(parameters["in_proj_weight"], 3)
    else:
        weights = [parameters[f"{n}_proj_weight"] for n in "qkv"]
    biases = np.split(parameters.get("in_proj_bias", np.zeros(3 * width, np.float32)), 3)
    q, k, v = (x @ w.T + b for x, w, b in zip((query, key, value), weights, biases, strict=True))
    if "bias_k" in parameters:
        k = np.concatenate([k, np.repeat(parameters["bias_k"], len(k), axis=0)], axis=1)
        v = np.concatenate([v, np.repeat(parameters["bias_v"], len(v), axis=0)], axis=1)
    if layer.add_zero_attn:
        k, v = (np.concatenate([x, np.zeros_like(x[:, :1])], axis=1) for x in (k, v))
    mask = np.broadcast_to(mask, (len(q), heads, q.shape[1], key.shape[1]))
    mask = np.concatenate([mask, np.zeros((*mask.shape[:3], k.shape[1] - key.shape[1]))], axis=-1)
    output, weights = np.zeros_like(q), np.zeros((len(q), heads, q.shape[1], k.shape[1]))
    for n in range(len(q)):
        for h in range(heads):
            part = slice(h * size, (h + 1) * size)
            weights[n, h] = softmax(q[n, :, part] @ k[n, :, part].T / math.sqrt(size) + mask[n, h])
            output[n, :, part] = weights[n, h] @ v[n, :, part]
    projected = output @ parameters["out_proj.weight"].T + parameters.get("out_proj.bias", 0)
    return projected, weights


def check(layer, query, key, value, mask=0.0, **options):
    output, weights = layer(*map(Tensor, (query, key, value)), **options)
    expected, expected_weights = attention(layer, query, key, value, mask)
    np.testing.assert_allclose(output.asnumpy(), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(weights.asnumpy(), expected_weights.mean(1), rtol=1e-4, atol=1e-5)
    (alone,) = layer(*map(Tensor, (query, key, value)), need_weights=False, **options)
    np.testing.assert_allclose(alone.asnumpy(), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"has_bias": False},
        {"add_bias_kv": True},
        {"add_zero_attn": True},
        {"add_bias_kv": True, "add_zero_attn": True},
    ],
)
def test_attention_agrees_with_numpy(options):
    layer = nn.MultiheadAttention(6, 2, batch_first=True, **options)
    check(layer, random(2, 3, 6), random(2, 5, 6), random(2, 5, 6))


def test_self_attention_takes_the_packed_projection():
    layer, x = nn.MultiheadAttention(6, 3, batch_first=True), random(2, 4, 6)
    shared = Tensor(x)
    output, _ = layer(shared, shared, shared)
    np.testing.assert_allclose(output.asnumpy(), attention(layer, x, x, x)[0], rtol=1e-4, atol=1e-5)


def test_keys_and_values_of_other_widths():
    layer = nn.MultiheadAttention(6, 2, kdim=3, vdim=5, batch_first=True)
    check(layer, random(2, 3, 6), random(2, 4, 3), random(2, 4, 5))
    assert [p.name for p in layer.get_parameters()] == [
        "q_proj_weight",
        "k_proj_weight",
        "v_proj_weight",
        "in_proj_bias",
        "out_proj.weight",
        "out_proj.bias",
    ]


def test_bool_masks_hide_and_float_masks_add():
    layer = nn.MultiheadAttention(6, 2, batch_first=True)
    query, key, value = random(2, 3, 6), random(2, 4, 6), random(2, 4, 6)
    hidden = np.array([[False, True, False, True], [False, False, False, True]])
    hide = np.where(hidden, -np.inf, 0.0)[:, None, None]
    check(layer, query, key, value, hide, key_padding_mask=Tensor(hidden))
    causal = np.triu(np.ones((3, 4), bool), 1)
    check(layer, query, key, value, np.where(causal, -np.inf, 0.0), attn_mask=Tensor(causal))
    both = hide + np.where(causal, -np.inf, 0.0)
    check(layer, query, key, value, both, key_padding_mask=Tensor(hidden), attn_mask=Tensor(causal))
    added = random(3, 4)
    check(layer, query, key, value, added, attn_mask=Tensor(added))
    per_head = random(4, 3, 4)
    check(layer, query, key, value, per_head.reshape(2, 2, 3, 4), attn_mask=Tensor(per_head))


def test_masks_leave_the_appended_keys_visible():
    layer = nn.MultiheadAttention(6, 2, batch_first=True, add_bias_kv=True)
    hidden = np.array([[True, True, True, True], [False, False, False, True]])
    hide = np.where(hidden, -np.inf, 0.0)[:, None, None]
    check(layer, random(2, 3, 6), random(2, 4, 6), random(2, 4, 6), hide, key_padding_mask=Tensor(hidden))


def test_length_first_is_the_default():
    layer = nn.MultiheadAttention(6, 2)
    query, key, value = random(3, 2, 6), random(5, 2, 6), random(5, 2, 6)
    output, weights = layer(*map(Tensor, (query, key, value)))
    expected, expected_weights = attention(layer, *(x.swapaxes(0, 1) for x in (query, key, value)))
    assert output.shape == (3, 2, 6) and weights.shape == (2, 3, 5)
    np.testing.assert_allclose(output.asnumpy(), expected.swapaxes(0, 1), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(weights.asnumpy(), expected_weights.mean(1), rtol=1e-4, atol=1e-5)


def test_without_batch_and_forms_of_the_result():
    layer = nn.MultiheadAttention(6, 2)
    query, key, value = random(3, 6), random(5, 6), random(5, 6)
    output, weights = layer(*map(Tensor, (query, key, value)))
    expected, _ = attention(layer, query[None], key[None], value[None])
    np.testing.assert_allclose(output.asnumpy(), expected[0], rtol=1e-4, atol=1e-5)
    assert weights.shape == (3, 5)
    batched = [Tensor(random(n, 2, 6)) for n in (3, 5, 5)]
    assert layer(*batched, average_attn_weights=False)[1].shape == (2, 2, 3, 5)
    only_output = layer(*batched, need_weights=False)
    assert isinstance(only_output, tuple) and len(only_output) == 1


def layer_norm(x, norm):
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + norm.epsilon) * norm.gamma.asnumpy() + norm.beta.asnumpy()


def dense(x, layer):
    return x @ layer.weight.asnumpy().T + layer.bias.asnumpy()


@pytest.mark.parametrize("norm_first", [False, True])
def test_encoder_layer(norm_first):
    layer = nn.TransformerEncoderLayer(6, 2, 8, norm_first=norm_first, batch_first=True)
    x = random(2, 4, 6)

    def attend(y):
        return attention(layer.self_attn, y, y, y)[0]

    def feed(y):
        return dense(np.maximum(dense(y, layer.dense1), 0), layer.dense2)

    expected = x
    for norm, part in ((layer.norm1, attend), (layer.norm2, feed)):
        if norm_first:
            expected = expected + part(layer_norm(expected, norm))
        else:
            expected = layer_norm(expected + part(expected), norm)
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), expected, rtol=1e-3, atol=1e-4)


def test_decoder_layer():
    layer = nn.TransformerDecoderLayer(6, 2, 8, batch_first=True, activation="gelu")
    target, memory = random(2, 3, 6), random(2, 4, 6)
    x = layer_norm(target + attention(layer.self_attn, target, target, target)[0], layer.norm1)
    x = layer_norm(x + attention(layer.multihead_attn, x, memory, memory)[0], layer.norm2)
    hidden = ops.gelu(Tensor(dense(x, layer.dense1).astype(np.float32))).asnumpy()
    expected = layer_norm(x + dense(hidden, layer.dense2), layer.norm3)
    np.testing.assert_allclose(
        layer(Tensor(target), Tensor(memory)).asnumpy(), expected, rtol=1e-3, atol=1e-4
    )


def test_stacks_hold_independent_copies():
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8), 2, nn.LayerNorm((6,)))
    x = Tensor(random(4, 2, 6))
    expected = encoder.norm(encoder.layers[1](encoder.layers[0](x)))
    np.testing.assert_allclose(encoder(x).asnumpy(), expected.asnumpy(), rtol=1e-5)
    assert encoder.layers[0].dense1.weight is not encoder.layers[1].dense1.weight
    assert len(encoder.parameters_dict()) == 2 * 12 + 2
    assert "layers.1.self_attn.in_proj_weight" in encoder.parameters_dict()


@pytest.mark.parametrize("batch_first", [False, True])
def test_whole_transformer(batch_first):
    model = nn.Transformer(6, 2, 1, 1, 8, batch_first=batch_first)
    source, target = Tensor(random(2, 3, 6)), Tensor(random(2, 3, 6))
    mask = Tensor(np.triu(np.ones((3 if batch_first else 2,) * 2, bool), 1))
    result = model(source, target, tgt_mask=mask)
    expected = model.decoder(target, model.encoder(source), mask)
    assert result.shape == target.shape
    np.testing.assert_allclose(result.asnumpy(), expected.asnumpy(), rtol=1e-5)
    names = list(model.parameters_dict())
    assert names[0] == "encoder.layers.0.self_attn.in_proj_weight" and names[-1] == "decoder.norm.beta"


def test_dropout_acts_while_training_only():
    layer = nn.TransformerEncoderLayer(6, 2, 8, dropout=0.5)
    x = Tensor(random(4, 2, 6))
    still = layer(x).asnumpy()
    assert (layer(x).asnumpy() == still).all()
    assert (layer.set_train()(x).asnumpy() != still).any()


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (
            lambda: nn.MultiheadAttention(5, 2),
            ValueError,
            "MultiheadAttention: embed_dim is 5 and num_heads is 2",
        ),
        (lambda: nn.MultiheadAttention(4, 2, dropout=2.0), ValueError, "MultiheadAttention: dropout is 2.0"),
        (
            lambda: nn.MultiheadAttention(4, 2)(
                *(Tensor(random(*s)) for s in ((3, 2, 4), (5, 2, 4), (5, 4)))
            ),
            ValueError,
            "query, key and value have shapes (3, 2, 4), (5, 2, 4) and (5, 4)",
        ),
        (
            lambda: nn.MultiheadAttention(4, 2)(
                *[Tensor(random(3, 2, 4))] * 3, attn_mask=Tensor(np.zeros((3, 4), bool))
            ),
            ValueError,
            "MultiheadAttention: attn_mask has shape (3, 4); need (3, 3) or (4, 3, 3)",
        ),
        (
            lambda: nn.MultiheadAttention(4, 2)(
                *[Tensor(random(3, 2, 4))] * 3, key_padding_mask=Tensor(np.zeros((3, 2), bool))
            ),
            ValueError,
            "MultiheadAttention: key_padding_mask has shape (3, 2); need (2, 3)",
        ),
        (lambda: nn.TransformerEncoderLayer(4, 2, activation="zz"), ValueError, "activation is 'zz'"),
        (lambda: nn.TransformerEncoderLayer(4, 2, activation=5), ValueError, "activation is 5"),
        (
            lambda: nn.Transformer(4, 2, 1, 1, 8)(Tensor(random(2, 3, 5)), Tensor(random(2, 3, 4))),
            ValueError,
            "Transformer: src and tgt have shapes (2, 3, 5) and (2, 3, 4)",
        ),
    ],
)
def test_misuse_is_named(action, error, text):
    with pytest.raises(error, match=re.escape(text)):
        action()
