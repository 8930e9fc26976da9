"""Host statements in awkward places: deep in blocks, in targets, defaults, conditions, handlers and class machinery."""

import contextlib
import sys

import numpy as np
from hosting import LOG, hosted, hosted_scene, log, passed, total
from program import Call, Scene

from dyad import Parameter, Tensor, nn, ops

X = Tensor([1.0, 2.0])
ALSO = [(Tensor([9.0, 2.0]),), (Tensor([0.0, 0.0]),), (Tensor([60, 1]),)]
N = Tensor(2)
NUMBERS = [(Tensor(0),), (Tensor(3),), (Tensor(-1),)]


@contextlib.contextmanager
def said(name):
    LOG.append("in " + name)
    try:
        yield name
    finally:
        LOG.append("out " + name)


@hosted(X, then=ALSO)
def deep_in_blocks(x):
    y = x
    while y.sum() < 100:
        try:
            for i in range(3):
                with said(str(i)):
                    if i == 1:
                        match int(total(y)) % 3:
                            case 0:
                                y = y + 10
                                continue
                            case 1:
                                y = y * 2 + 7
                                break
                            case _:
                                raise ValueError(i)
                    y = y + 3
            else:
                LOG.append("else")
                y = y + total(x)
        except ValueError as error:
            LOG.append(error.args)
            y = y * 2 + 5
        finally:
            y = y + 20
    return y


@hosted(X)
def twenty_cuts_in_a_row(x):
    y = x
    a = total(y); y = y + a  # fmt: skip
    b = total(y)
    y = y - b
    c = total(y)
    y = y + c * 2
    d = total(y)
    y = y * (1 if d > 0 else -1)
    e = [total(y), a]
    y = y + e[0]
    e.append(total(y))
    f = e
    y = y - f[2]
    f.append(total(y))
    g = (total(y), e)
    y = y + g[0]
    h = total(y)
    return y, a, b, c, d, e, g[1] is f, h


@hosted(X)
def expression_over_many_lines(x):
    y = x * total(
        x + 1,
    ) + sum(
        passed(
            [total(x), 2.0],
            """many
    lines""",
        )
    )
    return y, \
        total(y)  # fmt: skip


@hosted(X)
def parts_of_a_formatted_text_in_order(x):
    k = 1.5
    return f"{passed(k, 'a')} {log('b')} {total(x):{passed('.2f', 'c')}} {passed(x.shape, 'd')!r}", x * 2


@hosted(N, then=NUMBERS)
def target_with_a_host_index(n):
    items, table = [0, 0, 0], {}
    items[passed(int(n), "index")] = passed(n * 2, "value")
    table[int(n)], items[0] = items[0], n
    for items[int(n)] in (n * 3, "last"):
        LOG.append("turn")
    return items, table


@hosted(N, then=NUMBERS)
def deleted_at_a_host_index(n):
    items, table = [1, 2, 3], {2: "a", 3: "b"}
    try:
        del items[passed(int(n), "list")], table[passed(int(n), "table")]
    except KeyError as error:
        LOG.append(error.args)
    return items, table, n * len(items)


@hosted(X)
def default_of_a_lambda_in_a_loop(x):
    made = []
    for i in range(2):
        made.append(lambda v, k=total(x) + i: v * k)
        x = x + 1
    return [f(x) for f in made]


@hosted(X)
def base_and_decorator_of_a_class(x):
    class Base:
        pass

    def noted(cls):
        LOG.append(cls.__name__)
        cls.k = total(x)
        return cls

    @passed(noted, "decorator")
    class Made(passed(Base, "base")):
        j = passed(2, "body")

    return x * Made.k * Made.j, Made.__mro__[1] is Base


class Mangled:
    __hidden = 3.0

    def __init__(self):
        self.__k = 1.0

    def add(self, x):
        self.__k += total(x)
        __local = x * self.__k
        passed(None, "host")
        return __local + self.__hidden + self.__k


@hosted(X)
def private_names_behind_a_cut(x):
    made = Mangled()
    return made.add(x) + made.add(x), vars(made)


class Upper:
    def scaled(self, x):
        LOG.append("upper")
        return x * 2

    @classmethod
    def named(cls):
        return cls.__name__


class Lower(Upper):
    def scaled(self, x):
        k = total(x)
        y = super().scaled(x)
        passed(None, "host")
        return super().scaled(y) + k, __class__.__name__

    @classmethod
    def named(cls):
        passed(None, "host")
        return super().named() + "!"


@hosted(X)
def super_behind_a_cut(x):
    return Lower().scaled(x), Lower.named()


@hosted_scene(X)
def super_construct_behind_a_cut():
    class Base(nn.Cell):
        def construct(self, x):
            return x * 2 + total(x)

    class Made(Base):
        def construct(self, x):
            k = total(x)
            y = super().construct(x)
            return super().construct(y) * k

    return Made()


@hosted(X, 2.0, then=[Call(X, 3, 4, 5, key=X), Call(X, 1.0, key=None, more=X)])
def every_kind_of_parameter(x, k, /, *rest, key=3.0, **more):
    y = x * k
    n = total(y)
    rest = (*rest, n)
    more["n"] = n
    return y, rest, key, more


@hosted(X)
def exception_state_behind_a_cut(x):
    told = []
    try:
        raise KeyError("first")
    except KeyError:
        k = total(x)
        told.append(repr(sys.exc_info()[1]))
        try:
            raise ValueError(k)
        except ValueError as error:
            passed(None, "host")
            told.append(repr(error.__context__))
        told.append(repr(sys.exc_info()[1]))
    told.append(sys.exc_info()[1])
    return x * k, told


@hosted(X)
def bare_raise_behind_two_cuts(x):
    def f():
        try:
            [][0]
        except IndexError:
            a = total(x)
            try:
                {}[a]
            except KeyError as error:
                LOG.append(error.args)
            b = total(x * 2)
            LOG.append(b)
            raise

    try:
        f()
    except IndexError as error:
        return str(error), error.__context__, x


@hosted(X, then=ALSO)
def exception_in_else_is_not_caught(x):
    try:
        try:
            k = total(x)
        except ZeroDivisionError:
            LOG.append("never")
        else:
            LOG.append("else")
            k = 12 / k
        finally:
            LOG.append("finally")
    except ZeroDivisionError:
        k = -1.0
    return x * k


@hosted(X, then=ALSO)
def cut_in_finally_while_an_exception_passes(x):
    y = x
    try:
        for i in range(2):
            try:
                y = y * 2
                if x.sum() > 2:
                    raise ValueError(i)
            finally:
                LOG.append(total(y))
                y = y + 1
            LOG.append("end")
    except ValueError as error:
        return y, error.args
    return y


@hosted(X, then=ALSO)
def return_passes_a_cut_in_finally(x):
    def f(v):
        try:
            if v.sum() > 5:
                return v * 2
            with said("w"):
                return v * total(v)
        finally:
            LOG.append(total(v))

    return f(x), f(x + 1)


@hosted(X)
def manager_whose_expression_needs_a_cut(x):
    with said("a") as a, said(a + str(total(x))) as b, said(passed("c", "c")):
        y = x * len(b)
    return y, b


@hosted(N, then=NUMBERS)
def each_frame_of_a_recursion_has_its_own_names(n):
    def f(k, path):
        here = int(k)
        mine = [here]
        y = k * 2
        if here > 0:
            y = y + f(k - 1, path + [here])
        mine.append(total(y))
        LOG.append((path, mine, here))
        return y

    return f(n, [])


@hosted(X)
def view_and_base_across_a_cut(x):
    y = x * 1
    part = y[:1]
    k = total(y)
    part.add_(k)
    m = total(y)
    y[1] = m
    return y, part, m


@hosted(X)
def tensor_written_by_host_code(x):
    y = x * 1
    alias = y

    @np.vectorize
    def write(place):
        y[int(place)] = 7
        return place

    write(np.array([0]))
    z = alias * 2
    passed(y, "host").add_(1)
    return y, z, alias is y


@hosted_scene(X)
def random_stream_across_a_cut():
    def f(x):
        a = ops.rand((2,))
        k = total(x)
        b = ops.rand((2,))
        if x.sum() > 0:
            c = ops.randn((1,))
            passed(None, "host")
        else:
            c = ops.rand((3,))
        return a, b * k, c, ops.rand((1,))

    return f


@hosted_scene(X)
def parameters_are_listed():
    net = nn.SequentialCell(nn.Dense(2, 2, weight_init=1.0), nn.Dense(2, 1, weight_init=2.0))

    def f(x):
        names = [p.name for p in net.trainable_params()]
        norm = sum(float(p.asnumpy().sum()) for p in net.get_parameters() if "weight" in p.name)
        return x * norm, names

    def change():
        net[0].weight.set_data(Tensor([[3.0, 3.0], [3.0, 3.0]]))

    return Scene(f, change)


@hosted_scene(X)
def training_is_switched():
    net = nn.SequentialCell(nn.ReLU(), nn.Dropout(p=0.5))
    net.set_train(True)

    def f(x):
        was = net.training
        net.set_train(False)
        y = net(x) * total(x)
        net.set_train(was)
        return y, was, net.training

    return f


@hosted(X, then=ALSO)
def falls_off_the_end_behind_a_cut(x):
    if total(x) > 5:
        return x
    LOG.append(total(x))


@hosted(X, then=ALSO)
def conditions_with_cuts_in_a_chain_of_whiles(x):
    a = b = 0
    while total(x) > a and (a := a + 2) < 9:
        b = 0
        while passed(b, b) < a:
            b += 3
            if b == 6:
                continue
            LOG.append("inner")
        else:
            LOG.append(("else", a))
    return x * a, b


@hosted(X)
def generator_that_cuts_and_holds_a_manager(x):
    def made():
        with said("g"):
            k = total(x)
            yield x * k
            LOG.append("on")
            yield total(x * k)

    it = made()
    y = next(it)
    LOG.append("between")
    z = next(it)
    it.close()
    LOG.append("closed")
    return y * z


@hosted(X)
def same_function_on_both_sides(x):
    def f(v):
        LOG.append("f")
        return v * 2

    a = f(x)
    b = list(map(f, [x, total(x)]))
    c = f(a)
    return a, b, c


@hosted(X)
def object_is_seen_half_built_by_host_code(x):
    class Box:
        def __init__(self):
            self.a = x * 2
            LOG.append(sorted(vars(self)))
            self.b = total(self.a)
            LOG.append(sorted(vars(self)))
            self.a = self.a + self.b

    box = Box()
    return box, box.a


@hosted(X)
def list_is_seen_by_host_code_between_appends(x):
    items = []

    def seen():
        LOG.append(len(items))
        return np.asarray(len(items))

    items.append(x)
    a = seen()
    items.append(x * 2)
    b = seen()
    items.clear()
    c = seen()
    return x * int(a + b * 10 + c * 100), items


@hosted_scene(X)
def parameter_is_seen_by_host_code_between_updates():
    weight = Parameter(Tensor([1.0, 1.0]), name="weight")

    def seen():
        LOG.append(weight.asnumpy().tolist())
        return float(weight.asnumpy()[0])

    def f(x):
        ops.assign(weight, weight + 1)
        a = seen()
        weight[0] = 5.0
        b = seen()
        weight.mul_(2.0)
        return x * a + b + seen()

    def change():
        weight.set_data(Tensor([0.0, 0.0]))

    return Scene(f, change, lambda: weight)


@hosted(X, then=ALSO)
def arguments_raise_before_the_call(x):
    def f(*arguments):
        LOG.append("called")
        return arguments

    try:
        return f(passed(x, "first"), 12 / total(x), passed(x, "third"))
    except ZeroDivisionError:
        return "raised", x * 2


@hosted(X)
def conditional_import_and_use(x):
    for name in ("math", "cmath"):
        module = __import__(name)
        x = x * abs(module.sqrt(4.0))
        if total(x) > 10:
            break
    return x, module.__name__


@hosted(X)
def comprehension_over_a_cut_with_a_closure(x):
    k = 2.0
    made = [(lambda v: v * k + i + n) for i in range(2) for n in [total(x)]]
    k = total(x)
    return [f(x) for f in made], {i: [j * k for j in range(i)] for i in range(3)}
