import re

import numpy as np
import pytest

from dyad import Tensor, nn


def random(*shape):
    return np.random.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(
    ("mode", "numpy_mode"), [("CONSTANT", "constant"), ("REFLECT", "reflect"), ("SYMMETRIC", "symmetric")]
)
def test_pad_takes_a_pair_per_dimension(mode, numpy_mode):
    x, paddings = random(3, 4), ((1, 2), (0, 3))
    assert (nn.Pad(paddings, mode)(Tensor(x)).asnumpy() == np.pad(x, paddings, mode=numpy_mode)).all()


def border(padding, spatial):
    """Pairs for the last dimensions from the flat form, which starts at the last one."""
    pairs = (
        [(padding, padding)] * spatial
        if isinstance(padding, int)
        else list(zip(padding[::2], padding[1::2], strict=True))
    )
    return pairs[::-1] if not isinstance(padding, int) else pairs


CASES = [
    (1, nn.ConstantPad1d, nn.ReflectionPad1d, nn.ReplicationPad1d, (1, 2)),
    (2, nn.ConstantPad2d, nn.ReflectionPad2d, nn.ReplicationPad2d, (1, 2, 2, 0)),
    (3, nn.ConstantPad3d, nn.ReflectionPad3d, nn.ReplicationPad3d, (1, 2, 2, 0, 1, 1)),
]


@pytest.mark.parametrize(("spatial", "constant", "reflection", "replication", "sides"), CASES)
@pytest.mark.parametrize("batched", [True, False])
def test_padding_layers_agree_with_numpy(spatial, constant, reflection, replication, sides, batched):
    x = random(*((2, 3) if batched else (3,)), *(4,) * spatial)
    for padding in (1, sides):
        pairs = [(0, 0)] * (x.ndim - spatial) + border(padding, spatial)
        assert (constant(padding, 0.5)(Tensor(x)).asnumpy() == np.pad(x, pairs, constant_values=0.5)).all()
        assert (reflection(padding)(Tensor(x)).asnumpy() == np.pad(x, pairs, mode="reflect")).all()
        assert (replication(padding)(Tensor(x)).asnumpy() == np.pad(x, pairs, mode="edge")).all()


def test_zero_border_and_negative_padding():
    x = random(1, 2, 5, 5)
    assert (
        nn.ZeroPad2d((1, 2, 3, 4))(Tensor(x)).asnumpy() == np.pad(x, [(0, 0), (0, 0), (3, 4), (1, 2)])
    ).all()
    assert (nn.ConstantPad2d(-1, 0.0)(Tensor(x)).asnumpy() == x[:, :, 1:-1, 1:-1]).all()


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (
            lambda: nn.Pad(((1, 1),), mode="Q"),
            ValueError,
            "Pad: mode is 'Q'; need one of CONSTANT, REFLECT, SYMMETRIC",
        ),
        (
            lambda: nn.Pad((1, 1)),
            TypeError,
            "Pad: paddings is (1, 1); need a pair (before, after) for each dimension",
        ),
        (lambda: nn.Pad(((1, -1),)), ValueError, "Pad: paddings is -1; need an int of at least 0"),
        (
            lambda: nn.Pad(((1, 1),))(Tensor(random(2, 2))),
            ValueError,
            "Pad: paddings has 1 pairs and x has shape (2, 2)",
        ),
        (lambda: nn.Pad(((3, 0),), "REFLECT")(Tensor([1.0, 2.0])), ValueError, "need at most 1 for REFLECT"),
        (lambda: nn.ZeroPad2d((1, 2)), ValueError, "ZeroPad2d: padding is (1, 2); need an int or 4 ints"),
        (
            lambda: nn.ReflectionPad1d("a"),
            TypeError,
            "ReflectionPad1d: padding is 'a' of type str; need an int",
        ),
        (lambda: nn.ReplicationPad2d(1)(Tensor([1.0])), ValueError, "need 3 or 4 dimensions"),
    ],
)
def test_misuse_is_named(action, error, text):
    with pytest.raises(error, match=re.escape(text)):
        action()
