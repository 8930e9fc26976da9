"""Lists and tuples: methods, aliasing, identity, lists of the caller and of the module."""

from collections import namedtuple

from program import Raises, Scene, program, scene

from dyad import Tensor, mutable

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
M = Tensor([[1.0, 2.0], [3.0, 4.0]])


@program(X, expect=[9, 1])
def written_after_an_in_place_method(x):
    items = [1, 2]
    items.reverse()
    items[0] = 9
    return items


@program(X, expect=[9, 3, 1], again=[9, 3, 1])
def a_literal_is_fresh_on_each_call(x):
    items = [3, 1]
    items.insert(0, 9)
    return items


@program(X)
def every_method(x):
    items = [3, 1, 2]
    items.append(5)
    items.extend((7, 8))
    items.insert(1, 9)
    items.insert(100, 10)
    items.insert(-100, 11)
    last, second = items.pop(), items.pop(1)
    items.remove(9)
    items.sort()
    copied = items.copy()
    items.reverse()
    where, how_often = items.index(7), items.count(5)
    items.clear()
    return items, copied, last, second, where, how_often, x


@program(X)
def methods_return_none(x):
    items = [2, 1]
    return items.append(1), items.sort(), items.reverse(), items.extend([]), items


@program(X)
def sort_with_key_and_reverse(x):
    words = ["bb", "a", "ccc"]
    words.sort(key=len, reverse=True)
    pairs = [(2, "b"), (1, "a")]
    pairs.sort()
    return words, pairs


@program(M)
def extend_by_the_rows_of_a_tensor(x):
    items = [1]
    items.extend(x)
    return items


@program(X)
def aliases_see_every_change(x):
    a = [1, 2, 3]
    b = a
    c = [a, a]
    a.append(x)
    b[0] = 10
    c[1].insert(0, 0)
    a += [4]
    return b, c, a is b, c[0] is c[1]


@program(X)
def copies_are_separate(x):
    a = [[1], 2]
    b, c, d = a[:], list(a), a.copy()
    a.append(3)
    a[0].append(x)
    return a, b, c, d, a is b, a[0] is b[0]


@program(X)
def repetition_shares_the_elements(x):
    rows = [[]] * 2
    rows[0].append(x)
    return rows, rows[0] is rows[1]


@program(X)
def slices_read_and_written(x):
    items = [0, 1, 2, 3, 4, 5]
    read = items[1:4], items[::2], items[::-1], items[-2:], items[10:]
    items[1:3] = [x]
    items[::2] = [7, 8, 9]
    items[:0] = [-1]
    return read, items


@program(X)
def tuples(x):
    t = (1, "s", x)
    return t + (2,), t * 2, t[1:], t[-1], len(t), 1 in t, t.index("s"), t[:2].count(1)


@program(X, expect=Raises(TypeError, "'tuple' object does not support item assignment"))
def a_tuple_is_not_written(x):
    t = (1, x)
    t[0] = 5
    return t


@program(X)
def comparisons_of_sequences(x):
    return [1, 2] == [1, 2], (1, 2) == [1, 2], (1, 2) < (1, 3), [] != [1], [1] < [1, 0], x


@program(X)
def nested_writes(x):
    grid = [[1, 2], [3, [4, 5]]]
    grid[1][1][0] = x
    grid[0] = grid[1]
    grid[0][0] = 100
    return grid


@program(X, 1, then=[(X, 0), (X, -1), (X, 2), (X, 7)], strict=True)
def known_index(x, i):
    return [x, x * 2, x * 3][i]


@program(
    X, Tensor(1), then=[(X, Tensor(0)), (X, Tensor(-1)), (X, Tensor(2))], expect=[2.0, 4.0], strict=False
)
def tensor_index_of_a_list(x, i):
    return [x, x * 2, x * 3][i]


@program(X, Tensor(1), then=[(X, Tensor(3)), (X, Tensor(0))], strict=False)
def tensor_index_of_a_tuple(x, i):
    return (x, x * 2, x * 3)[i]


@program(X, mutable(1), then=[(X, mutable(2)), (X, mutable(-3)), (X, mutable(5))])
def variable_index_of_a_list(x, i):
    return [x, x * 2, x * 3][i]


@program(X, mutable(1), then=[(X, mutable(2)), (X, mutable(9))])
def variable_index_of_numbers(x, i):
    return [10, 20, 30][i]


@program(X, mutable(1), then=[(X, mutable(0)), (X, mutable(4))])
def variable_index_written(x, i):
    items = [x, x, x]
    items[i] = x * 10
    return items


@program(X, expect=Raises(IndexError, "list index out of range"))
def index_out_of_range(x):
    return [x, x][2]


@program(X, expect=Raises(IndexError, "pop from empty list"))
def pop_from_nothing(x):
    return [].pop()


@program(X, expect=Raises(ValueError))
def remove_what_is_not_there(x):
    items = [1, 2]
    items.remove(3)
    return items


@program(X, [1, 2])
def argument_appended_to(x, items):
    items.append(3)
    return x * len(items)


@program(X, [1, 2])
def argument_changed_in_every_way(x, items):
    items.append(3)
    items.extend([4, 5])
    items.insert(0, 0)
    items += [6]
    items.remove(1)
    items[0] = x
    items.pop()
    items.reverse()
    return x


@program(X, [1, [2, 3]])
def nested_argument_changed(x, items):
    items[1].append(x)
    return items


@program([1, 2], expect=[1, 2])
def argument_returned_is_the_same_object(items):
    return items


@scene(X, strict=TypeError)
def one_list_passed_twice():
    shared = [1]

    def f(x, a, b):
        a.append(2)
        return x * len(b)

    def call(x):
        return f(x, shared, shared)

    return Scene(call, watch=lambda: shared)


def _collect(items, value):
    items.append(value)
    return items


@program(X)
def changed_inside_a_callee(x):
    mine = [1]
    same = _collect(mine, x)
    return mine, same is mine


@scene(X, expect=([2.0, 3.0], [1, 3, 7]), strict=TypeError)
def module_list_keeps_its_identity():
    log = [3, 1]

    def f(x):
        log.reverse()
        log.insert(2, 7)
        return x + log[0], log

    def change():
        log[:] = [3, 1]

    return Scene(f, change, lambda: log)


LOG = []


@scene(X, expect=[1.0, 2.0], again=[2.0, 4.0], changed=[1.0, 2.0], strict=TypeError)
def global_list_counts_calls():
    LOG.clear()

    def f(x):
        LOG.append(1)
        return x * len(LOG)

    return Scene(f, LOG.clear, lambda: LOG)


@scene(X, strict=TypeError)
def tensors_kept_in_a_global_list():
    LOG.clear()

    def f(x):
        LOG.append(x * 2)
        return LOG[0] + x

    return Scene(f, LOG.clear, lambda: LOG)


@scene(S, strict=TypeError)
def global_list_changed_under_a_tensor_condition():
    LOG.clear()

    def f(x):
        if x > 0:
            LOG.append(1)
        return x * 2

    return Scene(f, LOG.clear, lambda: LOG)


Pair = namedtuple("Pair", ["left", "right"])


@program(X, Pair(1, X))
def namedtuples(x, pair):
    made = Pair(x, right=2)
    a, b = pair
    changed = made._replace(right=3)
    return made, made.left * a, pair.right + b, made[1], changed, isinstance(made, tuple), made._fields


@program(S)
def namedtuples_join(x):
    pair = Pair(x, 1) if x > 0 else Pair(x * 2, 2)
    return pair, pair.right


@program(X)
def membership(x):
    return 2 in [1, 2], 3 not in (1, 2), "a" in ["a"], None in [None], x


@program(Tensor(2.0), expect=True)
def tensor_in_a_tuple_of_numbers(x):
    return x in (2.0,)


@program(X, X)
def sequences_meet_tensors(x, y):
    return [1.0, 2.0] + x, x - (1.0, 2.0), [2.0, 3.0] * y, y / [2.0, 4.0]


@program(X)
def lists_of_tensors_through_functions(x):
    def scaled(items, k):
        return [item * k for item in items]

    return scaled(scaled([x, x + 1], 2), 3)


@program(X, (X, (S, 2)), [X, {"k": S}])
def containers_of_tensors_are_variables(x, pair, items):
    return pair[0] * x + pair[1][0] * pair[1][1], items[1]["k"] + items[0]


@program((X, X))
def pair_product(pair):
    return pair[0] * pair[1]


BOUNDS = [(X, mutable(3), mutable(1)), (X, mutable(-1), mutable(9)), (X, mutable(-9), mutable(-2))]


@program(X, mutable(1), mutable(3), then=BOUNDS, strict=False)
def sliced_by_bounds_of_the_run(x, i, j):
    items, pair = ["a", None, 3, j], (2.5, 5)
    return items[i:j], items[:j], pair[i:], items[i::2], pair[i:j:-1], len(items[i:j]), items[i:] + [x]


@program(X, mutable(1), mutable(3), then=BOUNDS, strict=False)
def tensors_sliced_by_bounds_of_the_run(x, i, j):
    items = [x, x * 2, 3, 4]
    return items[i:j], items[:j], (x, 5)[i:]


@program(X, mutable(1), mutable(3), then=BOUNDS, strict=False)
def slices_written_by_bounds_of_the_run(x, i, j):
    items, others = [1, 2, 3, 4], [1, 2, 3]
    items[i:j] = [x, 8, 9]
    others[i:] = ()
    return items, others


@program(X, mutable(1), then=[(X, mutable(3)), (X, mutable(0))], strict=False)
def a_loop_over_a_slice_of_the_run(x, i):
    total = x * 0
    for item in [x, x * 2, x * 3][i:]:
        total = total + item
    return total


@program(X, mutable(1), mutable(3), then=BOUNDS, strict=False)
def an_extended_slice_of_the_run_takes_as_many(x, i, j):
    items = [1, 2, 3, 4]
    try:
        items[i:j:2] = [x]
    except ValueError as error:
        return str(error), items
    return items


@program(S, mutable((1, 2, 3, 2)), mutable(2), then=[(S, mutable((1, 4, 3, 2)), mutable(3))])
def searches_for_numbers_that_the_graph_knows(x, numbers, wanted):
    items = [1, wanted, 3]
    return numbers.count(2), numbers.count(wanted), items.count(3), items.index(3), numbers.index(wanted, 2)


@program(S, mutable([1, 2]), mutable(2), then=[(S, mutable([1, 4]), mutable(9))])
def a_search_that_may_find_nothing(x, items, wanted):
    return items.index(wanted)


@program(X)
def a_search_ends_where_something_is_found(x):
    return (1, x).index(1), (5, x, 5).index(5, 0, 1), ["a", x].index("a")


@program(X, mutable(2), then=[(X, mutable(-3))])
def run_time_slices_of_nothing(x, k):
    filled = []
    filled[k:] = [2, 1]
    return [][:k], ()[k:], [][k::-1], filled
