"""Values that are one of several, which depends on data, where they stand inside of what is given or asked."""

import collections
import functools
import typing

from program import Raises, program

from dyad import Tensor, ops

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
OTHER = [(Tensor(-1.0),)]


@program(S, then=OTHER, strict=False)
def numbers_in_a_list_of_elements(x):
    number = 1 if x > 0 else 2.5
    return Tensor([number, 1])


@program(S, then=OTHER, strict=False)
def tensors_in_a_list_of_tensors(x):
    chosen = X if x > 0 else ops.cast(X, "int32")
    return ops.concat([chosen, chosen])


@program(S, then=OTHER, strict=False)
def mappings_of_keywords(x):
    options = {"a": 1} if x > 0 else {"b": 2, "a": 5}
    return {**options}, (lambda **given: sorted(given))(**options)


@program(S, then=OTHER, strict=False)
def a_function_with_arguments(x):
    function = (lambda value: value * 2) if x > 0 else (lambda value: value + 1)
    return functools.partial(function, X)()


@program(S, then=OTHER, strict=False)
def membership_of_itself(x):
    chosen = None if x > 0 else X
    return chosen in (chosen,)


@program(S, expect=Raises(TypeError, "'set' object is not subscriptable"))
def a_set_by_number(x):
    members = {1, 2}
    return members[0] * x


class Pair(typing.NamedTuple):
    first: object
    second: int


@program(X, strict=False)
def texts_of_containers_of_other_classes(x):
    pair, ordered = Pair(x.sum(), int(x[1])), collections.OrderedDict(a=x.sum())
    print(pair, ordered)
    return f"{pair}", str([ordered]), "%s" % (pair,)


@program(S, then=OTHER, strict=False)
def texts_of_other_dicts_of_a_length_from_data(x):
    ordered = collections.OrderedDict(a=1)
    if x > 0:
        ordered["b"] = 2
    print(ordered)
    return f"{ordered}"


@program(X, strict=False)
def ranges_from_data(x):
    numbers = range(int(x[1]))
    print(numbers, [numbers])
    return numbers == range(2), type(numbers).__name__, f"{numbers}"
