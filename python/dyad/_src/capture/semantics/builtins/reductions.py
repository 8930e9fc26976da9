"""Functions that make one value of many: `max`, `min`, `sum`, `all` and `any`."""

import operator

from dyad._core import GraphNumber
from dyad._src.capture.semantics.builtins.registry import builtin
from dyad._src.capture.semantics.values import MISSING, is_symbolic_tensor, kind_of_number


def _is_number(value):
    return kind_of_number(value) is not None


def _register_extreme(function, better):
    @builtin(function)
    def extreme(interpreter, args, kwargs):
        known = set(kwargs) <= {"key", "default"}
        is_iterable = len(args) == 1 and known
        values = interpreter.iteration.items_of(args[0]) if is_iterable else list(args)
        key = kwargs.get("key")
        if not known or not values or not (key is not None or interpreter.operators.needs_capture(values)):
            return interpreter.host.native(function, *((values,) if is_iterable else args), **kwargs)
        best, best_key = MISSING, MISSING
        for value in values:
            value_key = value if key is None else interpreter.calls.call(key, (value,), {})
            if best is MISSING:
                best, best_key = value, value_key
                continue
            first = (best, best_key)
            taken = interpreter.operators.truth(interpreter.operators.compare(better, value_key, best_key))
            best, best_key = interpreter.branches.branch(
                taken, lambda pair=(value, value_key): pair, lambda pair=first: pair
            )
        return best


_register_extreme(max, operator.gt)
_register_extreme(min, operator.lt)


@builtin(sum)
def _sum(interpreter, args, kwargs):
    if not args:
        return interpreter.host.native(sum, *args, **kwargs)
    start = args[1] if len(args) > 1 else kwargs.get("start", 0)
    if _is_number(args[0]):
        return interpreter.host.native(sum, 0)  # says that it is not iterable
    if isinstance(start, (str, bytes, bytearray)):
        return interpreter.host.native(sum, (), start)  # says that they are joined
    total = start
    for item in interpreter.iteration.each(args[0]):
        total = interpreter.operators.binary(operator.add, total, item)
    return total


def _register_decision(function, decisive):
    @builtin(function)
    def decide(interpreter, args, kwargs):
        if len(args) != 1:
            return interpreter.host.native(function, *args, **kwargs)
        return decided(interpreter, args[0], decisive)


_register_decision(all, False)
_register_decision(any, True)


def decided(interpreter, iterable, decisive):
    """Returns whether an element has the truth that decides; what comes behind that element is not looked at."""
    if type(iterable) in (list, tuple) and all(_is_mere_truth(item) for item in iterable):
        combine = interpreter.operators.either if decisive else interpreter.operators.both
        result = not decisive
        for item in iterable:
            result = combine(result, interpreter.operators.truth(item))
        return result
    iterator = interpreter.iteration.iterator_of(iterable)

    def rest():
        while (item := interpreter.iteration.advance(iterator)) is not MISSING:
            truth = interpreter.operators.truth(item)
            if isinstance(truth, bool):
                if truth is decisive:
                    return stopped()
                continue
            if decisive:
                return interpreter.branches.branch(truth, stopped, rest)
            return interpreter.branches.branch(truth, rest, stopped)
        interpreter.iteration.abandon(iterator)
        return not decisive

    def stopped():
        interpreter.iteration.abandon(iterator)
        return decisive

    return rest()


def _is_mere_truth(item):
    """Returns whether the truth of an element is static, or a number of the graph: reading it cannot fail or act."""
    if is_symbolic_tensor(item):
        return all(size == 1 for size in item.shape)
    return isinstance(item, (bool, int, float, str, GraphNumber, type(None)))
