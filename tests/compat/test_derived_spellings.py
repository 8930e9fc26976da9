"""Spellings of operators that follow from their names: `pyboost_*`, `*_impl`, `*Prim_`, `infer_value_for_*`."""

import importlib
import pickle

import numpy as np
import pytest

import dyad
from dyad import Tensor, dtype, jit, ops
from dyad.ops import auto_generate, operator_lookup, operator_spellings
from dyad.ops._utils import arg_dtype_cast, arg_handler

X = Tensor(np.array([[1.5, -2.0, 0.25], [4.0, -0.5, 3.0]], np.float32))
FORMS = pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])


@FORMS
def test_an_operator_is_given_its_primitive_and_a_list(form):
    add = auto_generate.pyboost_add
    np.testing.assert_array_equal(form(lambda x: add(ops.Add(), [x, 1.0]))(X), ops.add(X, 1.0))
    softmax = auto_generate.pyboost_softmax
    np.testing.assert_array_equal(form(lambda x: softmax(ops.Softmax(0), [x, 0]))(X), ops.softmax(X, 0))
    with pytest.raises(
        TypeError, match="pyboost_add: the arguments are of types Tensor and Tensor; need the Prim"
    ):
        add(X, X)


@FORMS
def test_inner_primitives_take_one_list_or_all_arguments(form):
    expected = ops.softmax(X, -1)
    np.testing.assert_array_equal(form(lambda x: auto_generate.SoftmaxPrim_()([x, -1]))(X), expected)
    np.testing.assert_array_equal(form(lambda x: auto_generate.softmax_impl(x, -1))(X), expected)
    assert auto_generate.softmax_impl.name == "Softmax"


def test_inner_primitives_are_of_one_family():
    assert type(auto_generate.softmax_impl) is auto_generate._PyboostSoftmaxPrim
    assert issubclass(auto_generate._PyboostSoftmaxPrim, auto_generate.SoftmaxPrim_)
    inner = importlib.import_module("dyad.ops.auto_generate.pyboost_inner_prim")
    assert inner.SoftmaxPrim_ is auto_generate.SoftmaxPrim_
    assert inner._PyboostSoftmaxPrim is auto_generate._PyboostSoftmaxPrim


def test_the_settings_of_a_class_stand_behind_its_inputs():
    scores, labels, weight = ops.log_softmax(X, -1), Tensor([0, 2]), Tensor([1.0, 2.0, 0.5])
    reduction = auto_generate.str_to_enum("NLLLoss", "reduction", "sum")
    found = auto_generate.nllloss_impl(scores, labels, weight, reduction, -100)
    for part, expected in zip(found, ops.NLLLoss("sum")(scores, labels, weight), strict=True):
        np.testing.assert_array_equal(part, expected)
    gradient = auto_generate.glu_grad_impl(X[:, :1], X[:, :2], -1)
    np.testing.assert_array_equal(gradient, auto_generate.GluGrad(-1)(X[:, :1], X[:, :2]))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("floor_", ()),
        ("tanh_", ()),
        ("zero_", ()),
        ("sub_scalar_", (2.0,)),
        ("div_tensor_", (X,)),
        ("inplace_muls", (3.0,)),
    ]
    + [
        ("divmod_scalar_", (2.0, "floor")),
        ("inplace_fill_scalar_op", (7.0,)),
        ("inplace_adds_ext_op", (2.0, 3.0)),
    ]
    + [("inplace_clamp_scalar", (-1.0, 1.0)), ("inplace_remainder_tensor_scalar_op", (2.0,))],
)
def test_names_of_what_writes_to_a_tensor_write_to_it(name, arguments):
    expected = {
        "floor_": np.floor, "tanh_": np.tanh, "zero_": np.zeros_like, "sub_scalar_": lambda x: x - 2,
        "div_tensor_": lambda x: x / X.asnumpy(), "inplace_muls": lambda x: x * 3,
        "divmod_scalar_": lambda x: np.floor_divide(x, 2), "inplace_fill_scalar_op": lambda x: np.full_like(x, 7),
        "inplace_adds_ext_op": lambda x: x + 6, "inplace_clamp_scalar": lambda x: np.clip(x, -1, 1),
        "inplace_remainder_tensor_scalar_op": lambda x: np.remainder(x, 2),
    }[name](X.asnumpy())  # fmt: skip
    written = X.copy()
    assert getattr(auto_generate, name)(written, *arguments) is written
    np.testing.assert_allclose(written.asnumpy(), expected, rtol=1e-6)


def test_a_name_that_no_method_has_does_not_write():
    assert auto_generate.max_(X).item() == auto_generate.max_op(X).item() == 4
    assert auto_generate.min_op(X).item() == -2


def test_known_values_are_computed_and_others_are_none():
    assert auto_generate.infer_value_for_ReduceSum(X, (0,), True, False).shape == (1, 3)
    assert auto_generate.infer_value_for_Cast(X, 34).dtype == dtype.int32
    assert auto_generate.infer_value_for_Concat((X, X), 0).shape == (4, 3)
    assert auto_generate.infer_value_for_SumExt(X, None, False, None).item() == ops.sum(X).item()
    for unknown in ((None, 0), ((X, None), 0), ((X, X), None)):
        assert auto_generate.infer_value_for_Concat(*unknown) is None
    assert auto_generate.infer_value_for_ScalarMax(2, 5) == 5
    assert auto_generate.infer_value_for_ScalarMax(2, None) is None
    assert not auto_generate.infer_value_for_AllFinite(X, X / 0)
    with pytest.raises(TypeError):
        auto_generate.infer_value_for_Concat((X, X), 0, 1)
    with pytest.raises(ValueError, match="7 is the number of no dtype"):
        auto_generate.infer_value_for_Cast(X, 7)


def test_every_name_that_is_shown_is_there():
    shown = operator_spellings.names()
    assert {"abs_op", "pyboost_abs", "AbsPrim_", "_PyboostAbsPrim", "ReluGrad", "to_pair"} <= set(shown)
    assert set(shown) <= set(dir(auto_generate))
    missing = [name for name in shown if not hasattr(auto_generate, name)]
    assert missing == []
    assert auto_generate.pyboost_abs is auto_generate.pyboost_abs


def test_sizes_of_windows():
    for name in ("to_kernel_size", "to_strides", "to_rates", "to_dilations", "to_output_padding"):
        handler = getattr(arg_handler, name)
        assert handler("Conv2D", "size", 3) == (3, 3) and handler("Conv2D", "size", (1, 1, 2, 3)) == (2, 3)
        with pytest.raises(ValueError, match="Conv2D: size is 'a', which it does not take"):
            handler("Conv2D", "size", "a")
    assert auto_generate.to_pair("Op", "x", 0.5) == (0.5, 0.5) and auto_generate.to_2d_paddings(
        "Op", "x", 2
    ) == (2, 2)


def test_arguments_become_what_the_operator_takes():
    kinds = arg_dtype_cast
    cast = auto_generate.type_it
    assert cast("Op", "axis", 3, kinds.DT_INT_VAL, kinds.DT_TUPLE_INT_VAL) == (3,)
    assert cast("Op", "axis", [1, 2], kinds.DT_LIST_INT_VAL, kinds.DT_TUPLE_INT_VAL) == (1, 2)
    assert cast("Op", "axis", Tensor([1, 2]), kinds.OpDtype.DT_TENSOR, kinds.OpDtype.DT_TUPLE_INT) == (1, 2)
    assert cast("Op", "eps", 1, (kinds.DT_INT_VAL, kinds.DT_BOOL_VAL), kinds.DT_FLOAT_VAL) == 1.0
    assert cast("Op", "x", 2.0, kinds.DT_NUMBER_VAL, kinds.DT_TENSOR_VAL).dtype == dtype.float32
    assert cast("Op", "x", None, kinds.DT_NUMBER_VAL, kinds.DT_TENSOR_VAL) is None
    with pytest.raises(TypeError, match="Op: axis is of type str; need int, tuple of int"):
        cast("Op", "axis", "a", kinds.DT_INT_VAL, kinds.DT_TUPLE_INT_VAL)


def test_numbers_of_choices_and_of_dtypes():
    assert auto_generate.str_to_enum("Op", "reduction", "mean") == 1
    assert auto_generate.str_to_enum("Op", "pad_mode", "VALID") == 2
    assert auto_generate.str_to_enum("Op", "reduction", None) is None
    assert auto_generate.dtype_to_type_id("Op", "dtype", dtype.float32) == 43
    with pytest.raises(ValueError, match="Op: reduction is 'most'; need one of"):
        auto_generate.str_to_enum("Op", "reduction", "most")
    with pytest.raises(TypeError, match="Op: dtype is 3; need a dtype"):
        auto_generate.dtype_to_type_id("Op", "dtype", 3)


def test_numbers_in_tensors_and_shapes():
    assert arg_handler._scalar_tensor_to_int("Op", "dim", Tensor(2)) == 2
    assert arg_handler._normalize_int_sequence("Op", "shape", (Tensor(2), 3)) == (2, 3)
    with pytest.raises(ValueError, match=r"Op: dim is a Tensor of shape \(2,\); need a number"):
        arg_handler._scalar_tensor_to_int("Op", "dim", Tensor([1, 2]))
    shape = arg_handler.get_broadcast_shape
    assert shape((2, 1, -1), (3, 1), "Op") == [2, 3, -1] and shape((-2,), (3,), "Op") == [-2]
    with pytest.raises(ValueError, match=r"Op: x has shape \(2,\) and y has \(3,\)"):
        shape((2,), (3,), "Op")


def test_nothing_is_traced_or_stands_for_a_tensor_to_come():
    assert auto_generate.jit_context() is None and auto_generate.is_stub_tensor(X) is False


def test_the_largest_and_smallest_of_all_elements():
    assert auto_generate.Max()(X).item() == 4 and auto_generate.Min()(X).item() == -2


def test_a_name_is_one_object_in_both_modules():
    shown = [name for name in operator_spellings.names() if hasattr(ops, name)]
    assert {"MaxDim", "max_dim", "max_dim_op", "max_dim_impl", "ReluGrad", "ListToTuple"} <= set(shown)
    assert [name for name in shown if getattr(ops, name) is not getattr(auto_generate, name)] == []
    for name in ("SumExt", "sum_ext_op", "mul_scalar", "inplace_muls", "InplaceMuls", "sub_scalar_"):
        assert getattr(ops, name) is getattr(auto_generate, name) is getattr(ops, name)
    for hidden in ("pyboost_abs", "AbsPrim_", "_PyboostAbsPrim", "infer_value_for_Concat", "to_pair"):
        assert hasattr(auto_generate, hidden) and not hasattr(ops, hidden)


def test_every_spelling_of_a_function_that_is_written_is_that_function():
    for name, function in operator_lookup.written().items():
        spelled = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
        assert spelled in ops.__all__ or getattr(auto_generate, spelled)._call is function
        for ending in ("_op", "_impl"):
            assert isinstance(getattr(auto_generate, f"{name}{ending}"), ops.Primitive)


@FORMS
def test_keywords_of_a_function_that_is_written_are_the_settings_of_its_class(form):
    a, v = Tensor([1.0, 2.0, 3.0]), Tensor([0.0, 1.0])
    expected = np.correlate([1.0, 2.0, 3.0], [0.0, 1.0], "full")
    for call in (
        lambda a, v: auto_generate.Correlate("full")(a, v),
        lambda a, v: auto_generate.correlate(a, v, "full"),
        lambda a, v: auto_generate.correlate(a, v, pad_mode="full"),
        lambda a, v: auto_generate.correlate_op(a, v, "full"),
        lambda a, v: auto_generate.correlate_impl(a, v, "full"),
    ):
        np.testing.assert_array_equal(form(call)(a, v), expected)


@FORMS
@pytest.mark.parametrize("name", ["tanh_", "floor_", "inplace_tanh", "inplace_floor_op"])
def test_names_in_dyad_ops_that_say_so_write(form, name):
    written = X.copy()
    form(lambda x: getattr(ops, name)(x))(written)
    np.testing.assert_allclose(written, (np.tanh if "tanh" in name else np.floor)(X.asnumpy()), rtol=1e-6)


def test_a_name_in_dyad_ops_with_the_ending_of_one_that_writes_is_not_another_operator():
    assert ops.shape_(X) == (2, 3)
    for name in ("softmax_", "max_dim_", "max_"):
        assert not hasattr(ops, name)


def test_objects_of_classes_that_follow_from_a_rule_can_be_kept():
    for kept in (auto_generate.SumExt(), auto_generate.sum_ext_op, auto_generate.inplace_muls_op):
        assert type(pickle.loads(pickle.dumps(kept))) is type(kept)


def test_names_that_are_taken_from_elsewhere():
    for name in ("COOTensor", "CSRTensor", "Parameter"):
        assert getattr(auto_generate, name) is getattr(dyad, name) and name in dir(auto_generate)
