"""`break`, `continue` and `return` out of nested loops and branches, with Tensor conditions."""

from program import program

from dyad import Tensor

V = Tensor([1.0, -2.0, 3.0, 4.0, -5.0])
S = Tensor(3.0)
N = Tensor(4)


@program(V)
def return_from_a_known_loop(v):
    for i in range(5):
        if v[i] < 0:
            return i
    return -1


@program(N)
def return_from_a_tensor_loop(n):
    i = 0
    while i < 100:
        if i * i > n:
            return i
        i += 1
    return -1


@program(V)
def return_of_a_tensor_from_rows(v):
    for value in v:
        if value > 2.5:
            return value * 10
    return v.sum()


@program(V, strict=TypeError)
def continue_in_a_known_loop(v):
    total = 0.0
    for value in v:
        if value < 0:
            continue
        total = total + value
    return total


@program(N)
def continue_in_a_tensor_loop(n):
    i, odd = 0, 0
    while i < n:
        i += 1
        if i % 2 == 0:
            continue
        odd += i
    return odd


@program(V, strict=TypeError)
def break_and_continue_together(v):
    total, seen = 0.0, 0
    for value in v:
        if value < 0:
            continue
        if value > 3.5:
            break
        total = total + value
        seen += 1
    return total, seen


@program(N, Tensor(2))
def break_leaves_only_the_inner_loop(n, m):
    visits, i = 0, 0
    while i < n:
        j = 0
        while True:
            if j >= m:
                break
            j += 1
            visits += 1
        i += 1
    return visits


@program(V, strict=TypeError)
def break_in_one_arm_and_continue_in_the_other(v):
    total = 0.0
    for value in v:
        if value > 3.5:
            break
        elif value < 0:
            continue
        else:
            total = total + value
    return total


@program(N, Tensor(2), then=[(Tensor(1), Tensor(9))])
def return_from_two_loops(n, m):
    i = 0
    while i < n:
        for j in range(4):
            if j * i > m:
                return i, j
        i += 1
    return i, -1


@program(V, S)
def returns_at_three_levels(v, s):
    if s > 0:
        for value in v:
            if value < 0:
                if s > 2:
                    return value
                return value * 2
        return s
    while s < 10:
        s = s + 4
        if s > 8:
            return s * 100
    return s - 1


@program(V)
def return_in_a_nested_function_ends_that_function(v):
    def first_negative():
        for value in v:
            if value < 0:
                return value
        return v[0]

    return first_negative() + 100


@program(N, strict=TypeError)
def while_true_with_returns(n):
    i = 0
    while True:
        i += 1
        if i * i > n:
            return "big", i
        if i > 50:
            return "end", i


@program(V)
def tensor_break_in_an_unrolled_loop_with_work_after(v):
    k = 0
    for value in v:
        k += 1
        if value < 0:
            break
        k += 10
    return k, v * k


@program(V)
def else_of_an_inner_loop_ends_the_outer(v):
    found = -1
    for i in range(3):
        for j in range(5):
            if v[j] * i > 7:
                found = i * 10 + j
                break
        else:
            continue
        break
    return found


@program(S, vary=False, strict=False)
def known_and_tensor_exits_mixed(s):
    out = []
    for i in range(6):
        if i == 1:
            continue
        if i == 5:
            break
        if s * i > 100:
            return out
        out.append(i)
    return out


@program(S)
def statements_after_return_are_not_reached(s):
    return s
    s.no_such_method()


@program(S)
def statements_after_both_arms_returned(s):
    if s > 0:
        return 1
    else:
        return 2
    return undefined_name


@program(S)
def early_return_of_nothing(s):
    if s > 100:
        return
    s.add_(1.0)
    return


@program(N)
def continue_skips_the_else_arm(n):
    i, a, b = 0, 0, 0
    while i < 6:
        i += 1
        if i < n:
            a += 1
            continue
        else:
            b += 1
            if b > 1:
                break
        a += 100
    return i, a, b


@program(V, strict=False)
def returns_of_lists_built_so_far(v):
    seen = []
    for value in v:
        seen.append(value)
        if value < 0:
            return seen
    return seen


@program(Tensor([[1.0, -1.0], [2.0, 3.0]]))
def exits_from_rows_of_rows(m):
    count = 0
    for row in m:
        for value in row:
            if value < 0:
                break
            count += 1
        else:
            count += 100
    return count


@program(N)
def recursion_with_exits(n):
    def down(k, depth):
        if k <= 0:
            return depth
        while True:
            if depth > 2:
                return -depth
            return down(k - 1, depth + 1)

    return down(3, 0) + n


@program(V, then=[(V * 9.0,), (V - 9.0,)])
def while_that_begins_with_another_while(v):
    while v.sum() < 30.0:
        while v.sum() < 20.0:
            v = v + 1.0
            if v.max() > 9.0:
                break
        v = v + 2.0
        if v.max() > 14.0:
            break
    return v


@program(V, then=[(V - 5.0,)])
def breaks_of_many_nested_loops(v):
    for _ in range(2):
        for _ in range(2):
            for _ in range(2):
                for _ in range(2):
                    for _ in range(2):
                        v = v + 1.0
                        if v.sum() > 9.0:
                            break
                    if v.sum() > 10.0:
                        break
                if v.sum() > 11.0:
                    break
            if v.sum() > 12.0:
                break
        if v.sum() > 13.0:
            break
    return v
