"""Containers and objects that are made inside one path of a branch keep what was put into them there."""

import pytest

import dyad
from dyad import Tensor


def appended(x):
    if x.sum() > 100:
        raise ValueError("too large")
    made = []
    for i in range(2):
        made.append(x[i])
    return made


def comprehended(x):
    if x.sum() > 100:
        raise ValueError("too large")
    return [x[i] for i in range(2)]


def filled(x):
    if x.sum() > 100:
        raise ValueError("too large")
    made = {}
    made["first"] = x[0]
    made.update(second=x[1])
    return list(made.values())


def returned_early(x):
    if x.sum() > 100:
        return [x[0] * 2, x[1]]
    made = [x[0]]
    made.append(x[1])
    return made


class Holder:
    def __init__(self):
        self.items = []

    def put(self, item):
        self.items.append(item)
        self.count = len(self.items)


def held(x):
    if x.sum() > 100:
        raise ValueError("too large")
    holder = Holder()
    holder.put(x[0])
    holder.put(x[1])
    return holder.items[: holder.count]


@pytest.mark.parametrize("make", [appended, comprehended, filled, returned_early, held])
def test_what_is_made_on_one_path(make):
    @dyad.jit
    def direct(x):
        return make(x)

    @dyad.jit
    def used(x):
        made = make(x)
        return len(made), made[0] + made[1]

    x = Tensor([1.0, 2.0, 3.0])
    for _ in range(2):
        assert [item.asnumpy().tolist() for item in direct(x)] == [1, 2]
        count, total = used(x)
        assert (count, total.asnumpy().tolist()) == (2, 3)
    large = Tensor([200.0, 2.0, 3.0])
    if make is returned_early:
        assert [item.asnumpy().tolist() for item in direct(large)] == [400, 2]
    else:
        with pytest.raises(ValueError, match="too large"):
            direct(large)


def test_what_was_there_before_is_changed_on_one_path_only():
    @dyad.jit
    def program(x):
        holder, items = Holder(), [0]
        if x.sum() > 100:
            items.append(1)
            holder.count = 7
        else:
            holder.count = 8
            items.append(2)
        return items, holder.count

    assert program(Tensor([1.0])) == ([0, 2], 8)
    assert program(Tensor([200.0])) == ([0, 1], 7)
