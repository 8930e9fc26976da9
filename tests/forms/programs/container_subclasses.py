"""Subclasses of Python's containers with methods of their own: which of them Python calls, and which it passes over."""

import collections

from noting import NOTES, note
from program import Raises, Scene, program, scene

from dyad import Tensor

X = Tensor([1.0, -2.0])


class Tens(list):
    def __getitem__(self, place):
        return list.__getitem__(self, place) * 10


class TupleOfTens(tuple):
    __slots__ = ()

    def __getitem__(self, place):
        return tuple.__getitem__(self, place) * 10


class DictOfTens(dict):
    def __getitem__(self, key):
        return dict.__getitem__(self, key) * 10


class Marked(str):
    __slots__ = ()

    def __getitem__(self, place):
        return "z" + str.__getitem__(self, place)


class Endless(tuple):
    __slots__ = ()

    def __getitem__(self, place):
        return 5.0


class Row(collections.namedtuple("Row", "left right")):
    __slots__ = ()

    def __getitem__(self, key):
        return getattr(self, key) if isinstance(key, str) else tuple.__getitem__(self, key)


class Longer(tuple):
    """Says that it has one more element than it holds."""

    __slots__ = ()

    def __len__(self):
        return tuple.__len__(self) + 1

    def __getitem__(self, place):
        return place * 10


class Doubled(list):
    """Is iterated over by a method that gives other elements than it holds."""

    def __iter__(self):
        return iter([2 * item for item in list.__iter__(self)])


class Pairs:
    """Has no `__iter__`: its elements are those of `__getitem__`."""

    def __getitem__(self, place):
        if place > 2:
            raise IndexError(place)
        return place + 1


class Uniterable:
    __iter__ = None

    def __getitem__(self, place):
        return place


class Index(int):
    def __index__(self):
        return 1


def _uses(value):
    def f(x):
        y = x
        for item in value:
            y = y + item
        first, second = value
        return (
            y * first + second,
            (x * sum(value), list(value), [*value], [item for item in value], tuple(value)),
            (max(value), min(value), sorted(value), 1 in value, 10 in value, any(value)),
            (list(zip(value, value, strict=True)), list(enumerate(value)), list(map(str, value))),
            (list(reversed(value)), value[0], value[-1], len(value), value.index(2), value.count(1)),
        )

    return f


@scene(X)
def list_with_getitem():
    return _uses(Tens([1, 2]))


@scene(X)
def tuple_with_getitem():
    return _uses(TupleOfTens((1, 2)))


@program(X)
def new_list_with_getitem(x):
    return _uses(Tens([1, 2]))(x)


@scene(X)
def list_of_tensors_with_getitem():
    held = Tens([Tensor([2.0, 3.0]), Tensor([4.0, 5.0])])

    def f(x):
        first, second = held
        return x * sum(held), first - second, held[0], x * held[1]

    return f


@program(X, Tens([Tensor([2.0, 3.0]), Tensor([4.0, 5.0])]))
def list_of_tensors_with_getitem_as_an_argument(x, held):
    for item in held:
        x = x + item
    return x, held[1]


@scene(X)
def dict_with_getitem():
    held = DictOfTens(a=1, b=2)

    def f(x):
        names = [name for name in held]
        return (
            x * held["a"],
            (names, list(held), [*held], sorted(held), "a" in held, len(held), list(reversed(held))),
            (list(held.values()), list(held.items()), dict(held), {**held}, held.get("a")),
        )

    return f


@scene(X)
def dict_of_numbers_with_getitem():
    held = DictOfTens({0: 1, 1: 2})
    return lambda x: (x, list(held), [*held], held[0])


@scene(X)
def text_with_getitem():
    text = Marked("ab")
    return lambda x: (
        x,
        (text[0], text[1], list(text), [c for c in text], text.upper(), "ab" in text, "z" in text),
        (list(reversed(text)), "".join(text), list(zip(text, text, strict=True))),
    )


@scene(X)
def tuple_whose_getitem_never_ends():
    held = Endless((1.0, 2.0))

    def f(x):
        for item in held:
            x = x + item
        a, b = held
        return x * sum(held) + a * b, list(held), held[7]

    return f


@scene(X)
def named_tuple_with_getitem():
    row = Row(1.0, 2.0)

    def f(x):
        for item in row:
            x = x + item
        left, right = row
        return x * row["left"] + row[1], left, right, row.left, list(row), row[0:1]

    return f


@scene(X)
def reversed_asks_a_tuple_for_its_length_and_items():
    held = Longer((1, 2))
    return lambda x: (x, list(reversed(held)), len(held), list(held), [*held], sum(held))


@scene(X)
def list_with_iter():
    held = Doubled([1, 2, 3])

    def f(x):
        for item in held:
            x = x + item
        a, b, c = held
        return (
            x * a + b * c,
            (list(held), [*held], sum(held), max(held), sorted(held), 4 in held, 3 in held, held[0]),
            (held.index(3), held.count(4), list(reversed(held)), held == [1, 2, 3], len(held)),
        )

    return f


@scene(X)
def list_of_tensors_with_iter():
    held = Doubled([Tensor([2.0, 3.0]), Tensor([4.0, 5.0])])

    def f(x):
        for item in held:
            x = x + item
        return x, held[0]

    return f


@scene(X)
def class_without_iter():
    held = Pairs()

    def f(x):
        for item in held:
            x = x + item
        a, b, c = held
        return x * a + b * c, (list(held), sum(held), 3 in held, 4 in held, max(held), dict(zip(held, held)))

    return f


@scene(X, expect=Raises(TypeError, "'Uniterable' object is not iterable"))
def class_whose_iter_is_none():
    held = Uniterable()
    return lambda x: x * sum(held)


@scene(X)
def index_of_a_subclass_of_int():
    index = Index(3)
    items = [5, 6, 7, 8]

    def f(x):
        return (
            x * items[index],
            items[index:],
            items[:index],
            (1, 2, 3, 4)[index],
            "abcd"[index],
            range(index),
        )

    return f


@scene(X)
def write_at_a_subclass_of_int():
    index = Index(2)

    def f(x):
        items = [5, 6, 7, 8]
        items[index] = 1
        del items[index]
        return x, items

    return f


@program(X, 1)
def list_with_getitem_at_a_place_known_when_the_graph_runs(x, place):
    held = Tens([1.0, 2.0, 3.0])
    found = held[int(x.sum()) + 2 + place]
    return x * found


class ListOfMethods(list):
    def __iter__(self):
        return map(str, super().__iter__())

    def __reversed__(self):
        return (item + 1 for item in list.__reversed__(self))

    def __len__(self):
        return super().__len__() + 3

    def __contains__(self, item):
        return not super().__contains__(item)


class TupleOfMethods(tuple):
    __slots__ = ()

    def __iter__(self):
        return map(str, super().__iter__())

    def __len__(self):
        return tuple.__len__(self) + 3


class DictOfMethods(dict):
    def __iter__(self):
        return map(str.upper, super().__iter__())

    def __len__(self):
        return 7


class SetOfMethods(set):
    def __iter__(self):
        return iter(sorted(-item for item in set.__iter__(self)))


class TextOfMethods(str):
    __slots__ = ()

    def __iter__(self):
        return (c + c for c in str.__iter__(self))


@scene(X)
def methods_call_those_of_the_list():
    held = ListOfMethods([1, 2])
    return lambda x: (x, list(held), list(reversed(held)), len(held), 1 in held, 5 in held, held[-1])


@scene(X)
def methods_call_those_of_the_tuple():
    held = TupleOfMethods((1, 2))
    return lambda x: (x, list(held), [*held], len(held), 1 in held, held[-1], held.index(2))


@scene(X)
def methods_call_those_of_the_dict():
    held = DictOfMethods(a=1, b=2)
    return lambda x: (x, list(held), [*held], len(held), "a" in held, list(held.values()), held["b"])


@scene(X)
def methods_call_those_of_the_set():
    held = SetOfMethods({1, 2})
    return lambda x: (x, list(held), [*held], len(held), 1 in held, -1 in held)


@scene(X)
def methods_call_those_of_the_text():
    held = TextOfMethods("ab")
    return lambda x: (x, list(held), [*held], len(held), "ab" in held, "aa" in held, "".join(held))


@program(X)
def methods_of_the_bases_are_called_by_name(x):
    held, entries = Doubled([1, 2]), DictOfMethods(a=1)
    return (
        (x * list.__getitem__(held, 1), list.__len__(held), list(list.__iter__(held))),
        (dict.__getitem__(entries, "a"), list(dict.__iter__(entries)), dict.__len__(entries)),
    )


@program(X)
def containers_with_methods_are_compared_by_what_they_hold(x):
    number = float(x.sum())
    held = DictOfTens(a=number)
    items = Tens([number, 1])
    pair = TupleOfTens((number, 1))
    return (
        x,
        (held == {"a": number}, items == [number, 1], pair == (number, 1), items < Tens([number, 2])),
        (number in items, items.count(number), pair.index(1), items.index(number)),
    )


class Noting(list):
    def __iter__(self):
        note("iterated")
        return super().__iter__()


@scene(X, strict=False)
def iter_is_called_only_where_python_does():
    NOTES.clear()

    def f(x):
        held = Noting([1.0, x])
        first = held[0] * x
        second = held[1] + len(held)
        return first, second, 1.0 in held[:1], [*held], sum(held)

    return Scene(f, watch=lambda: list(NOTES))
