"""Blocks whose exceptions only the running graph could raise, and managers that Python itself would have to enter."""

import contextlib
import io
import threading

from rejection import rejected

from dyad import Tensor, ops

X = Tensor([1.0, 2.0])
N = Tensor(3)
LOCK = threading.Lock()


@rejected(X, N, words="try")
def index_error_of_the_running_graph_is_awaited(x, n):
    y = x * 2
    try:
        y = x[int(n)]  # here
    except IndexError:
        y = x[0]
    return y


@rejected(X, Tensor([0, 5]), words="try")
def operator_that_checks_its_data_is_tried(x, places):
    try:
        if x.sum() > 0:
            y = ops.gather(x, places, 0)  # here
        else:
            y = x
    except IndexError:
        y = x * 0
    return y


@rejected(N, words="finally")
def division_by_a_run_time_number_before_finally(n):
    y = 0
    try:
        y = 3 // int(n)  # here
    finally:
        print("done")
    return y


@rejected(X, words="with")
def lock_is_entered(x):
    with LOCK:  # here
        return x * 2


@rejected(X, words="with")
def standard_output_is_redirected(x):
    with contextlib.redirect_stdout(io.StringIO()):  # here
        print("unseen")
    return x
