"""Effects outside of the graph: a function of Python is called when the graph runs, in the order of the program."""

from dyad._src.capture.semantics.abstract.abstraction import abstraction_of
from dyad._src.capture.semantics.abstract.leaves import LeafReader, Leaves
from dyad._src.capture.semantics.control.raising import evaluated


def call_when_run(interpreter, what, function, args, kwargs):
    """Notes a call whose result the program does not look at; `what` names it in the graph."""
    interpreter.effects += 1
    value = (tuple(args), dict(kwargs))
    aval = abstraction_of(value)
    leaves = Leaves()
    aval.flatten(value, leaves)
    interpreter.graph.add_host(what, _Call(function, aval), list(leaves))


class _Call:
    """Calls the function with the arguments as they are when the graph runs."""

    def __init__(self, function, aval):
        self._function, self._aval = function, aval

    def __call__(self, *leaves):
        args, kwargs = evaluated(self._aval.unflatten(LeafReader(leaves)))
        self._function(*args, **kwargs)
