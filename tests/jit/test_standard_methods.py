"""Methods as plain functions under `_extends.parse.standard_method`, in every form."""

import pytest

from dyad import Tensor, jit, mutable
from dyad._extends.parse import standard_method
from dyad._extends.parse.standard_method import bool_, list_append, list_insert, ms_len

FORMS = {
    "python": lambda function: function,
    "ast": jit,
    "bytecode": lambda f: jit(f, capture_mode="bytecode"),
}


@pytest.fixture(params=FORMS.values(), ids=FORMS)
def form(request):
    return request.param


def test_a_method_that_gives_nothing_gives_the_container(form):
    function = form(lambda items, x: list_append(items, x))
    given = function([Tensor(1.0)], Tensor(2.0))
    assert [each.item() for each in given] == [1.0, 2.0]
    assert form(lambda items, place: list_insert(items, place, 3))([2], mutable(0)) == [3, 2]


def test_a_method_that_gives_something_gives_that(form):
    assert form(lambda x: standard_method.list_pop([1, 2, 3], 0))(Tensor(1)) == 1
    assert form(lambda x: standard_method.dict_get({"a": 4}, "a"))(Tensor(1)) == 4


def test_builtin_functions_and_methods_of_tensors(form):
    def asked(x):
        return ms_len(x), bool_(x[0] > 0), standard_method.mean(x), standard_method.reshape(x, (2, 1))

    length, is_positive, mean, column = form(asked)(Tensor([1.0, 3.0]))
    assert (length, is_positive, mean.item(), column.shape) == (2, True, 2.0, (2, 1))


def test_a_name_that_is_not_a_method_is_missing():
    with pytest.raises(AttributeError, match="list_appendd"):
        standard_method.list_appendd  # noqa: B018
