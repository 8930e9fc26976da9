"""Gradients through writes in place while it depends on the path which names share memory."""

from gradient import gradient

from dyad import Tensor

X = Tensor([0.5, 1.5, 2.5, 3.5])


@gradient(X)
def a_view_taken_in_an_arm(x):
    x = x * 1
    v = x * 2
    if x.sum() > 0:
        v = x[::-1]
    x[1] = 9.0
    return v * v, x * x


@gradient(X)
def one_of_three_is_written(x):
    x = x * 1
    y = x * 1
    z = x * 2 if x.sum() > 20 else (x if x.sum() > 10 else y)
    z[:2] = -2.0
    return x * x, y * y, z * z


@gradient(X)
def names_swap_in_a_loop(x):
    y = x * 1
    z = x * 3
    held = y
    w = x.sum() * 0
    while w < 2:
        w = w + 1
        z[1] = 9.0
        y, z = z, y
    return y * y, z * z, held * held


@gradient(X)
def a_member_of_a_list_in_nested_branches(x):
    y = x * 1
    vs = [y]
    if x.sum() > -100:
        if x.sum() > 3:
            vs[0] = x * 2
        y[1:] = 1.0
    return y * y, vs[0] * vs[0]


@gradient(X)
def a_part_of_what_an_arm_chose(x):
    y = x * 3
    v = x * 2
    if x.sum() > 3:
        v = y
    part = v[1:3]
    part.mul_(x[0])
    y[1] = x[3] * x[3]
    return v * v, part * part, y * y


@gradient(X)
def a_view_older_than_a_write_in_a_loop(x):
    x = x * 1
    q = x[::2]
    x[0] = x[1] * 3
    w = x.sum() * 0
    while w < 2:
        w = w + 1
        q = q + 2.0
    return q * q


@gradient(X)
def a_view_older_than_a_write_first_read_in_an_arm(x):
    x = x * 1
    q = x[::2]
    x[0] = x[1] * 3
    z = x.sum()
    if z > -100:
        z = (q * q).sum()
    return z + (q * q * q).sum()
