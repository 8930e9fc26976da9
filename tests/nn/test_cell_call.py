import numpy as np
import pytest

import dyad
from dyad import Tensor, nn


class Scale(nn.Cell):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def construct(self, x, *, shift=0.0):
        return x * self.factor + shift


def test_call_passes_positional_and_keyword_arguments():
    assert Scale(2.0)(Tensor([1.0]), shift=3.0).asnumpy().tolist() == [5.0]


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ((), {}, "Scale: missing a required argument: 'x'; construct takes"),
        ((1, 2), {}, "Scale: too many positional arguments; construct takes"),
        ((1,), {"other": 2}, "Scale: got an unexpected keyword argument 'other'; construct takes"),
    ],
)
def test_arguments_that_do_not_fit_construct_are_named(args, kwargs, text):
    with pytest.raises(TypeError, match=text):
        Scale(2.0)(*args, **kwargs)


def test_a_type_error_inside_construct_is_not_disguised():
    class Faulty(nn.Cell):
        def construct(self, x):
            return len(5)

    with pytest.raises(TypeError, match="has no len"):
        Faulty()(1)


def test_the_first_parameter_need_not_be_called_self():
    class Odd(nn.Cell):
        def construct(this, x):
            return x

    assert Odd()(5) == 5


def test_super_construct_is_allowed():
    class Child(Scale):
        def construct(self, x):
            return super().construct(x) + 1.0

    assert Child(2.0)(Tensor([1.0])).asnumpy().tolist() == [3.0]


def test_construct_must_be_defined():
    class Empty(nn.Cell):
        pass

    with pytest.raises(AttributeError, match="Empty: construct is not defined"):
        Empty()(Tensor(1.0))


def test_results_keep_their_python_types():
    class Structured(nn.Cell):
        def construct(self, x):
            return [x], {"a": 1}, None

    result = Structured()(Tensor([1.0]))
    assert type(result) is tuple
    assert type(result[0]) is list and result[1] == {"a": 1} and result[2] is None


def test_a_fresh_cell_is_in_inference_and_set_train_reaches_children():
    net = nn.SequentialCell(nn.Dropout(p=0.5), nn.SequentialCell(nn.Dropout(p=0.5)))
    assert not net.training and not net[1][0].training
    assert net.set_train() is net
    assert net[0].training and net[1][0].training
    assert net.phase == "train"
    net.set_train(False)
    assert not net[1][0].training
    assert net.phase == "predict"


def test_set_grad_and_flags():
    net = nn.SequentialCell(nn.ReLU())
    assert net.set_grad() is net and net.requires_grad is True
    net.add_flags(first=1)
    assert net.get_flags() == {"first": 1} and net.first == 1
    net.add_flags_recursive(second=2)
    assert net[0].second == 2 and net[0].get_flags() == {"second": 2}
    assert nn.Cell(flags={"third": 3}).third == 3


def test_apply_is_post_order():
    order = []
    nn.SequentialCell(nn.ReLU(), nn.SequentialCell(nn.Tanh())).apply(lambda cell: order.append(cell.cls_name))
    assert order == ["ReLU", "Tanh", "SequentialCell", "SequentialCell"]


@pytest.mark.parametrize("dtype", [dyad.int32, dyad.float64, "float16"])
def test_to_float_refuses_other_types(dtype):
    with pytest.raises(ValueError, match=r"to_float: dst_type is .*; need float16, float32 or bfloat16"):
        nn.Dense(1, 1).to_float(dtype)


@pytest.mark.parametrize("dtype", [dyad.float16, dyad.bfloat16, dyad.float32])
def test_to_float_computes_in_the_type_and_stores_float32(dtype):
    layer = nn.Dense(2, 2)
    assert layer.to_float(dtype) is layer
    assert layer(Tensor(np.ones((1, 2), np.float32))).dtype == dtype
    assert layer.weight.dtype == dyad.float32


def test_to_float_casts_operands_of_every_operator_but_no_value_by_itself():
    class Mixed(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(2, 2)

        def construct(self, x, count):
            return x, x * 2.0, count + 1, x.astype(dyad.float32), self.dense(x)

    net = Mixed().to_float(dyad.float16)
    x = Tensor(np.ones((1, 2), np.float32))
    same, product, count, cast, projected = net(x, Tensor([1]))
    assert same.dtype == dyad.float32
    assert product.dtype == dyad.float16
    assert count.dtype == dyad.int64
    assert cast.dtype == dyad.float32
    assert projected.dtype == dyad.float16


def test_the_last_to_float_wins_for_a_child():
    net = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 2)).to_float(dyad.float16)
    net[1].to_float(dyad.float32)
    assert net(Tensor(np.ones((1, 2), np.float32))).dtype == dyad.float32


def test_flags_say_what_a_cell_computes_in():
    net = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 2)).add_flags_recursive(fp16=True)
    x = Tensor(np.ones((1, 2), np.float32))
    assert net(x).dtype == net[0](x).dtype == dyad.float16
    assert net.add_flags_recursive(fp16=False, bf16=True)(x).dtype == dyad.bfloat16
    assert net.add_flags_recursive(bf16=False)(x).dtype == dyad.float32


def test_to_float_ends_with_the_call_even_if_it_raises():
    class Faulty(nn.Cell):
        def construct(self, x):
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        Faulty().to_float(dyad.float16)(Tensor([1.0]))
    assert (Tensor([1.0]) + 1.0).dtype == dyad.float32


def test_set_inputs_keeps_templates():
    net = Scale(2.0)
    template = Tensor(shape=(2, None), dtype=dyad.float32)
    net.set_inputs(template)
    assert net.get_inputs() == (template,)
    net.set_inputs(x=template)
    assert net.get_inputs() == {"x": template}
    with pytest.raises(ValueError, match="by position and by name"):
        net.set_inputs(template, x=template)
    with pytest.raises(ValueError, match="there is a template for 'other'; need names from x, shift"):
        net.set_inputs(other=template)


def test_recompute_does_not_change_the_result():
    layer = nn.Dense(2, 2)
    x = Tensor(np.ones((1, 2), np.float32))
    before = layer(x).asnumpy()
    layer.recompute()
    assert (layer(x).asnumpy() == before).all()
    with pytest.raises(ValueError, match="there is no option 'unknown'"):
        layer.recompute(unknown=True)


@pytest.mark.parametrize("mode", ["ast", "bytecode"])
def test_a_static_form_of_a_cell_may_become_its_construct(mode):
    net = Scale(2.0)
    net.construct = dyad.jit(net, capture_mode=mode)
    assert net(Tensor([1.0]), shift=3.0).asnumpy().tolist() == [5.0]
    gradient = dyad.grad(net)(Tensor([1.0]))
    assert gradient.asnumpy().tolist() == [2.0]
