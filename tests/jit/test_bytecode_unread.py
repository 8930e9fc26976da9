"""Bytecode capture: containers that are only handed on or added to are guarded by their type, whatever they hold."""

import collections

import pytest
from guard_rows import NEW, SAME, X, bytecode, graphs, require_graphs, require_rows

import dyad
from dyad import jit, mutable


class Box:
    pass


BOX = Box()
KEPT = []


def worked_example(x, items, scale=2):
    y = x * scale
    items.append(y.shape[0])
    BOX.last = y
    if y.sum() > 0:
        return y + len(items)
    return y - 1


def prefix(x, items, scale=2):
    y = x * scale
    items.append(y.shape[0])
    BOX.last = y
    if y.sum() > 0:
        return y + 1
    return y - 1


def parts_of(compiled):
    """The number of graphs of each part that has some, in order."""
    parts = compiled.__jit_compiler__.split.parts.values()
    return [graphs(part) for _, part in parts if graphs(part)]


class TestTheWorkedExample:
    def test_any_other_list_is_served_by_the_graph(self):
        BOX.__dict__.clear()
        compiled = bytecode(prefix)
        require_graphs(compiled, prefix, 1, X, [])
        for items in ([], [1, 2], ["a"], [X, object()], [[]]):
            require_graphs(compiled, prefix, 0, X, items)
        require_graphs(compiled, prefix, 0, X * -1, [])
        require_graphs(compiled, prefix, 1, X, [], 3)

    def test_effects_are_done_once_and_on_the_object_itself(self):
        compiled = bytecode(prefix)
        for number in range(3):
            items = [None] * number
            result = compiled(X, items)
            assert items == [None] * number + [2]
            assert BOX.last.asnumpy().tolist() == (X * 2).asnumpy().tolist()
            assert result.shape == (2, 3)

    def test_what_reads_the_length_is_another_graph_for_another_length(self):
        compiled = bytecode(worked_example)
        for items, made in ([7], 1), ([[]], 1), ([7, 7], 2), ([None, X], 2):
            given, expected = made_of(items)
            result = compiled(X, given)
            assert result.asnumpy().tolist() == worked_example(X, expected).asnumpy().tolist()
            assert graphs(compiled) == made

    def test_a_length_that_goes_on_changing_is_read_by_python(self):
        compiled = bytecode(worked_example)
        made = []
        for length in range(8):
            items, expected = [None] * length, [None] * length
            result = compiled(X, items)
            assert result.asnumpy().tolist() == worked_example(X, expected).asnumpy().tolist()
            assert items == expected
            made.append(graphs(compiled) + sum(parts_of(compiled) if length > 1 else []))
        assert made[-1] == made[3], "the lengths after the third make no graphs"

    def test_it_is_refused_as_one_graph_only_where_data_decides(self):
        compiled = jit(worked_example, capture_mode="bytecode", fullgraph=True)
        for length in range(5):
            assert compiled(X, [None] * length).shape == (2, 3)


def append(x, items):
    items.append(x * 2)
    return x + 1


def extend(x, items):
    items.extend([x, 3])
    items.append(4)
    return x + 1


def add_in_place(x, items):
    items += (x, 3)
    return x + 1


def by_a_name(x, items):
    add = items.append
    add(1)
    add(x)
    return x + 1


def write_entries(x, table):
    table["a"] = x * 2
    table["b"] = 3
    table["a"] = x
    return x + 1


def add_member(x, members):
    members.add(3)
    members.update((4, 5))
    return x + 1


def in_an_arm(x, items):
    if x.sum() > 0:
        items.append(x * 2)
        items.append(1)
    else:
        items.append(2)
    return x + 1


def in_a_callee(x, items):
    append(x, items)
    append(x, items)
    return x + 1


def append_and_ask(x, items):
    items.append(1)
    return x + 1 if items else x


def append_and_hand_on(x, items):
    items.append(x)
    return x + 1, items


def append_and_read(x, items):
    items.append(x * 2)
    return items[-1] + items[0]


def read_and_append(x, items):
    y = items[0] * 2
    items.append(y)
    return y


def append_and_raise(x, items):
    items.append(1)
    raise ValueError("behind")


def to_an_attribute(x, box):
    box.items.append(x)
    return x + 1


def to_a_global(x, number):
    KEPT.append(number)
    return x + 1


def made_of(contents):
    """Two equal containers: one for Python, one for the graph."""
    return [contents.copy() for _ in range(2)]


LISTS = ([], [1], ["a", X], [[1], {}], [None] * 5)
TABLES = ({}, {"z": 1}, {"a": 1, "z": 2}, {"b": [], "a": 3}, {1: X})
SETS = (set(), {1}, {3, "a"}, {(1, 2)})
QUEUES = tuple(collections.deque(items, maxlen=3) for items in LISTS)
ADDING = [
    *((function, LISTS) for function in (append, extend, add_in_place, by_a_name, in_an_arm, in_a_callee)),
    *((function, QUEUES) for function in (append, extend, by_a_name)),
    (append_and_hand_on, LISTS),
    (append_and_ask, LISTS),
    (write_entries, TABLES),
    (add_member, SETS),
]


@pytest.mark.parametrize("mode", ["bytecode", "ast"])
@pytest.mark.parametrize(
    ("function", "containers"),
    [pytest.param(*row, id=f"{row[0].__name__}-{type(row[1][0]).__name__}") for row in ADDING],
)
def test_what_is_only_added_to_may_hold_anything(function, containers, mode):
    compiled = jit(function, capture_mode=mode)
    before = graphs(compiled)
    for container in containers:
        for sign in (1, -1):
            given, expected = made_of(container)
            result = compiled(X * sign, given)
            assert repr(result) == repr(function(X * sign, expected))
            assert repr(given) == repr(expected)
            if isinstance(result, tuple):
                assert result[1] is given
    assert graphs(compiled) - before == 1


@pytest.mark.parametrize("mode", ["bytecode", "ast"])
@pytest.mark.parametrize("function", [append_and_read, read_and_append])
def test_what_is_read_is_guarded(function, mode):
    compiled = jit(function, capture_mode=mode)
    for items in ([X], [X + 1], [X, X], [3.0], [2.0, 1], [3.0]):
        given, expected = made_of(items)
        assert repr(compiled(X, given)) == repr(function(X, expected))
        assert repr(given) == repr(expected)


def test_what_is_added_before_an_exception_is_there():
    compiled = bytecode(append_and_raise)
    for number in range(4):
        items = [None] * number
        with pytest.raises(ValueError, match="behind"):
            compiled(X, items)
        assert items == [None] * number + [1]


def test_a_list_that_grows_with_each_call():
    box = Box()
    box.items = []
    compiled, to_global = bytecode(to_an_attribute), bytecode(to_a_global)
    KEPT.clear()
    for number in range(6):
        compiled(X, box)
        to_global(X, 7)
        assert len(box.items) == len(KEPT) == number + 1
    assert graphs(compiled) == graphs(to_global) == 1


ALIASED = {
    "two lists": (lambda x, a, b: (a.append(1), b.append(2), a.append(3)), list),
    "two dicts": (lambda x, a, b: (a.update(k=1), b.update(k=2)), dict),
    "length": (lambda x, a, b: (a.append(1), x + len(b))[1], list),
    "item of a dict": (lambda x, a, b: (a.__setitem__("k", x * 2), b["k"] + 1)[1], lambda: {"k": X}),
    "item of a list": (lambda x, a, b: (a.__setitem__(0, x * 2), b[0] + 1)[1], lambda: [X]),
    "attribute": (lambda x, a, b: (setattr(a, "k", x * 2), b.k + 1)[1], None),
}


@pytest.mark.parametrize("mode", ["bytecode", "ast"])
@pytest.mark.parametrize("row", ALIASED)
def test_two_that_become_one(row, mode):
    """Reads of one did not see changes through the other when the graph was compiled."""
    function, make = ALIASED[row]
    one, other = Box(), Box()

    def arguments(same):
        if make is None:
            one.k = other.k = X
            return one, one if same else other
        first = make()
        return first, first if same else make()

    compiled = jit(function, capture_mode=mode)
    for same in (False, True, False, True):
        expected = arguments(same)
        told = repr(function(X, *expected)), None if make is None else repr(expected)
        given = arguments(same)
        assert (repr(compiled(X, *given)), None if make is None else repr(given)) == told


def batch_of(number, **more):
    return {"input": X * number, "ids": ["a"] * number, "meta": {"step": number}, **more}


def hand_on(x, batch):
    return {"y": batch["input"] * 2, "ids": batch["ids"]}


def whole_batch(x, batch):
    return x + 1, [batch]


def keep(x, batch):
    BOX.ids = batch["ids"]
    KEPT.append(batch["meta"])
    return batch["input"] + x


def inner(batch, result):
    result["ids"] = batch["ids"]
    return batch["input"] * 3


def by_a_callee(x, batch):
    result = {}
    result["y"] = inner(batch, result)
    return result


def walked(x, batch):
    return {key: value for key, value in batch.items()}


def asked_for_its_type(x, batch):
    ids = batch["ids"]
    return (x * 2, ids) if isinstance(ids, list) and ids is not None and type(ids) is list else x


@pytest.mark.parametrize("mode", ["bytecode", "ast"])
@pytest.mark.parametrize("function", [hand_on, whole_batch, keep, by_a_callee, walked, asked_for_its_type])
def test_what_is_handed_on_may_hold_anything(function, mode):
    compiled = jit(function, capture_mode=mode)
    before = graphs(compiled)
    for number in range(1, 6):
        batch, expected = batch_of(number), function(X, batch_of(number))
        result = compiled(X, batch)
        assert repr(result) == repr(expected)
        if isinstance(result, dict):
            assert result["ids"] is batch["ids"]
        elif isinstance(result, tuple):
            assert result[1] is batch["ids"] or result[1][0] is batch
        else:
            assert BOX.ids is batch["ids"] and KEPT[-1] is batch["meta"]
    assert graphs(compiled) - before == 1


def test_what_host_code_gets_is_the_object_itself():
    seen = []

    def program(x, batch):
        y = batch["input"] * 2
        y = y + 1
        seen.append(batch["ids"]), open("/dev/null").close()
        return y * 3 - 1

    compiled = bytecode(program)
    for number in range(1, 7):
        batch = batch_of(number)
        compiled(X, batch)
        assert seen[-1] is batch["ids"]
    assert max(parts_of(compiled)) == 1


LOOKED_AT = {
    "type": (hand_on, batch_of(1), batch_of(1, ids=("a",)), NEW),
    "one that is in it": (lambda x, batch: x * len(batch["ids"]), batch_of(1), batch_of(1, ids=["b"]), SAME),
    "length": (lambda x, batch: x * len(batch["ids"]), batch_of(1), batch_of(1, ids=["a", "b"]), NEW),
    "truth": (lambda x, batch: x if batch["ids"] else x + 1, batch_of(1), batch_of(1, ids=[]), NEW),
    "same truth": (lambda x, batch: x if batch["ids"] else x + 1, batch_of(1), batch_of(1, ids=[1, 2]), SAME),
    "member": (
        lambda x, batch: x if "a" in batch["ids"] else x + 1,
        batch_of(1),
        batch_of(1, ids=["b"]),
        NEW,
    ),
    "item": (lambda x, batch: x * batch["meta"]["step"], batch_of(1), batch_of(1, meta={"step": 2}), NEW),
    "other item": (
        *(lambda x, batch: x * batch["meta"]["step"], batch_of(1)),
        *(batch_of(1, meta={"step": 1, "name": "a"}), SAME),
    ),
    "text": (lambda x, batch: (x, f"{batch['ids']}"), batch_of(1), batch_of(1, ids=["b"]), NEW),
    "joined": (lambda x, batch: (x, ",".join(batch["ids"])), batch_of(1), batch_of(1, ids=["b"]), NEW),
    "joined inside": (
        *(lambda x, batch: (x + 1, sorted([batch["ids"], ["b"]])), batch_of(1)),
        *(batch_of(1, ids=["c"]), NEW),
    ),
    "compared": (
        lambda x, batch: x if batch["ids"] == ["a"] else x + 1,
        batch_of(1),
        batch_of(1, ids=["b"]),
        NEW,
    ),
    "spread": (lambda x, batch: (x, [*batch["ids"]]), batch_of(1), batch_of(1, ids=["b"]), NEW),
    "unpacked": (
        *(lambda x, batch: [x * k for k in batch["meta"].values()], batch_of(1)),
        *(batch_of(1, meta={"step": 3}), NEW),
    ),
}


@pytest.mark.parametrize("row", LOOKED_AT)
def test_what_is_looked_at_is_guarded(row):
    function, first, second, expected = LOOKED_AT[row]
    require_rows(function, (X, first), (X, second), expected)


def total(x, values):
    y = x * 2 + 1
    for value in values:
        y = y + value * 2 - 1
    return y * 3 - values[0]


def counted(x, values):
    y = x * 2 + 1
    count = len(values)
    return y * 3 - 2 + count


class TestAnyLength:
    @pytest.mark.parametrize("kind", [list, tuple])
    @pytest.mark.parametrize("function", [total, counted])
    def test_a_length_that_is_left_open_makes_no_graphs(self, function, kind):
        compiled = bytecode(function)
        for length in range(1, 9):
            given = mutable(kind([X + 1] * length), dynamic_len=True)
            assert compiled(X, given).asnumpy().tolist() == function(X, [X + 1] * length).asnumpy().tolist()
        assert graphs(compiled) == 0
        assert max(parts_of(compiled)) <= 2, "the second is for a number that is left open"

    def test_numbers_in_it(self):
        compiled = bytecode(total)
        for length in range(1, 6):
            given = mutable([float(length)] * length, dynamic_len=True)
            assert compiled(X, given).asnumpy().tolist() == total(X, given).asnumpy().tolist()
        assert max(parts_of(compiled)) <= 2

    def test_one_graph_is_made_for_each_length_where_all_must_be_one(self):
        compiled = jit(total, capture_mode="bytecode", fullgraph=True)
        for length in (1, 2, 1):
            given = mutable([X] * length, dynamic_len=True)
            assert compiled(X, given).asnumpy().tolist() == total(X, [X] * length).asnumpy().tolist()
        assert graphs(compiled) == 2

    def test_it_is_handed_on_as_it_is(self):
        compiled = bytecode(lambda x, values: (x + 1, values))
        for length in range(1, 4):
            given = mutable([X] * length, dynamic_len=True)
            assert compiled(X, given)[1] is given
        assert graphs(compiled) == 1


def test_guards_are_told():
    compiled = bytecode(hand_on)
    compiled(X, batch_of(2))
    told = str(dyad.explain(compiled)(X, batch_of(1)))
    assert "argument batch['ids']: type list" in told and "length" not in told
