"""Exceptions of host code, of graphs and of operators: handlers, `else`, `finally`, what was written before."""

import traceback

import numpy as np
from hosting import LOG, hosted, hosted_scene, passed, total
from program import Raises, Scene

from dyad import Tensor, ops

X = Tensor([1.0, 2.0])
ALSO = [(Tensor([9.0, 2.0]),), (Tensor([0.0, 0.0]),), (Tensor([60, 1]),)]
N = Tensor(1)
PLACES = [(Tensor(0),), (Tensor(5),), (Tensor(-9),)]


class Own(Exception):
    def __init__(self, value, *, code=0):
        super().__init__(f"own {code}", value)
        self.code = code


def divided(x):
    """Raises where the sum is 0, after it has said so."""
    k = total(x)
    LOG.append(("divided by", k))
    return 12 / k


@hosted(X, then=ALSO)
def writes_before_the_exception_are_seen(x):
    y, state = x, []
    try:
        y = x * 2
        state.append("first")
        y = y + divided(x)
        state.append("second")
    except ZeroDivisionError as error:
        state.append(str(error))
        y = y + 100
    return y, state


@hosted(X, then=ALSO)
def exception_of_host_code_goes_out(x):
    LOG.append("start")
    y = x * 2
    x.add_(1)
    k = divided(x - 1)
    x.add_(10)
    return y * k


@hosted(X, then=ALSO)
def handlers_are_tried_in_order(x):
    try:
        k = total(x)
        if k > 50:
            raise KeyError(k)
        if k > 5:
            raise IndexError("i")
        y = x * divided(x)
    except KeyError as error:
        y = error.args
    except (LookupError, ValueError) as error:
        y = type(error).__name__
    except ArithmeticError:
        y = "arithmetic"
    else:
        LOG.append("else")
        y = y + 1
    return y, x


@hosted(X, then=ALSO)
def order_of_finally(x):
    def f():
        try:
            LOG.append("body")
            return divided(x)
        except ZeroDivisionError:
            LOG.append("handler")
            return "caught"
        else:
            LOG.append("never: it returned")
        finally:
            LOG.append("finally")

    y = f()
    LOG.append("behind")
    return y, x * 2


@hosted(X, then=ALSO)
def return_in_finally_wins(x):
    def f():
        try:
            return divided(x)
        finally:
            if total(x) > 5:
                return "finally"

    try:
        return f(), x
    except ZeroDivisionError as error:
        return str(error), x


@hosted(X, then=ALSO)
def break_in_finally_drops_the_exception(x):
    turns = []
    while True:
        try:
            turns.append(divided(x))
            if len(turns) > 2:
                raise ValueError("dropped")
        finally:
            if not turns or len(turns) > 2:
                break
    return x * len(turns), turns


@hosted(X, then=ALSO)
def value_returned_is_taken_before_finally(x):
    def f():
        k = total(x)
        items = [k]
        try:
            return k, items
        finally:
            k = -1
            items.append("late")

    return f(), x * 2


@hosted(X, then=ALSO)
def exception_in_a_handler(x):
    try:
        try:
            divided(x)
        except ZeroDivisionError as error:
            raise Own(x * 2, code=3) from error
        finally:
            LOG.append("inner")
    except Own as error:
        return error.args[1], type(error.__cause__).__name__, error.code
    return x


@hosted(X, then=ALSO)
def exception_in_a_handler_goes_out(x):
    try:
        divided(x)
    except ZeroDivisionError:
        y = x * 2
        raise ValueError(f"sum {total(y)}", y)
    if total(x) > 50:
        raise Own("code", code=int(total(x))) from None
    return x


@hosted(X, then=ALSO)
def raised_again_after_a_host_statement(x):
    try:
        try:
            return x * divided(x)
        except ZeroDivisionError as error:
            error.add_note(f"seen {total(x)}")
            error.kept = x
            LOG.append("again")
            raise
    except ArithmeticError as error:
        return error.__notes__[0], error.kept is x, error


@hosted(X, then=ALSO)
def name_of_the_exception_is_deleted(x):
    error = "outer"
    try:
        divided(x)
    except ZeroDivisionError as error:
        kept = error
    else:
        kept = None
    try:
        return error, kept
    except UnboundLocalError as other:
        return str(other), type(kept).__name__, x


@hosted(N, then=PLACES)
def index_error_of_the_running_graph(n):
    x = Tensor([1.0, 2.0])
    y = x * 2
    try:
        y = x[int(n)]
        y = y * 2
    except IndexError:
        y = y + 100
    return y


@hosted(Tensor([0, 1]), then=[(Tensor([0, 5]),), (Tensor([-1, 0]),), (Tensor([-9, 0]),)])
def operator_that_checks_its_data(places):
    x = Tensor([1.0, 2.0])
    found = []
    try:
        if x.sum() > 0:
            found.append("tried")
            y = ops.gather(x, places, 0)
            found.append("done")
        else:
            y = x
    except IndexError:
        y = x * 0
    return y, found


@hosted(N, then=PLACES)
def division_by_a_run_time_number_before_finally(n):
    y = 0
    try:
        y = 3 // int(n)
    finally:
        print("done", y)
    return y, n


@hosted(X, then=ALSO)
def shape_error_of_an_operator_between_host_statements(x):
    done = [total(x)]
    try:
        y = x.reshape(int(total(x)) or 1)
        done.append("fits")
    except ValueError as error:
        y = x
        done.append(type(error).__name__)
    return y, done, total(y)


@hosted(X, then=ALSO)
def exceptions_pass_through_frames(x):
    def inner(v):
        try:
            return divided(v)
        finally:
            LOG.append("inner")

    def middle(v):
        try:
            return inner(v) * x
        except TypeError:
            LOG.append("never")
        finally:
            LOG.append("middle")

    try:
        return middle(x)
    except ZeroDivisionError as error:
        return [frame.name for frame in traceback.extract_tb(error.__traceback__) if frame.name == "divided"]


@hosted(X, then=ALSO)
def line_of_the_host_statement(x):
    y = x * 2
    try:
        z = y + 12 / total(x)
    except ZeroDivisionError as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return last.line, last.filename.endswith("host_exceptions.py"), y
    return z


@hosted(X, then=ALSO)
def caller_caught_what_a_callee_left_half_done(x):
    held = {"done": []}

    def work(v):
        held["done"].append(total(v))
        held["value"] = v * 2
        held["value"] = v * divided(v)
        held["done"].append("end")

    try:
        work(x)
    except ZeroDivisionError:
        held["failed"] = True
    return held


@hosted_scene(X, then=ALSO)
def state_after_an_exception_goes_on():
    count, memory = [0], np.zeros(2)

    def f(x):
        count[0] += 1
        memory[0] += total(x)
        y = x * divided(x)
        memory[1] += 1
        return y + count[0]

    return Scene(f, watch=lambda: (count, memory))


@hosted(X, then=ALSO)
def raise_of_run_time_objects(x):
    kinds = [KeyError, ValueError("made before"), Own]
    k = int(abs(total(x)))
    if k > 50:
        raise kinds[0]
    if k > 5:
        raise kinds[1]
    if k == 0:
        raise kinds[2](x)
    return x


@hosted(X, then=ALSO)
def raise_of_what_is_no_exception(x):
    try:
        raise passed("text", "raise")
    except TypeError as error:
        LOG.append(str(error))
    return x * total(x)


@hosted(X, then=ALSO)
def groups_of_exceptions(x):
    done = []
    try:
        raise ExceptionGroup("both", [ValueError(total(x)), KeyError("k"), Own(1)])
    except* ValueError as group:
        done.append([error.args for error in group.exceptions])
    except* (KeyError, Own) as group:
        done.append(len(group.exceptions))
    return x * len(done), done


@hosted(X, then=ALSO)
def handler_class_is_evaluated_late(x):
    def kinds():
        LOG.append("asked")
        return (ZeroDivisionError, KeyError) if total(x) == 0 else ValueError

    try:
        y = divided(x)
    except kinds():
        y = "caught"
    return x, y


@hosted(X, then=ALSO)
def try_in_a_loop_with_retries(x):
    tries = []
    y = x
    for k in range(4):
        try:
            tries.append(k)
            y = y * divided(y - k)
            break
        except ZeroDivisionError:
            y = y + 1
            continue
        finally:
            tries.append("f")
    else:
        tries.append("gave up")
    return y, tries


@hosted(X, then=ALSO)
def nested_finally_and_returns(x):
    def f():
        for i in range(3):
            try:
                try:
                    if i == 1:
                        return passed(x * i, "value")
                    if total(x) == 0:
                        raise Own(i)
                finally:
                    LOG.append(("in", i))
                    if total(x) > 50:
                        continue
            finally:
                LOG.append(("out", i))
        return "end"

    try:
        return f()
    except Own as error:
        return error.args


@hosted(X, then=ALSO)
def stop_iteration_and_exits_are_exceptions(x):
    told = []
    for kind in (StopIteration, GeneratorExit, SystemExit, KeyboardInterrupt):
        try:
            if total(x) > 2:
                raise kind(total(x))
            told.append("none")
        except BaseException as error:
            told.append((type(error).__name__, error.args))
    return x, told


@hosted(X, then=ALSO)
def suppressed_and_chained_contexts(x):
    try:
        try:
            divided(x)
            raise KeyError("first")
        except LookupError as first:
            try:
                [][int(total(x))]
            except IndexError as second:
                raise Own("third") from first
    except Own as error:
        return repr(error.__cause__), repr(error.__context__), error.__suppress_context__, x
    except ArithmeticError:
        return x


@hosted(X, expect=Raises(Own, "own 7"))
def own_exception_with_a_tensor(x):
    y = x * total(x)
    raise Own(y, code=7)


@hosted(X, then=ALSO)
def exception_inside_an_expression(x):
    seen = []

    def first():
        seen.append("first")
        return x

    try:
        y = first() * divided(x) + seen.append("last") if total(x) == 0 else first()
    except ZeroDivisionError:
        y = x - 1
    return y, seen


@hosted(X, then=ALSO)
def assignment_to_two_targets_stops_in_the_middle(x):
    items = [0]
    try:
        a = items[0] = items[int(total(x))] = x.sum() * 2
    except IndexError:
        return a, items
    return a, items, x
