"""One container given twice: what is written through one name is seen by the other, also after calls with two."""

from program import Call, Scene, program, scene

from dyad import Tensor

X = Tensor([1.0, 2.0])


def _both(value):
    """The same object as both arguments, whatever copies are made of the call."""
    pair = [value, value]
    return Call(pair)


@program([[1], [2]], then=[_both([3])], strict=False)
def lists_that_are_appended_to(pair):
    one, other = pair
    one.append(1)
    other.append(2)
    return len(one), len(other), one is other


@program([{}, {}], then=[_both({})], strict=False)
def dicts_that_are_written(pair):
    one, other = pair
    one["k"] = 1
    other["k"] = 2
    return one["k"], one is other


@program([{1}, {2}], then=[_both({3})], strict=False)
def sets_that_grow(pair):
    one, other = pair
    one.add(7)
    return 7 in other


@program([[1], [1]], then=[_both([1])])
def lists_that_are_compared(pair):
    return pair[0] is pair[1], pair[0] == pair[1]


@scene(X, strict=False)
def list_of_an_object_is_an_argument():
    class Holder:
        def __init__(self):
            self.items = []

    holder, others = Holder(), []
    given = [others]

    def f(x):
        holder.items.append(1)
        return x * len(given[0])

    return Scene(f, change=lambda: given.__setitem__(0, holder.items), watch=lambda: (holder.items, others))


@scene(X, strict=False)
def keyword_default_changed_in_place():
    def scaled(x, *, by=2):
        return x * by

    def f(x):
        return scaled(x)

    return Scene(f, change=lambda: scaled.__kwdefaults__.__setitem__("by", 7))


@program(Tensor(1.0), strict=False)
def one_list_or_two_given_back_by_two_returns(x):
    if x > 0:
        first = [x]
        second = first
        return first, second
    first, second = [x], [x]
    return first, second
