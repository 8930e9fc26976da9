"""The functions of `itertools` on captured values."""

import itertools

from dyad._src.base.break_reasons import FUNCTION
from dyad._src.capture.semantics.builtins.registry import builtin, model, refused
from dyad._src.capture.semantics.iteration.iterators import Elements, Filtered, Starred
from dyad._src.capture.semantics.iteration.itertools_iterators import (
    Accumulated,
    Chained,
    Counting,
    Cycled,
    Longest,
    Paired,
    Repeated,
    Sliced,
    Until,
)


@builtin(itertools.chain)
def _chain(interpreter, args, kwargs):
    return Chained(interpreter, Elements(interpreter, args))


@builtin(itertools.chain.from_iterable)
def _chain_from_iterable(interpreter, args, kwargs):
    return Chained(interpreter, interpreter.iteration.iterator_of(args[0]))


@builtin(itertools.accumulate)
def _accumulate(interpreter, args, kwargs):
    function = args[1] if len(args) > 1 else kwargs.get("func")
    source = args[0] if args else kwargs["iterable"]
    return Accumulated(
        interpreter, interpreter.iteration.iterator_of(source), function, kwargs.get("initial")
    )


@builtin(itertools.islice)
def _islice(interpreter, args, kwargs):
    bounds = slice(*args[1:])
    start, stop, step = bounds.start or 0, bounds.stop, 1 if bounds.step is None else bounds.step
    known = all(isinstance(part, int) for part in (start, step)) and (stop is None or isinstance(stop, int))
    if not known or start < 0 or step < 1 or (stop is not None and stop < 0):
        return interpreter.host.native(itertools.islice, *args, **kwargs)
    return Sliced(interpreter, interpreter.iteration.iterator_of(args[0]), start, stop, step)


@builtin(itertools.count)
def _count(interpreter, args, kwargs):
    start = args[0] if args else kwargs.get("start", 0)
    return Counting(interpreter, start, args[1] if len(args) > 1 else kwargs.get("step", 1))


@builtin(itertools.repeat)
def _repeat(interpreter, args, kwargs):
    times = args[1] if len(args) > 1 else kwargs.get("times")
    if times is not None and type(times) is not int:
        return interpreter.native_calls.call_native(itertools.repeat, args, kwargs)
    return Repeated(interpreter, args[0], times)


model(itertools.cycle, 1)(
    lambda interpreter, source: Cycled(interpreter, interpreter.iteration.iterator_of(source))
)
model(itertools.pairwise, 1)(
    lambda interpreter, source: Paired(interpreter, interpreter.iteration.iterator_of(source))
)
model(itertools.starmap, 2)(
    lambda interpreter, function, source: Starred(
        interpreter, itertools.starmap, function, interpreter.iteration.iterator_of(source)
    )
)
model(itertools.filterfalse, 2)(
    lambda interpreter, function, source: Filtered(
        interpreter, itertools.filterfalse, function, interpreter.iteration.iterator_of(source), wanted=False
    )
)
for _kind in (itertools.takewhile, itertools.dropwhile):
    model(_kind, 2)(
        lambda interpreter, function, source, kind=_kind: Until(
            interpreter, kind, function, interpreter.iteration.iterator_of(source)
        )
    )


@builtin(itertools.zip_longest)
def _zip_longest(interpreter, args, kwargs):
    return Longest(
        interpreter, [interpreter.iteration.iterator_of(value) for value in args], kwargs.get("fillvalue")
    )


def _combined(function):
    """Those that take all they are given before they give the first element."""

    @builtin(function)
    def combine(interpreter, args, kwargs):
        sources = args if function is itertools.product else args[:1]
        pools = [tuple(interpreter.iteration.items_of(value)) for value in sources]
        made = interpreter.host.guarded(function, *pools, *args[len(pools) :], **kwargs)
        return Elements(interpreter, list(made), function)


for _function in (
    itertools.product,
    itertools.permutations,
    itertools.combinations,
    itertools.combinations_with_replacement,
):
    _combined(_function)


refused(
    itertools.groupby,
    FUNCTION,
    "groupby: its groups share one iterator, which is not captured",
    "Use a for statement.",
)
