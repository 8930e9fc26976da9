import copy
import pickle
import re

import numpy as np
import pytest

import dyad
from dyad import Parameter, ParameterTuple, Tensor, nn, ops


def test_prints_its_description_and_never_its_values():
    parameter = Parameter(Tensor(np.ones((3, 4), np.float32)), name="fc.weight")
    text = "Parameter (name=fc.weight, shape=(3, 4), dtype=Float32, requires_grad=True)"
    assert repr(parameter) == str(parameter) == f"{parameter}" == text


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (1, dyad.int32, ()),
        (1.5, dyad.float32, ()),
        ([1.0, 2.0], dyad.float32, (2,)),
        ([1, 2], dyad.int64, (2,)),
        (np.ones((2, 2)), dyad.float64, (2, 2)),
    ],
)
def test_dtype_follows_the_kind_of_data(data, dtype, shape):
    parameter = Parameter(data)
    assert parameter.dtype == dtype
    assert parameter.shape == shape


def test_data_is_copied():
    tensor = Tensor([1.0, 2.0])
    parameter = Parameter(tensor)
    tensor[0] = 9.0
    assert parameter.asnumpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("data", "error", "text"),
    [
        (True, ValueError, "Parameter: default_input is the bool True"),
        ((1, 2), TypeError, "Parameter: default_input is of type tuple"),
        ("s", TypeError, "Parameter: default_input is of type str"),
        (None, TypeError, "Parameter: default_input is of type NoneType"),
        (1j, TypeError, "Parameter: default_input is of type complex"),
    ],
)
def test_refuses_other_data(data, error, text):
    with pytest.raises(error, match=re.escape(text)):
        Parameter(data)


def test_refuses_a_template_without_data():
    template = Tensor(shape=(None, 2), dtype=dyad.float32)
    with pytest.raises(ValueError, match="default_input has the dynamic shape"):
        Parameter(template)


def test_unnamed_free_standing_parameters_are_numbered():
    first, _, second = Parameter(1.0), Parameter(3.0, name="named"), Parameter(2.0)
    numbers = [int(p.name.removeprefix("Parameter#")) for p in (first, second)]
    assert numbers[1] == numbers[0] + 1
    assert Parameter(1.0, name="").name.startswith("Parameter#")


def test_a_name_must_be_text():
    with pytest.raises(ValueError, match="Parameter: name is 5 of type int; need a str or None"):
        Parameter(1.0, name=5)


def test_requires_grad_must_be_a_bool():
    with pytest.raises(TypeError, match="Parameter: requires_grad is 5; need a bool"):
        Parameter(1.0, requires_grad=5)
    parameter = Parameter(1.0)
    parameter.requires_grad = False
    assert parameter.requires_grad is False


def test_set_data_converts_the_dtype_and_returns_the_parameter():
    parameter = Parameter(Tensor([1, 2]))
    assert parameter.set_data(Tensor([1.7, -2.2])) is parameter
    assert parameter.dtype == dyad.int64
    assert parameter.asnumpy().tolist() == [1, -2]


def test_set_data_takes_over_another_shape():
    parameter = Parameter(Tensor([1.0, 2.0]))
    parameter.set_data(Tensor([1.0, 2.0, 3.0]))
    assert parameter.shape == (3,)
    parameter.set_data(5)
    assert parameter.shape == ()
    assert parameter.asnumpy() == 5


def test_set_data_copies():
    source = Tensor([1.0, 2.0])
    parameter = Parameter(Tensor([0.0, 0.0])).set_data(source)
    source[0] = 9.0
    assert parameter.asnumpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("value", ["s", [5, 6], np.ones(2), None, True])
def test_set_data_refuses_other_values(value):
    with pytest.raises(TypeError, match="need a Tensor, int or float"):
        Parameter(Tensor([1, 2])).set_data(value)


def test_a_fraction_is_not_a_value_of_an_integer():
    parameter = Parameter(1, "count")
    with pytest.raises(
        TypeError, match=r"Parameter.set_data: count of Int\d+ cannot take 1.2; need an int, or a Tensor"
    ):
        parameter.set_data(1.2)
    assert parameter.asnumpy() == 1
    assert Parameter(0.5).set_data(1.25).asnumpy() == 1.25


@pytest.mark.parametrize("flag", ["requires_grad", "layerwise_parallel", "parallel_optimizer"])
def test_flags_are_bools(flag):
    for value in (None, 1, "True", Tensor(True)):
        with pytest.raises(TypeError, match=f"Parameter: {flag} is .*; need a bool"):
            Parameter(Tensor([1.0]), "w", **{flag: value})


def test_data_shares_memory_and_assigning_it_sets_the_values():
    parameter = Parameter(Tensor([1.0, 2.0]))
    view = parameter.data
    assert type(view) is Tensor
    view[0] = 5.0
    assert parameter.asnumpy().tolist() == [5.0, 2.0]
    parameter.data = Tensor([7.0, 8.0])
    assert parameter.asnumpy().tolist() == [7.0, 8.0]


def test_clone_keeps_the_name_and_is_independent():
    parameter = Parameter(Tensor([1.0, 2.0]), name="p", requires_grad=False)
    same, zeros, twos = parameter.clone(), parameter.clone("zeros"), parameter.clone(2)
    parameter.set_data(Tensor([9.0, 9.0]))
    assert [p.name for p in (same, zeros, twos)] == ["p"] * 3
    assert same.requires_grad is False
    assert same.asnumpy().tolist() == [1.0, 2.0]
    assert zeros.asnumpy().tolist() == [0.0, 0.0]
    assert twos.asnumpy().tolist() == [2.0, 2.0]


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies_keep_type_name_and_values(duplicate):
    parameter = Parameter(Tensor([1.0, 2.0]), name="p", requires_grad=False)
    copied = duplicate(parameter)
    assert type(copied) is Parameter
    assert copied is not parameter
    assert (copied.name, copied.requires_grad) == ("p", False)
    assert copied.asnumpy().tolist() == [1.0, 2.0]


def test_arithmetic_gives_a_tensor_and_augmented_assignment_rebinds():
    parameter = Parameter(Tensor([1.0, 2.0]))
    assert type(parameter + 1) is Tensor
    alias = parameter
    alias += 1
    assert type(alias) is Tensor
    assert parameter.asnumpy().tolist() == [1.0, 2.0]


def test_is_hashed_by_identity():
    parameter, twin = Parameter(1.0, name="p"), Parameter(1.0, name="p")
    assert len({parameter, twin}) == 2
    assert {parameter: 1}[parameter] == 1


def test_tuple_refuses_two_parameters_of_one_name_but_takes_one_twice():
    first, second = Parameter(1.0, name="a"), Parameter(2.0, name="a")
    with pytest.raises(ValueError, match="its name 'a' already exists"):
        ParameterTuple((first, second))
    assert len(ParameterTuple((first, first))) == 2


def test_tuple_refuses_what_is_not_a_parameter():
    with pytest.raises(TypeError, match="ParameterTuple: an element is of type int"):
        ParameterTuple((1,))


def test_tuple_clone_prefixes_names():
    members = ParameterTuple((Parameter(1.0, name="a"), Parameter(2.0, name="b")))
    cloned = members.clone("moments", init="zeros")
    assert isinstance(cloned, ParameterTuple)
    assert [p.name for p in cloned] == ["moments.a", "moments.b"]
    assert [float(p.asnumpy()) for p in cloned] == [0.0, 0.0]


def test_unnamed_tuple_members_are_numbered_in_a_cell_without_clashes():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first = ParameterTuple((Parameter(1.0), Parameter(2.0)))
            self.second = ParameterTuple((Parameter(3.0),))

    net = Net()
    assert list(net.parameters_dict()) == ["Parameter$1", "Parameter$2", "Parameter$3"]
    assert isinstance(net.first, ParameterTuple)


def test_plain_sequences_are_not_registered():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weights = [Parameter(1.0, name="w")]

    assert list(Net().get_parameters()) == []


def test_writing_by_a_function_gives_a_plain_tensor_over_the_same_memory():
    parameter = Parameter(Tensor([1.0, 2.0]), name="weight")
    for write in (ops.assign, ops.Assign(), ops.assign_add):
        written = write(parameter, Tensor([3.0, 4.0]))
        assert type(written) is Tensor
        assert written.tolist() == parameter.tolist()
    written[0] = 9.0
    assert parameter[0].item() == 9.0
    tensor = Tensor([1.0])
    assert ops.assign(tensor, Tensor([2.0])) is tensor
