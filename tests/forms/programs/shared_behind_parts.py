"""Writes behind a branch or loop after which a name may hold a view: Python runs what a graph would take apart."""

from program import Scene, program, scene

from dyad import Tensor

X = Tensor([1.0, -2.0, 3.0, 0.5])
UP, DOWN = Tensor(1), Tensor(-1)


def _number(x):
    """A number that only Python can compute."""
    return float(x.asnumpy().max()) / 4


def _chosen(one, other, s):
    if s > 0:
        return other[1:]
    return one[1:] * 2


@program(X, UP, then=[(X, DOWN)], strict=False)
def view_taken_in_an_arm_in_a_loop(x, s):
    a, b = x * 3.0, x * 2.0
    w = s * 0
    while w < 3:
        w = w + 1
        if s > 0:
            a = b[::-1]
        else:
            a = a[:]
    a.mul_(0.5)
    return a, b


@program(X, UP, then=[(X, DOWN)], strict=False)
def host_code_writes_behind_a_loop(x, s):
    a, b = x * 3.0, x * 2.0
    w = s * 0
    while w < 3:
        w = w + 1
        if s > 0:
            a = b[::-1]
    a.mul_(_number(x))
    return a, b


@program(X, UP, then=[(X, DOWN)], strict=False)
def host_code_writes_behind_a_branch(x, s):
    a, b = x * 3.0, x * 2.0
    if s > 0:
        a = b[::-1]
    else:
        a = a[::-1] * 2
    by = _number(x)
    b.mul_(by)
    return a + 1, b


@program(X, UP, then=[(X, DOWN)], strict=False)
def list_holds_what_is_viewed_in_a_loop(x, s):
    a, kept = x * 3.0, [x * 2.0]
    w = s * 0
    while w < 3:
        w = w + 1
        if s > 0:
            a = kept[0][::-1]
        else:
            a = a[:]
    a.mul_(_number(x))
    return a, kept


@scene(X, UP, then=[(X, DOWN)], strict=False)
def attribute_holds_what_is_viewed_in_a_loop():
    class Holder:
        kept = None

    holder = Holder()

    def f(x, s):
        a, holder.kept = x * 3.0, x * 2.0
        w = s * 0
        while w < 3:
            w = w + 1
            if s > 0:
                a = holder.kept[::-1]
            else:
                a = a[:]
        a.mul_(_number(x))
        return a

    return Scene(f, watch=lambda: holder.kept)


@scene(X, UP, then=[(X, DOWN)], strict=False)
def attribute_holds_the_view():
    class Holder:
        kept = None

    holder = Holder()

    def f(x, s):
        holder.kept, b = x * 3.0, x * 2.0
        if s > 0:
            holder.kept = b[2:]
        else:
            holder.kept = holder.kept[:2]
        b.mul_(_number(x))
        return b

    return Scene(f, watch=lambda: holder.kept)


@program(X, UP, then=[(X, DOWN)], strict=False)
def callee_chooses_the_view(x, s):
    a, b = x * 3.0, x * 2.0
    by = _number(x)
    c = _chosen(a, b, s)
    c.mul_(by * _number(c))
    return a, b, c


@program(X, UP, then=[(X, DOWN)], strict=False)
def two_views_of_what_an_arm_made(x, s):
    a = b = x
    if s > 0:
        whole = x * 2
        a, b = whole[:2], whole[1:3]
    else:
        a, b = x[:2] * 1, x[1:3] * 1
    a.mul_(_number(x))
    return a, b


@program(X, UP, then=[(X, DOWN)], strict=False)
def tensor_or_another_behind_a_loop(x, s):
    a, b = x * 3.0, x * 2.0
    c = a
    w = s * 0
    while w < 3:
        w = w + 1
        if s > 0:
            c = b
    d = c if s > 0 else c[1:]
    d.mul_(_number(x))
    return a, b, c, d
